// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/AdminService.h"

#include "SimulatedServer.h"

#include <gtest/gtest.h>

namespace
{

using namespace dsm;
using dsm::testing::SimulatedServer;
using dsm::testing::Texts;

class AdminServiceTest : public ::testing::Test
{
protected:
  AdminService& Admin() { return this->Server.Core.Admin; }
  template <typename Work>
  auto Do(const Work& work)
  {
    return this->Server.Core.Router.Do(work);
  }

  AdminServiceTest()
  {
    this->Do([&] { this->Admin().OfferAttaching(true); });
    this->Server.Connect("viewer", "viewer");
  }

  std::uint64_t SendAdjust()
  {
    AdjustServer adjust;
    adjust.Options = this->Server.Core.State.Options;
    adjust.Options.MaximumSnapshots = 7;
    return this->Server.Send("viewer", adjust);
  }
  std::optional<HostOrder> TakeOrder()
  {
    return this->Do([&] { return this->Admin().TakeOrder(); });
  }

  SimulatedServer Server;
};

// ---- Orders.

TEST_F(AdminServiceTest, AttachesAViewerAndAnswersWithTheStatus)
{
  const ServerStatus status = this->Server.Ask("viewer", AttachViewer());
  EXPECT_EQ(status.State, ServerState::Listening);
  EXPECT_EQ(status.Viewers, 1u) << "itself";
  this->Server.Leave("viewer", true);
  EXPECT_EQ(this->Server.Status().Viewers, 0u);
}

TEST_F(AdminServiceTest, RefusesToAttachToAServerThatIsAPartOfAnotherProgram)
{
  this->Do([&] { this->Admin().OfferAttaching(false); });
  EXPECT_TRUE(this->Server.IsRefused(this->Server.Send("viewer", AttachViewer()), Fault::Refused,
    "this DSM server is a part of the program that started it (a test), and only that can change "
    "or "
    "stop it"));
  EXPECT_EQ(this->Server.Status().Viewers, 0u);
}

TEST_F(AdminServiceTest, LetsAnybodyWatchAServerThatIsAPartOfAnotherProgram)
{
  this->Do([&] { this->Admin().OfferAttaching(false); });
  EXPECT_EQ(this->Server.Ask("viewer", WatchServer()).Viewers, 1u) << "itself";
  EXPECT_TRUE(this->Server.IsRefused(this->SendAdjust(), Fault::Refused, "has attached"));
  EXPECT_TRUE(this->Server.IsRefused(
    this->Server.Send("viewer", StopServer()), Fault::Refused, "has attached"));
  this->Server.Leave("viewer", false);
  EXPECT_EQ(this->Server.Status().Viewers, 0u);
}

TEST_F(AdminServiceTest, LetsGuestsWatchButDoesNotStayForThem)
{
  const std::string key = this->Server.Invite("eve", Right::Look);
  this->Server.Connect("guest", SimulatedServer::Describe("guest", "viewer"), key);
  EXPECT_EQ(this->Server.Ask("guest", WatchServer(), key).Viewers, 0u);
}

TEST_F(AdminServiceTest, PassesAnOrderToAdjustOnAndAnswersWhenItIsDone)
{
  this->Server.Ask("viewer", AttachViewer());
  const std::uint64_t request = this->SendAdjust();
  EXPECT_FALSE(this->Server.IsAnswered(request));
  EXPECT_TRUE(this->Do([&] { return this->Admin().HasOrders(); }));
  const auto order = this->TakeOrder();
  ASSERT_TRUE(order && order->Options);
  EXPECT_EQ(order->Options->MaximumSnapshots, 7u);
  EXPECT_FALSE(this->TakeOrder());
  this->Do([&] { this->Admin().OrderDone(*order, {}); });
  EXPECT_EQ(
    this->Server.ReplyTo<AdjustServer>(request).Server, this->Server.Core.State.Description);
}

TEST_F(AdminServiceTest, PassesAnOrderToStopOn)
{
  this->Server.Ask("viewer", AttachViewer());
  const std::uint64_t request = this->Server.Send("viewer", StopServer());
  const auto order = this->TakeOrder();
  ASSERT_TRUE(order);
  EXPECT_FALSE(order->Options);
  EXPECT_FALSE(this->Server.IsAnswered(request));
  this->Do([&] { this->Admin().OrderDone(*order, {}); });
  EXPECT_NO_THROW(this->Server.ReplyTo<StopServer>(request));
}

TEST_F(AdminServiceTest, RefusesAnOrderThatTheHostProgramCannotCarryOut)
{
  this->Server.Ask("viewer", AttachViewer());
  const std::uint64_t request = this->SendAdjust();
  const auto order = this->TakeOrder();
  ASSERT_TRUE(order);
  this->Do([&] { this->Admin().OrderDone(*order, "there is no such transport"); });
  EXPECT_TRUE(this->Server.IsRefused(request, Fault::Usage, "there is no such transport"));
}

TEST_F(AdminServiceTest, KeepsOrdersInTheirSequence)
{
  this->Server.Ask("viewer", AttachViewer());
  this->SendAdjust();
  this->Server.Send("viewer", StopServer());
  EXPECT_TRUE(this->TakeOrder()->Options);
  EXPECT_FALSE(this->TakeOrder()->Options);
}

TEST_F(AdminServiceTest, TakesOrdersFromAttachedViewersOnly)
{
  const std::string refusal = "only a program that has attached to this DSM server says so";
  EXPECT_TRUE(this->Server.IsRefused(this->SendAdjust(), Fault::Refused, refusal));
  EXPECT_TRUE(
    this->Server.IsRefused(this->Server.Send("viewer", StopServer()), Fault::Refused, refusal));
  EXPECT_TRUE(
    this->Server.IsRefused(this->Server.Send("nobody", StopServer()), Fault::PeerLost, "not know"));
  EXPECT_FALSE(this->TakeOrder());
}

// ---- Status.

TEST_F(AdminServiceTest, SaysWhatTheServerIsDoing)
{
  const auto state = [&] { return this->Server.Ask("viewer", AskStatus()).State; };
  EXPECT_EQ(state(), ServerState::Listening);
  this->Server.Connect("writer", "writer");
  EXPECT_EQ(state(), ServerState::Connected);
  const auto image = this->Server.Begin("writer", "/a.h5");
  EXPECT_EQ(state(), ServerState::Receiving);
  this->Server.Seal("writer", image.Image);
  EXPECT_EQ(state(), ServerState::Connected);
  this->Server.Leave("writer", true);
  EXPECT_EQ(state(), ServerState::ClientLost);
  this->Do([&] { this->Server.Core.Close(); });
  EXPECT_EQ(this->Server.Status().State, ServerState::Idle);
}

TEST_F(AdminServiceTest, SaysThatASimulationIsPaused)
{
  this->Server.Connect("sim", "steering");
  DeclareProgram declare;
  declare.Program = "sim";
  declare.Instance = "one";
  declare.Offered.Commands = { { "pause", "", "", false }, { "resume", "", "", false } };
  this->Server.Ask("sim", declare);
  ReportProgress progress;
  progress.Step = 3;
  progress.Paused = true;
  this->Server.Notify("sim", progress);
  EXPECT_EQ(this->Server.Ask("viewer", AskStatus()).State, ServerState::Paused);
  progress.Paused = false;
  this->Server.Notify("sim", progress);
  EXPECT_EQ(this->Server.Ask("viewer", AskStatus()).State, ServerState::Connected);
}

TEST_F(AdminServiceTest, ListsSnapshotsRunsAndMemory)
{
  this->Server.Connect("writer", "writer");
  this->Server.WriteFile("writer", "/a1.h5", 8192);
  this->Server.Wait(Seconds(1));
  this->Do([&] { this->Admin().NoteTransports({ "sharedmemory: idle" }); });
  const ServerStatus status = this->Server.Ask("viewer", AskStatus());
  ASSERT_EQ(status.Snapshots.size(), 1u);
  EXPECT_EQ(status.Snapshots.front().FileSize, 8192u);
  EXPECT_EQ(status.NewestSnapshot(), 1u);
  ASSERT_EQ(status.Runs.size(), 1u);
  EXPECT_EQ(status.Runs.front().Number, 1u);
  EXPECT_EQ(status.MemoryBudget, UINT64_C(2) << 20);
  EXPECT_EQ(status.MemoryUsed, 8192u);
  EXPECT_EQ(status.HostMemoryUsed.size(), 2u);
  EXPECT_GT(status.MemoryReady, 0u);
  EXPECT_EQ(status.Transports, Texts{ "sharedmemory: idle" });
  EXPECT_EQ(status.Options.MemoryPerHost, UINT64_C(1) << 20);
  EXPECT_EQ(status.Options.Memory, Lending::Sparse);
  EXPECT_EQ(status.WritersSeen, 1u);
}

TEST_F(AdminServiceTest, AnswersStatusEvenToGuests)
{
  const std::string key = this->Server.Invite("eve", Right::Look);
  EXPECT_NO_THROW(this->Server.Ask("guest", AskStatus(), key));
  EXPECT_TRUE(this->Server.IsRefused(
    this->Server.Send("guest", AttachViewer(), key), Fault::Refused, "look only"));
}

TEST_F(AdminServiceTest, CountsTraffic)
{
  const ControlTraffic traffic = this->Server.Ask("viewer", AskTraffic());
  EXPECT_EQ(traffic.Peers, 3u) << "hosts among them";
  ASSERT_EQ(traffic.Messages.size(), 1u);
  EXPECT_EQ(traffic.Messages.front().Message, "begin");
  EXPECT_EQ(traffic.Messages.front().Received, 2u);
}

}
