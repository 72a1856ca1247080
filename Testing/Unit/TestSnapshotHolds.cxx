// SPDX-License-Identifier: BSD-3-Clause
// What a server is told of snapshots that a process reads without having asked for them.
#include "ControlFixture.h"

#include "Peer/SnapshotHolds.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <vector>

namespace
{

using namespace dsm;
using namespace dsm::testing;

// A server that knows who holds what.
class Holds : public ::testing::Test
{
protected:
  struct Seen
  {
    int Messages = 0;
    std::map<std::uint64_t, SnapshotHold> Held; // by their leases
    std::multiset<SnapshotId> Read;
  };

  void SetUp() override
  {
    this->Server = std::make_unique<TestServer>(
      this->Address,
      [this](Listener& server, const RequestId& request, const Envelope& message)
      {
        if (Is<EchoRequest>(message))
        {
          server.Reply(request, EchoReply{ Content<EchoRequest>(message).Say });
        }
        else
        {
          this->Record.Change([&](Seen& seen) { Take(seen, Content<HoldSnapshots>(message)); });
        }
      },
      [](const PeerId&, bool) {}, [] {});
    this->Link = std::make_unique<Channel>(this->Address, "run.dsm");
  }

  static void Take(Seen& seen, const HoldSnapshots& told)
  {
    ++seen.Messages;
    for (const SnapshotHold& hold : told.Begun)
    {
      EXPECT_GE(hold.Lease, HoldSnapshots::FirstLease);
      EXPECT_TRUE(seen.Held.emplace(hold.Lease, hold).second);
    }
    for (const std::uint64_t lease : told.Ended)
    {
      const auto held = seen.Held.find(lease);
      ASSERT_NE(held, seen.Held.end());
      if (!held->second.Peek)
      {
        seen.Read.insert(held->second.Number);
      }
      seen.Held.erase(held);
    }
    seen.Read.insert(told.Read.begin(), told.Read.end());
  }

  // What a request's reply follows has been taken.
  Seen Settled()
  {
    this->Link->Request(EchoRequest{ "settled" }, Deadline(Seconds(30)));
    return this->Record.Get();
  }

  const ShortPeerTimeout Longer{ "300" }; // or the next heartbeat could tell of one
  Contact Address = ContactOfThisProcess();
  Watched<Seen> Record;
  std::unique_ptr<TestServer> Server;
  std::unique_ptr<Channel> Link;
  std::shared_ptr<SnapshotHolds> Told = std::make_shared<SnapshotHolds>();
};

TEST_F(Holds, OneIsKeptUntilItsEnd)
{
  const std::uint64_t lease = this->Told->Begin(*this->Link, 7, false);
  Seen seen = this->Settled();
  ASSERT_EQ(seen.Held.size(), 1u);
  EXPECT_EQ(seen.Held.begin()->first, lease);
  EXPECT_EQ(seen.Held.begin()->second.Number, 7u);
  EXPECT_TRUE(seen.Read.empty());
  this->Told->End(*this->Link, lease);
  seen = this->Settled();
  EXPECT_TRUE(seen.Held.empty());
  EXPECT_EQ(seen.Read, std::multiset<SnapshotId>{ 7 });
}

TEST_F(Holds, TheServerHearsOfOneByItself)
{
  this->Settled();
  this->Told->Begin(*this->Link, 7, false);
  EXPECT_TRUE(this->Record.WaitFor([](const Seen& seen) { return seen.Held.size() == 1; }));
}

TEST_F(Holds, APeekIsNotRead)
{
  this->Told->End(*this->Link, this->Told->Begin(*this->Link, 7, true));
  const std::uint64_t lease = this->Told->Begin(*this->Link, 8, true);
  this->Settled();
  this->Told->End(*this->Link, lease);
  const Seen seen = this->Settled();
  EXPECT_TRUE(seen.Held.empty());
  EXPECT_TRUE(seen.Read.empty());
}

// Whether they were told of together or one by one.
TEST_F(Holds, ManyTakeFewMessages)
{
  constexpr std::uint64_t Files = 2000;
  std::vector<std::uint64_t> open;
  for (SnapshotId number = 1; number <= Files; ++number)
  {
    const std::uint64_t lease = this->Told->Begin(*this->Link, number, false);
    if (number % 100 == 0)
    {
      open.push_back(lease);
    }
    else
    {
      this->Told->End(*this->Link, lease);
    }
  }
  Seen seen = this->Settled();
  EXPECT_EQ(seen.Held.size(), open.size());
  EXPECT_EQ(std::set(seen.Read.begin(), seen.Read.end()).size(), Files - open.size());
  EXPECT_LT(seen.Messages, static_cast<int>(Files / 4));
  for (const std::uint64_t lease : open)
  {
    this->Told->End(*this->Link, lease);
  }
  seen = this->Settled();
  EXPECT_TRUE(seen.Held.empty());
  EXPECT_EQ(std::set(seen.Read.begin(), seen.Read.end()).size(), Files);
}

}
