// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/HostService.h"

#include "SimulatedServer.h"

#include <gtest/gtest.h>

namespace
{

using namespace dsm;
using dsm::testing::SimulatedServer;
using dsm::testing::Texts;

/// Two hosts. Tasks are given to them directly, and what becomes of each is noted.
class HostServiceTest : public ::testing::Test
{
protected:
  template <typename Work>
  auto Do(const Work& work)
  {
    return this->Server.Core.Router.Do(work);
  }

  /// Has the hosts clear some bytes of a slot.
  void Submit(const std::string& name, SlotIndex slot)
  {
    ImageManager::Work work;
    work.Slot = slot;
    work.Plan.Zero = { slot, { 0, 0 }, { 4096, 4096 } };
    this->Do(
      [&]
      {
        this->Server.Core.Hosts.Submit(work, [this, name](const TaskFailure& failure)
          { this->Done.push_back(failure.IsEmpty() ? name : name + ": " + failure.Why); });
      });
  }

  /// A host reports the first order that it has.
  void Report(HostIndex host, const std::string& failure = {}, bool isAhead = false)
  {
    auto& waiting = this->Orders[host];
    for (auto& order : this->Server.TakeOrders(host))
    {
      waiting.push_back(std::move(order));
    }
    ASSERT_FALSE(waiting.empty());
    MemoryPrepared prepared;
    prepared.Tickets = waiting.front().Tickets;
    prepared.Failure = failure;
    prepared.Ahead = isAhead;
    waiting.erase(waiting.begin());
    this->Server.Notify(SimulatedServer::HostPeer(host), prepared);
  }

  std::uint64_t BeginShares()
  {
    WriteShare share;
    share.Snapshot.Number = 1;
    return this->Do([&] { return this->Server.Core.Hosts.BeginShares(share); });
  }
  void ReportShare(HostIndex host, std::uint64_t ticket, std::uint64_t bytes, bool isDone,
    const std::string& failure = {})
  {
    ShareWritten written;
    written.Ticket = ticket;
    written.Bytes = bytes;
    written.Done = isDone;
    written.Failure = failure;
    this->Server.Notify(SimulatedServer::HostPeer(host), written);
  }

  SimulatedServer Server;
  Texts Done; ///< the tasks that have ended, with why they failed
  std::vector<PrepareMemory> Orders[2];
};

TEST_F(HostServiceTest, TaskIsDoneWhenAllHostsHaveReportedIt)
{
  this->Submit("one", 60);
  this->Submit("two", 61);
  this->Report(0);
  this->Report(0);
  EXPECT_EQ(this->Done, Texts());
  this->Report(1);
  EXPECT_EQ(this->Done, Texts{ "one" });
  this->Report(1);
  EXPECT_EQ(this->Done, (Texts{ "one", "two" }));
}

TEST_F(HostServiceTest, WorkWithoutAnythingToDoIsDoneAtOnce)
{
  ImageManager::Work nothing;
  nothing.Slot = 60;
  bool isDone = false;
  this->Do(
    [&] { this->Server.Core.Hosts.Submit(nothing, [&](const TaskFailure&) { isDone = true; }); });
  EXPECT_TRUE(isDone);
  EXPECT_TRUE(this->Server.TakeOrders(0).empty());
}

TEST_F(HostServiceTest, FailedTaskFailsLaterOnesOfItsSlotAndIsReported)
{
  this->Submit("one", 60);
  this->Submit("two", 60);
  this->Submit("other", 61);
  this->Report(0, "no memory is left");
  EXPECT_EQ(this->Server.Status().LastError, "no memory is left");
  for (int i = 0; i < 2; ++i)
  {
    this->Report(0);
  }
  for (int i = 0; i < 3; ++i)
  {
    this->Report(1);
  }
  EXPECT_EQ(this->Done, (Texts{ "one: no memory is left", "two: no memory is left", "other" }));
}

TEST_F(HostServiceTest, DoesNotReportWhatNobodyNeedsYet)
{
  this->Do(
    [&]
    {
      this->Server.Core.Hosts.SubmitAhead(
        { .Pages = { { 60, { 0, 0 }, { 4096, 4096 } } }, .Rests = true },
        [this](const TaskFailure& failure) { this->Done.push_back(failure.Why); });
    });
  const auto orders = this->Server.TakeOrders(1);
  ASSERT_EQ(orders.size(), 1u);
  EXPECT_EQ(orders.front().Ahead.size(), 1u);
  EXPECT_TRUE(orders.front().Touches);
  EXPECT_TRUE(orders.front().Rests);
  this->Orders[1] = orders;
  this->Report(1, "no memory is left", true);
  this->Report(0, {}, true);
  EXPECT_EQ(this->Done, Texts{ "no memory is left" });
  EXPECT_EQ(this->Server.Status().LastError, "");
}

TEST_F(HostServiceTest, LostHostFailsAllTasks)
{
  this->Submit("one", 60);
  this->Submit("two", 61);
  this->Server.Core.Router.Do(
    [&] { this->Server.Core.PeerLeft(SimulatedServer::HostPeer(1), false); });
  const std::string why = "DSM host 1 ended: its memory cannot be reached";
  EXPECT_EQ(this->Done, (Texts{ "one: " + why, "two: " + why }));
  this->Report(0); // late, and of no meaning any more
  EXPECT_EQ(this->Done.size(), 2u);
}

TEST_F(HostServiceTest, SendsNothingToAHostThatIsAway)
{
  this->Server.Leave(SimulatedServer::HostPeer(1), true);
  this->Submit("one", 60);
  EXPECT_EQ(this->Server.TakeOrders(0).size(), 1u);
  EXPECT_TRUE(this->Server.TakeOrders(1).empty());
}

TEST_F(HostServiceTest, ReleasesTheSpareMemoryOfAHostThatIsBack)
{
  this->Server.Connect("writer", "writer");
  this->Server.WriteFile("writer", "/a.h5");
  this->Server.Leave(SimulatedServer::HostPeer(1), true);
  this->Server.TakeOrders(0);
  Hello hello;
  hello.Peer = SimulatedServer::Describe("host 1 again", "host");
  hello.Host = HostSeat{ 1, SimulatedServer::Secret };
  this->Server.Send("host 1 again", hello);
  const auto orders = this->Server.Channel.Take<PrepareMemory>("host 1 again");
  ASSERT_FALSE(orders.empty());
  EXPECT_FALSE(orders.front().Raise.empty()) << "it may have missed generations";
  EXPECT_FALSE(orders.front().Release.empty());
}

TEST_F(HostServiceTest, ListensToHostsOnly)
{
  this->Server.Connect("writer", "writer");
  const std::string refusal = "only a host of the DSM server says so";
  const auto isRefused =
    [&](const auto& message, const PeerId& peer, Fault fault, const std::string& words)
  { return this->Server.IsRefused(this->Server.Send(peer, message), fault, words); };
  EXPECT_TRUE(isRefused(MemoryPrepared(), "writer", Fault::Refused, refusal));
  EXPECT_TRUE(isRefused(ShareWritten(), "writer", Fault::Refused, refusal));
  EXPECT_TRUE(isRefused(MemoryPrepared(), "nobody", Fault::PeerLost, "not know"));
}

TEST_F(HostServiceTest, ReportsWhatIsWrongAtAHost)
{
  MemoryPrepared failed;
  failed.Failure = "the disk is full";
  this->Server.Notify(SimulatedServer::HostPeer(0), failed);
  EXPECT_EQ(this->Server.Status().LastError, "the disk is full");
  EXPECT_EQ(this->Server.Status().LastErrorAt, this->Server.Time.Wall);
}

// ---- Writing a snapshot by all hosts.

TEST_F(HostServiceTest, HasAllHostsWriteTheirShares)
{
  const std::uint64_t ticket = this->BeginShares();
  for (HostIndex host = 0; host < 2; ++host)
  {
    const auto orders = this->Server.Channel.Take<WriteShare>(SimulatedServer::HostPeer(host));
    ASSERT_EQ(orders.size(), 1u);
    EXPECT_EQ(orders.front().Ticket, ticket);
    EXPECT_EQ(orders.front().Host, host);
    EXPECT_EQ(orders.front().Snapshot.Number, 1u);
  }
  this->ReportShare(0, ticket, 100, false);
  this->ReportShare(1, ticket, 30, true);
  auto state = this->Do([&] { return this->Server.Core.Hosts.Shares(ticket); });
  EXPECT_EQ(state.Bytes, 130u);
  EXPECT_EQ(state.Missing, 1u);
  this->ReportShare(0, ticket, 120, true);
  state = this->Do([&] { return this->Server.Core.Hosts.Shares(ticket); });
  EXPECT_EQ(state.Bytes, 150u);
  EXPECT_EQ(state.Missing, 0u);
  EXPECT_EQ(state.Failure, "");
  this->Do([&] { this->Server.Core.Hosts.EndShares(ticket, false); });
  EXPECT_TRUE(this->Server.Channel.Take<CancelShare>(SimulatedServer::HostPeer(0)).empty());
}

TEST_F(HostServiceTest, TellsHostsToStopAWriteThatIsCancelled)
{
  const std::uint64_t ticket = this->BeginShares();
  this->Do([&] { this->Server.Core.Hosts.EndShares(ticket, true); });
  for (HostIndex host = 0; host < 2; ++host)
  {
    const auto orders = this->Server.Channel.Take<CancelShare>(SimulatedServer::HostPeer(host));
    ASSERT_EQ(orders.size(), 1u);
    EXPECT_EQ(orders.front().Ticket, ticket);
  }
  this->ReportShare(0, ticket, 100, true); // late
}

TEST_F(HostServiceTest, LostHostFailsAWrite)
{
  const std::uint64_t ticket = this->BeginShares();
  this->ReportShare(0, ticket, 100, true);
  this->Server.Leave(SimulatedServer::HostPeer(1), false);
  const auto state = this->Do([&] { return this->Server.Core.Hosts.Shares(ticket); });
  EXPECT_EQ(state.Failure, "DSM host 1 ended: its memory cannot be reached");
  try
  {
    this->BeginShares();
    FAIL() << "a part of the snapshot is lost";
  }
  catch (const Error& error)
  {
    EXPECT_EQ(error.GetFault(), Fault::PeerLost);
    EXPECT_EQ(
      std::string(error.what())
        .find("the DSM server has lost a host, and with it a part of the snapshot (DSM host 1"),
      0u)
      << error.what();
  }
}

TEST_F(HostServiceTest, ClosedServerOrdersNoWrites)
{
  this->Do([&] { this->Server.Core.Close(); });
  const std::uint64_t ticket = this->BeginShares();
  this->Do([&] { this->Server.Core.Hosts.EndShares(ticket, true); });
  EXPECT_TRUE(this->Server.Channel.Take<WriteShare>(SimulatedServer::HostPeer(0)).empty());
  EXPECT_TRUE(this->Server.Channel.Take<CancelShare>(SimulatedServer::HostPeer(0)).empty());
}

}
