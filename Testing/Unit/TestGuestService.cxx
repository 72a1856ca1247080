// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/GuestService.h"

#include "SimulatedServer.h"

#include <gtest/gtest.h>

namespace
{

using namespace dsm;
using dsm::testing::SimulatedServer;

class GuestServiceTest : public ::testing::Test
{
protected:
  GuestServiceTest() { this->Server.Connect("owner", "viewer"); }

  SimulatedServer Server;
};

TEST_F(GuestServiceTest, AdmitsAGuestWithItsKey)
{
  EXPECT_TRUE(this->Server.IsRefused(this->Server.Send("guest", ListSnapshots(), "eve's key"),
    Fault::Refused, "your invitation was withdrawn by the owner"));
  const std::string key = this->Server.Invite("eve", Right::Look);
  EXPECT_TRUE(this->Server.Channel.Admitted.contains(key));
  EXPECT_NO_THROW(this->Server.Ask("guest", ListSnapshots(), key));
  EXPECT_TRUE(this->Server.IsRefused(this->Server.Send("guest", BeginImage(), key), Fault::Refused,
    "the invitation of eve is to look only"));
}

TEST_F(GuestServiceTest, ForgetsAnInvitationThatTheChannelCannotAdmit)
{
  this->Server.Channel.CanAdmit = false;
  InviteGuest invite;
  invite.Guest = "eve";
  invite.Key = "eve's key";
  EXPECT_TRUE(this->Server.IsRefused(
    this->Server.Send("owner", invite), Fault::Usage, "this channel admits nobody else"));
  EXPECT_TRUE(this->Server.Ask("owner", ListGuests()).Guests.empty());
  this->Server.Channel.CanAdmit = true;
  EXPECT_NO_THROW(this->Server.Ask("owner", invite)) << "the name is free";
}

TEST_F(GuestServiceTest, RefusesInvitationsThatMakeNoSense)
{
  this->Server.Invite("eve", Right::Look);
  InviteGuest invite;
  invite.Key = "a key";
  invite.Guest = "eve";
  EXPECT_TRUE(this->Server.IsRefused(
    this->Server.Send("owner", invite), Fault::Usage, "eve is invited already"));
  invite.Guest = "no name";
  EXPECT_TRUE(this->Server.IsRefused(
    this->Server.Send("owner", invite), Fault::Usage, "cannot be a guest's name"));
  invite.Guest = "bob";
  invite.May = Right::Write;
  EXPECT_TRUE(this->Server.IsRefused(
    this->Server.Send("owner", invite), Fault::Usage, "nobody can be invited to write"));
  EXPECT_FALSE(this->Server.Channel.Admitted.contains("a key"));
}

TEST_F(GuestServiceTest, WithdrawsAnInvitationAndCountsWhoIsConnectedByIt)
{
  const std::string key = this->Server.Invite("eve", Right::Look);
  this->Server.Connect("one", SimulatedServer::Describe("one", "viewer"), key);
  this->Server.Connect("two", SimulatedServer::Describe("two", "viewer"), key);
  this->Server.Time.Wall += 5;
  EXPECT_EQ(this->Server.Ask("owner", WithdrawGuest{ "eve" }).Connections, 2u);
  EXPECT_FALSE(this->Server.Channel.Admitted.contains(key));
  EXPECT_TRUE(this->Server.IsRefused(this->Server.Send("one", ListSnapshots(), key), Fault::Refused,
    "your invitation was withdrawn by the owner"));
  const auto guests = this->Server.Ask("owner", ListGuests()).Guests;
  ASSERT_EQ(guests.size(), 1u);
  EXPECT_EQ(guests.front().Withdrawn, this->Server.Time.Wall);
  EXPECT_TRUE(this->Server.IsRefused(this->Server.Send("owner", WithdrawGuest{ "eve" }),
    Fault::Usage, "there is no invitation of \"eve\" to withdraw"));
}

TEST_F(GuestServiceTest, ListsGuestsAndProgramsWithoutHosts)
{
  const std::string key = this->Server.Invite("eve", Right::Steer);
  this->Server.Wait(Seconds(1));
  this->Server.Connect("guest", SimulatedServer::Describe("guest", "viewer"), key);
  const GuestList list = this->Server.Ask("owner", ListGuests());
  ASSERT_EQ(list.Guests.size(), 1u);
  EXPECT_EQ(list.Guests.front().Guest, "eve");
  EXPECT_EQ(list.Guests.front().May, Right::Steer);
  EXPECT_EQ(list.Guests.front().Invited, this->Server.Time.Wall - 1);
  ASSERT_EQ(list.Connected.size(), 2u) << "by the time they came";
  EXPECT_EQ(list.Connected[0].Guest, "");
  EXPECT_EQ(list.Connected[1].Guest, "eve");
  EXPECT_EQ(list.Connected[1].Since, this->Server.Time.Wall);
}

TEST_F(GuestServiceTest, GuestsMayNotInvite)
{
  const std::string key = this->Server.Invite("eve", Right::Steer);
  InviteGuest invite;
  invite.Guest = "bob";
  for (const std::uint64_t request : { this->Server.Send("guest", invite, key),
         this->Server.Send("guest", WithdrawGuest{ "eve" }, key),
         this->Server.Send("guest", ListGuests(), key) })
  {
    EXPECT_TRUE(this->Server.IsRefused(request, Fault::Refused, "host, save to disk, declare"));
  }
}

}
