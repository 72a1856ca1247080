// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/KeepService.h"

#include "SimulatedServer.h"

#include <gtest/gtest.h>

namespace
{

using namespace dsm;
using dsm::testing::SimulatedServer;
using dsm::testing::Texts;
using Numbers = std::vector<SnapshotId>;

/// A file that a flush has shown, and that is written further.
class KeepServiceTest : public ::testing::Test
{
protected:
  KeepServiceTest()
  {
    this->Server.Connect("writer", "writer");
    this->Server.Connect("viewer", "viewer");
    this->Image = this->Server.Begin("writer", "/a.h5", 2);
    this->Shown = this->Server.Flush("writer", this->Image.Image, 8192);
    this->Server.Heard.Take();
  }

  KeepBytes Keep(std::uint64_t begin, std::uint64_t end, HostIndex host = 0) const
  {
    return { this->Image.Image, this->Image.Key, host, { begin, end } };
  }

  /// The host that has bytes of the file.
  HostIndex HostOfFirstBytes() const
  {
    return this->Server.Core.Images.Image(this->Image.Image).Map.Locate(0).Host;
  }

  /// The first host cannot do what the hosts were told, and the second can.
  void FirstHostFails()
  {
    for (HostIndex reporting = 0; reporting < 2; ++reporting)
    {
      for (const auto& order : this->Server.TakeOrders(reporting))
      {
        MemoryPrepared prepared;
        prepared.Tickets = order.Tickets;
        prepared.Failure = reporting == 0 ? "no memory is left" : "";
        this->Server.Notify(SimulatedServer::HostPeer(reporting), prepared);
      }
    }
  }

  SimulatedServer Server;
  ImageDescription Image;
  SnapshotId Shown = 0;
};

TEST_F(KeepServiceTest, HasTheHostsCopyBeforeItAnswers)
{
  const HostIndex host = this->HostOfFirstBytes();
  const std::uint64_t request = this->Server.Send("writer", this->Keep(0, 4096, host));
  EXPECT_FALSE(this->Server.IsAnswered(request));
  const auto orders = this->Server.TakeOrders(host);
  ASSERT_EQ(orders.size(), 1u);
  ASSERT_EQ(orders.front().Copy.size(), 1u);
  EXPECT_EQ(orders.front().Copy.front().From, 0u);
  EXPECT_EQ(orders.front().Copy.front().Size, 4096u);
  EXPECT_EQ(orders.front().From, this->Image.Slot);
}

TEST_F(KeepServiceTest, SaysThatTheSnapshotHasMoved)
{
  const auto before = *this->Server.Core.Images.Snapshots().Find(this->Shown);
  EXPECT_NO_THROW(this->Server.Ask("writer", this->Keep(0, 4096, this->HostOfFirstBytes())));
  EXPECT_EQ(this->Server.Heard.Take(), Texts{ "moved 1" });
  const auto& after = *this->Server.Core.Images.Snapshots().Find(this->Shown);
  EXPECT_NE(after.Generation, before.Generation);
  EXPECT_TRUE(after.Shared->Aside[this->HostOfFirstBytes()].Has({ 0, 4096 }));
}

TEST_F(KeepServiceTest, AnswersAtOnceWhatIsKeptAlready)
{
  const auto keep = this->Keep(0, 4096, this->HostOfFirstBytes());
  this->Server.Ask("writer", keep);
  const std::uint64_t again = this->Server.Send("writer", keep);
  EXPECT_TRUE(this->Server.IsAnswered(again));
  EXPECT_TRUE(this->Server.Channel.Take<PrepareMemory>(SimulatedServer::HostPeer(0)).empty());
}

TEST_F(KeepServiceTest, AnswersByChannelAndInMemoryAlike)
{
  const auto keep = this->Keep(0, 4096, this->HostOfFirstBytes());
  const std::uint64_t byChannel = this->Server.Send("writer", keep);
  const std::uint64_t inMemory = this->Server.SendInMemory(keep);
  EXPECT_FALSE(this->Server.IsAnswered(byChannel));
  EXPECT_FALSE(this->Server.IsAnswered(inMemory)) << "the same copies are under way";
  this->Server.HostsWork();
  EXPECT_NO_THROW(this->Server.ReplyTo<KeepBytes>(byChannel));
  EXPECT_NO_THROW(this->Server.ReplyTo<KeepBytes>(inMemory));
  KeepBytes wrong = keep;
  wrong.Key += 1;
  for (const std::uint64_t request :
    { this->Server.Send("writer", wrong), this->Server.SendInMemory(wrong) })
  {
    EXPECT_THROW(this->Server.ReplyTo<KeepBytes>(request), Error);
  }
  wrong = keep;
  wrong.Host = 7;
  for (const std::uint64_t request :
    { this->Server.Send("writer", wrong), this->Server.SendInMemory(wrong) })
  {
    EXPECT_TRUE(this->Server.IsRefused(
      request, Fault::Refused, "/a.h5 is on 2 hosts: there is none of number 7"));
  }
}

TEST_F(KeepServiceTest, EvictsTheSnapshotIfTheHostsCannotCopy)
{
  const std::uint64_t request =
    this->Server.Send("writer", this->Keep(0, 4096, this->HostOfFirstBytes()));
  this->FirstHostFails();
  this->Server.HostsWork();
  EXPECT_NO_THROW(this->Server.ReplyTo<KeepBytes>(request)) << "the simulation goes on";
  EXPECT_EQ(this->Server.InRing(), Numbers());
  EXPECT_EQ(this->Server.Heard.Take(), Texts{ "evicted 1" });
  EXPECT_EQ(this->Server.Status().LastError, "snapshot 1 (/a.h5) had to go: no memory is left");
}

TEST_F(KeepServiceTest, ReportsNoSnapshotThatWasEvictedWhileTheHostsCopied)
{
  const std::uint64_t request =
    this->Server.Send("writer", this->Keep(0, 4096, this->HostOfFirstBytes()));
  this->Server.Core.Images.Revoke(this->Shown);
  ASSERT_EQ(this->Server.InRing(), Numbers());
  this->FirstHostFails();
  this->Server.HostsWork();
  EXPECT_NO_THROW(this->Server.ReplyTo<KeepBytes>(request)) << "the simulation goes on";
  EXPECT_EQ(this->Server.Status().LastError, "no memory is left") << "what the host says";
}

TEST_F(KeepServiceTest, RefusesIfAHostIsLostMeanwhile)
{
  const std::uint64_t request =
    this->Server.Send("writer", this->Keep(0, 4096, this->HostOfFirstBytes()));
  this->Server.Leave(SimulatedServer::HostPeer(1), true);
  EXPECT_TRUE(this->Server.IsRefused(request, Fault::PeerLost,
    "the DSM server has lost a host (DSM host 1 stopped responding (no message for 10 s): its "
    "memory "
    "cannot be reached), and with it a part of the file"));
}

TEST_F(KeepServiceTest, WaitsWhileAHostIsAway)
{
  this->Server.Leave(SimulatedServer::HostPeer(1), true);
  const auto keep = this->Keep(0, 4096, this->HostOfFirstBytes());
  const std::uint64_t byChannel = this->Server.Send("writer", keep);
  const std::uint64_t inMemory = this->Server.SendInMemory(keep);
  EXPECT_FALSE(this->Server.IsAnswered(byChannel));
  EXPECT_FALSE(this->Server.IsAnswered(inMemory));
  this->Server.ConnectHost(1, "host 1 again");
  EXPECT_NO_THROW(this->Server.ReplyTo<KeepBytes>(byChannel));
  EXPECT_NO_THROW(this->Server.ReplyTo<KeepBytes>(inMemory));
}

TEST_F(KeepServiceTest, ForgetsARankInMemoryWhenTheImagesOwnerLeaves)
{
  this->Server.Leave(SimulatedServer::HostPeer(1), true);
  const std::uint64_t inMemory =
    this->Server.SendInMemory(this->Keep(0, 4096, this->HostOfFirstBytes()));
  this->Server.Leave("writer", true);
  this->Server.ConnectHost(1, "host 1 again");
  this->Server.Wait(Seconds(20));
  EXPECT_FALSE(this->Server.IsAnswered(inMemory));
}

}
