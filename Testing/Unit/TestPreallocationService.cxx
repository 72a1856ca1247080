// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/PreallocationService.h"

#include "SimulatedServer.h"

#include <gtest/gtest.h>

#include <vector>

namespace
{

using namespace dsm;
using dsm::testing::SimulatedServer;

/// No memory is ready, and the hosts have not reported anything yet.
class PreallocationServiceTest : public ::testing::Test
{
protected:
  /// The orders of host 0 to make memory ready, which it does not report.
  std::vector<PrepareMemory> TakeAhead()
  {
    auto orders = this->Server.TakeOrders(0);
    this->Server.TakeOrders(1);
    std::erase_if(orders, [](const PrepareMemory& order) { return order.Ahead.empty(); });
    return orders;
  }

  void Report(const PrepareMemory& order, const std::string& failure = {})
  {
    MemoryPrepared prepared;
    prepared.Tickets = order.Tickets;
    prepared.Failure = failure;
    prepared.Ahead = true;
    for (HostIndex host = 0; host < 2; ++host)
    {
      this->Server.Notify(SimulatedServer::HostPeer(host), prepared);
    }
  }

  void Tick(Seconds time)
  {
    this->Server.Time.Now += std::chrono::duration_cast<Clock::duration>(time);
    this->Server.Core.Router.Do([&] { this->Server.Core.Tick(); });
  }

  SimulatedServer Server{ SimulatedServer::Setup{ .IsWarm = false } };
};

TEST_F(PreallocationServiceTest, MakesMemoryReadyBeforeAnyWriterComes)
{
  const auto ahead = this->TakeAhead();
  ASSERT_EQ(ahead.size(), 1u);
  EXPECT_TRUE(ahead.front().Touches);
  this->Report(ahead.front());
  EXPECT_GT(this->Server.Status().MemoryReady, 0u);
}

TEST_F(PreallocationServiceTest, GoesOnPieceByPieceUntilThereIsEnough)
{
  int pieces = 0;
  for (auto ahead = this->TakeAhead(); !ahead.empty(); ahead = this->TakeAhead())
  {
    ASSERT_EQ(ahead.size(), 1u) << "one at a time";
    ASSERT_LT(++pieces, 100);
    this->Report(ahead.front());
  }
  this->Tick(Seconds(1));
  EXPECT_TRUE(this->TakeAhead().empty());
}

TEST_F(PreallocationServiceTest, HostsRestOnlyWhenTheNextFilesMemoryIsReady)
{
  const auto first = this->TakeAhead();
  ASSERT_EQ(first.size(), 1u);
  EXPECT_FALSE(first.front().Rests) << "no file's size is known";
  this->Server.Connect("writer", "writer");
  this->Server.WriteFile("writer", "/a.h5", 100 << 10);
  ASSERT_TRUE(this->Server.Core.Images.IsNextReady("/a.h5"));
  this->Report(first.front());
  this->Tick(Seconds(1));
  const auto next = this->TakeAhead();
  ASSERT_EQ(next.size(), 1u);
  EXPECT_TRUE(next.front().Rests);
}

TEST_F(PreallocationServiceTest, HostsTouchMemoryBehindTheFirstFile)
{
  const auto first = this->TakeAhead();
  ASSERT_EQ(first.size(), 1u);
  this->Server.Connect("writer", "writer");
  this->Server.WriteFile("writer", "/a.h5", 100 << 10);
  this->Report(first.front());
  const auto next = this->TakeAhead();
  ASSERT_EQ(next.size(), 1u);
  EXPECT_TRUE(next.front().Touches) << "no pause is known that is too brief for it";
}

TEST_F(PreallocationServiceTest, OrdersNoOtherPieceWhileOneIsMade)
{
  ASSERT_EQ(this->TakeAhead().size(), 1u);
  this->Tick(Seconds(1));
  EXPECT_TRUE(this->TakeAhead().empty());
}

TEST_F(PreallocationServiceTest, StopsWhenMemoryIsShortUntilTheNextFileIsSealed)
{
  const auto ahead = this->TakeAhead();
  ASSERT_EQ(ahead.size(), 1u);
  this->Report(ahead.front(), "no memory is left");
  EXPECT_TRUE(this->TakeAhead().empty());
  EXPECT_EQ(this->Server.Status().MemoryReady, 0u);
  EXPECT_EQ(this->Server.Status().LastError, "") << "nobody needs it";
  this->Tick(Seconds(10));
  EXPECT_TRUE(this->TakeAhead().empty());
  this->Server.Connect("writer", "writer");
  this->Server.WriteFile("writer", "/a.h5");
  EXPECT_GT(this->Server.Status().MemoryReady, 0u);
}

TEST_F(PreallocationServiceTest, LeavesTheCoresToAWriterForHalfASecond)
{
  const auto ahead = this->TakeAhead();
  ASSERT_EQ(ahead.size(), 1u);
  this->Server.Connect("writer", "writer");
  BeginImage begin;
  begin.File = "/a.h5";
  this->Server.Send("writer", begin);
  this->Report(ahead.front());
  EXPECT_TRUE(this->TakeAhead().empty());
  this->Tick(Seconds(0.4));
  EXPECT_TRUE(this->Server.Core.Preallocation.IsBusyWriting());
  EXPECT_TRUE(this->TakeAhead().empty());
  this->Tick(Seconds(0.2));
  EXPECT_FALSE(this->Server.Core.Preallocation.IsBusyWriting());
}

TEST_F(PreallocationServiceTest, RestsWhileAHostIsLostAndWhenTheServerEnds)
{
  const auto ahead = this->TakeAhead();
  ASSERT_EQ(ahead.size(), 1u);
  this->Server.Core.Router.Do(
    [&] { this->Server.Core.PeerLeft(SimulatedServer::HostPeer(1), true); });
  EXPECT_TRUE(this->TakeAhead().empty()) << "the piece has failed";
  this->Tick(Seconds(1));
  EXPECT_TRUE(this->TakeAhead().empty());
  SimulatedServer ending(SimulatedServer::Setup{ .IsWarm = false });
  ending.Core.Router.Do([&] { ending.Core.TakeNoMore(); });
  const auto orders = ending.TakeOrders(0);
  ending.TakeOrders(1);
  ASSERT_EQ(orders.size(), 1u);
  MemoryPrepared prepared;
  prepared.Tickets = orders.front().Tickets;
  prepared.Ahead = true;
  ending.Notify(SimulatedServer::HostPeer(0), prepared);
  ending.Notify(SimulatedServer::HostPeer(1), prepared);
  EXPECT_TRUE(ending.TakeOrders(0).empty());
}

TEST_F(PreallocationServiceTest, PreparesTheNextFileOfAStreamAsLargeAsTheLast)
{
  this->Server.HostsWork();
  this->Server.Connect("writer", "writer");
  this->Server.WriteFile("writer", "/a1.h5", 100 << 10);
  const std::uint64_t next = this->Server.Begin("writer", "/a2.h5").Grant;
  EXPECT_GE(next, UINT64_C(100) << 10);
  EXPECT_TRUE(this->Server.Core.Images.OpenImages().begin()->second.Foreseen);
}

/// A writer has written two files a second apart, and no memory is ready for a third one.
class SlowFilesTest : public PreallocationServiceTest
{
protected:
  SlowFilesTest()
  {
    this->Server.Connect("writer", "writer");
    this->Server.WriteFile("writer", "/a1.h5", Size);
    this->Tick(Seconds(1));
    this->TakeAhead();
    this->Server.WriteFile("writer", "/a2.h5", Size);
  }

  bool IsNextReady() { return this->Server.Core.Images.IsNextReady("/a2.h5"); }

  static constexpr std::uint64_t Size = 400 << 10;
};

TEST_F(SlowFilesTest, LeaveTheCoresToReadersForAQuarterOfThePause)
{
  EXPECT_FALSE(this->IsNextReady());
  this->Tick(Seconds(0.2));
  EXPECT_FALSE(this->IsNextReady());
  this->Tick(Seconds(0.1));
  EXPECT_TRUE(this->IsNextReady());
}

TEST_F(SlowFilesTest, HaveNothingMadeReadyTwice)
{
  this->Server.Begin("writer", "/a3.h5");
  this->Tick(Seconds(0.3));
  EXPECT_FALSE(this->IsNextReady()) << "the writer has its memory";
}

TEST_F(PreallocationServiceTest, PreparesAtOnceIfFilesComeFast)
{
  this->Server.Connect("writer", "writer");
  this->Server.WriteFile("writer", "/a1.h5", 400 << 10);
  EXPECT_TRUE(this->Server.Core.Images.IsNextReady("/a1.h5"));
  this->Tick(Seconds(0.05));
  this->Server.WriteFile("writer", "/a2.h5", 400 << 10);
  EXPECT_TRUE(this->Server.Core.Images.IsNextReady("/a2.h5"));
}

}
