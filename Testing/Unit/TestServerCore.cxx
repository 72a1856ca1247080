// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/ServerCore.h"

#include "SimulatedServer.h"

#include <gtest/gtest.h>

namespace
{

using namespace dsm;
using dsm::testing::SimulatedServer;
using dsm::testing::Texts;
using Numbers = std::vector<SnapshotId>;

ServerOptions WithOneSnapshot()
{
  ServerOptions options = SimulatedServer::Options();
  options.MaximumSnapshots = 1;
  return options;
}

TEST(ServerCore, KnowsTheOwnerAndGuestsByTheirKeys)
{
  SimulatedServer server;
  const std::string key = server.Invite("eve", Right::Steer);
  EXPECT_EQ(server.Core.GuestOf(SimulatedServer::Owner), nullptr);
  ASSERT_NE(server.Core.GuestOf(key), nullptr);
  EXPECT_EQ(server.Core.GuestOf(key)->Guest, "eve");
  EXPECT_THROW(server.Core.GuestOf("another key"), Error);
}

TEST(ServerCore, ServesNobodyOnceItIsClosed)
{
  SimulatedServer server;
  server.Connect("writer", "writer");
  const auto image = server.Begin("writer", "/a.h5");
  server.Core.Router.Do([&] { server.Core.Close(); });
  EXPECT_FALSE(server.IsAnswered(server.Send("writer", server.SealOf(image.Image))));
  EXPECT_FALSE(server.IsAnswered(server.SendInMemory(LocateSnapshot{ 1 })));
  EXPECT_EQ(server.InRing(), Numbers());
}

TEST(ServerCore, EvictsAtTheEndOfTheEventThatNeedsRoom)
{
  SimulatedServer server(WithOneSnapshot());
  server.Connect("writer", "writer");
  server.WriteFile("writer", "/a1.h5");
  server.Wait(Seconds(1));
  server.Heard.Take();
  BeginImage begin;
  begin.File = "/a2.h5";
  server.Send("writer", begin);
  EXPECT_EQ(server.Heard.Take(), (Texts{ "begun /a2.h5", "evicted 1" }));
}

// Its bytes are in the image's slot, which stays what it is.
TEST(ServerCore, RaisesNoGenerationForASnapshotThatSharesItsBytes)
{
  SimulatedServer server(WithOneSnapshot());
  server.Connect("writer", "writer");
  const auto image = server.Begin("writer", "/a1.h5");
  server.Flush("writer", image.Image);
  server.Begin("writer", "/a2.h5");
  EXPECT_EQ(server.InRing(), Numbers());
  EXPECT_TRUE(server.Slots.Generations.empty());
  EXPECT_EQ(server.Status().Receiving.size(), 2u);
}

TEST(ServerCore, TickAnnouncesAnswersAndExpires)
{
  SimulatedServer server(WithOneSnapshot());
  server.Connect("writer", "writer");
  server.Connect("viewer", "viewer");
  TakeSnapshot take;
  take.Seconds = 60;
  const std::uint64_t waiting = server.Send("viewer", take);
  server.WriteFile("writer", "/a1.h5");
  const auto beats = server.Slots.Beats;
  server.Wait(Seconds(1));
  EXPECT_EQ(server.Slots.Beats, beats + 1);
  ASSERT_TRUE(server.IsAnswered(waiting)) << "what is announced answers those who wait";
  EXPECT_EQ(server.ReplyTo<TakeSnapshot>(waiting).Snapshot->Snapshot.Number, 1u);
}

}
