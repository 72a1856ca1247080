// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/AllocationService.h"

#include "SimulatedServer.h"

#include <gtest/gtest.h>

#include <optional>

namespace
{

using namespace dsm;
using dsm::testing::SimulatedServer;
using Numbers = std::vector<SnapshotId>;

/// The ring keeps one snapshot until a viewer has read it.
class AllocationServiceTest : public ::testing::Test
{
protected:
  static ServerOptions Options()
  {
    ServerOptions options = SimulatedServer::Options();
    options.WhenFull = FullRing::Block;
    options.MaximumSnapshots = 1;
    return options;
  }

  AllocationServiceTest()
  {
    this->Server.Connect("writer", "writer");
    this->Server.Connect("viewer", "viewer");
  }

  std::uint64_t SendBegin(const PeerId& peer, const std::string& name)
  {
    BeginImage begin;
    begin.File = name;
    const std::uint64_t request = this->Server.Send(peer, begin);
    this->Server.HostsWork();
    return request;
  }

  SimulatedServer Server{ Options() };
};

TEST_F(AllocationServiceTest, GrantsAtOnceIfThereIsRoom)
{
  EXPECT_TRUE(this->Server.IsAnswered(this->SendBegin("writer", "/a.h5")));
  EXPECT_EQ(this->Server.Status().WaitingSeconds, 0);
}

TEST_F(AllocationServiceTest, GrantsAWaitingRequestWhenASnapshotIsRead)
{
  this->Server.WriteFile("writer", "/a1.h5");
  const std::uint64_t waiting = this->SendBegin("writer", "/a2.h5");
  EXPECT_FALSE(this->Server.IsAnswered(waiting));
  this->Server.Wait(Seconds(2));
  EXPECT_EQ(this->Server.Status().WaitingSeconds, 2);
  EXPECT_FALSE(this->Server.IsAnswered(waiting));
  this->Server.Read("viewer", 1);
  EXPECT_NO_THROW(this->Server.ReplyTo<BeginImage>(waiting));
  EXPECT_EQ(this->Server.InRing(), Numbers());
}

TEST_F(AllocationServiceTest, RefusesARequestThatHasWaitedInVainAndSaysWhatHelps)
{
  this->Server.WriteFile("writer", "/a1.h5");
  const std::uint64_t waiting = this->SendBegin("writer", "/a2.h5");
  this->Server.Wait(Seconds(4.9));
  EXPECT_FALSE(this->Server.IsAnswered(waiting));
  this->Server.Wait(Seconds(0.1));
  EXPECT_TRUE(this->Server.IsRefused(waiting, Fault::RingFull, "the DSM server's ring is full"));
  EXPECT_TRUE(this->Server.IsRefused(waiting, Fault::RingFull, "; waited 5 s for room. "));
  EXPECT_TRUE(this->Server.IsRefused(waiting, Fault::RingFull, "A viewer must read snapshots"));
  EXPECT_NE(this->Server.Status().LastError.find("waited 5 s for room"), std::string::npos);
  this->Server.Read("viewer", 1);
  EXPECT_TRUE(this->Server.IsRefused(waiting, Fault::RingFull, "")) << "it is answered once";
}

TEST_F(AllocationServiceTest, AdvisesAFasterDiskIfSnapshotsWaitForIt)
{
  ServerOptions options = Options();
  options.AlsoOnDisk = "all";
  SimulatedServer server(options);
  server.Connect("writer", "writer");
  server.WriteFile("writer", "/a1.h5");
  server.Wait(Seconds(1)); // it is announced, and so waits for the disk
  BeginImage begin;
  begin.File = "/a2.h5";
  const std::uint64_t waiting = server.Send("writer", begin);
  server.Wait(Seconds(5));
  EXPECT_TRUE(server.IsRefused(waiting, Fault::RingFull,
    "1 of them wait to be written to disk: memory for more files would help, or a faster disk"));
}

TEST_F(AllocationServiceTest, ServesWaitingRequestsInTheOrderInWhichTheyCame)
{
  this->Server.Connect("other", "writer");
  this->Server.WriteFile("writer", "/a1.h5");
  const std::uint64_t first = this->SendBegin("writer", "/a2.h5");
  const std::uint64_t second = this->SendBegin("other", "/b1.h5");
  this->Server.Read("viewer", 1);
  EXPECT_TRUE(this->Server.IsAnswered(first));
  EXPECT_TRUE(this->Server.IsAnswered(second)) << "images do not count";
}

// A request that would fit must not pass one that waits longer.
TEST_F(AllocationServiceTest, TriesANewRequestBehindThoseThatWait)
{
  std::vector<std::string> tried;
  bool hasRoom = false;
  std::vector<std::string> served;
  const auto attempt = [&](const char* name)
  {
    return [&, name]
    {
      tried.emplace_back(name);
      if (hasRoom)
      {
        served.emplace_back(name);
      }
      return hasRoom;
    };
  };
  const auto refuse = [](const std::exception&) { ADD_FAILURE() << "it may wait"; };
  auto& service = this->Server.Core.Allocations;
  auto& router = this->Server.Core.Router;
  router.Do([&] { service.TryOrWait("writer", attempt("first"), refuse); });
  router.Do([&] { service.TryOrWait("viewer", attempt("second"), refuse); });
  EXPECT_EQ(tried, (dsm::testing::Texts{ "first", "first", "first", "second" }));
  hasRoom = true;
  router.Do([&] { service.Retry(); });
  EXPECT_EQ(served, (dsm::testing::Texts{ "first", "second" }));
  router.Do([&] { service.Retry(); });
  EXPECT_EQ(served.size(), 2u);
}

TEST_F(AllocationServiceTest, PausesTheQueueWhileAHostIsLostAndKeepsItsOrder)
{
  this->Server.Connect("other", "writer");
  this->Server.WriteFile("writer", "/a1.h5");
  const std::uint64_t first = this->SendBegin("writer", "/a2.h5");
  const std::uint64_t second = this->SendBegin("other", "/b1.h5");
  this->Server.Leave(SimulatedServer::HostPeer(1), true);
  this->Server.Read("viewer", 1);
  EXPECT_FALSE(this->Server.IsAnswered(first)) << "there is room, but a host is away";
  this->Server.Heard.Take();
  this->Server.ConnectHost(1, "host 1 again");
  EXPECT_TRUE(this->Server.IsAnswered(first));
  EXPECT_TRUE(this->Server.IsAnswered(second));
  EXPECT_EQ(this->Server.Heard.Take(),
    (dsm::testing::Texts{ "begun /a2.h5", "begun /b1.h5", "evicted 1" }));
}

TEST_F(AllocationServiceTest, RefusesAsLostIfTheHostDoesNotComeBack)
{
  this->Server.WriteFile("writer", "/a1.h5");
  const std::uint64_t waiting = this->SendBegin("writer", "/a2.h5");
  this->Server.Leave(SimulatedServer::HostPeer(1), true);
  this->Server.Wait(Seconds(5));
  EXPECT_TRUE(this->Server.IsRefused(waiting, Fault::PeerLost, "DSM host 1 stopped responding"));
  EXPECT_TRUE(this->Server.IsRefused(waiting, Fault::PeerLost, "; waited 5 s for it to be back"));
}

TEST_F(AllocationServiceTest, ForgetsTheRequestsOfAPeerThatLeaves)
{
  this->Server.WriteFile("writer", "/a1.h5");
  const std::uint64_t waiting = this->SendBegin("writer", "/a2.h5");
  this->Server.Leave("writer", true);
  this->Server.Read("viewer", 1);
  this->Server.Wait(Seconds(10));
  EXPECT_FALSE(this->Server.IsAnswered(waiting));
  EXPECT_TRUE(this->Server.Core.Images.OpenImages().empty());
}

TEST_F(AllocationServiceTest, WaitsNoLongerThanThePeerWasTold)
{
  this->Server.WriteFile("writer", "/a1.h5");
  ServerOptions longer = this->Server.Core.State.Options;
  longer.FullRingLimit = Seconds(60);
  this->Server.Core.Router.Do(
    [&] { this->Server.Core.Settings.Adjust(longer, this->Server.Core.State.Description); });
  this->Server.Connect("newer", "writer");
  const std::uint64_t told5 = this->SendBegin("writer", "/a2.h5");
  const std::uint64_t told60 = this->SendBegin("newer", "/b1.h5");
  this->Server.Wait(Seconds(5));
  EXPECT_TRUE(this->Server.IsRefused(told5, Fault::RingFull, "waited 5 s"));
  EXPECT_FALSE(this->Server.IsAnswered(told60));
  this->Server.Wait(Seconds(55));
  EXPECT_TRUE(this->Server.IsRefused(told60, Fault::RingFull, "waited 60 s"));
}

TEST_F(AllocationServiceTest, ClosedServerForgetsWaitingRequests)
{
  this->Server.WriteFile("writer", "/a1.h5");
  const std::uint64_t waiting = this->SendBegin("writer", "/a2.h5");
  this->Server.Core.Router.Do([&] { this->Server.Core.Close(); });
  this->Server.Core.Router.Do(
    [&]
    {
      this->Server.Core.Allocations.Retry();
      EXPECT_EQ(this->Server.Core.Allocations.Waiting(), Seconds(0));
    });
  EXPECT_FALSE(this->Server.IsAnswered(waiting));
}

}
