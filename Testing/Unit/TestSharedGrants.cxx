// SPDX-License-Identifier: BSD-3-Clause
// Ranks that want more room, and the coordinator's end of that: only memory is between them.
#include "Base/Clock.h"
#include "Base/NodeIdentity.h"
#include "Memory/DatedBytes.h"
#include "Memory/Segment.h"
#include "Peer/SharedGrants.h"
#include "Server/GrantWatch.h"
#include "Server/SlotBoard.h"
#include "Transport/SharedMemory/SharedMemory.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace
{

using namespace dsm;
using Answer = SharedGrants::Answer;

constexpr std::uint64_t SlotSize = 1 << 20;
constexpr std::uint64_t Slots = 4;
constexpr SlotIndex Slot = 2;
constexpr std::uint64_t Generation = 70000; // more than the bits that are kept of it
const Seconds Limit(60);

class Grants : public testing::Test
{
protected:
  Grants()
    : Memory(Segment::Create(this->Layout.Size()))
  {
    this->Server.SlotSize = SlotSize;
    this->Server.SlotCount = Slots;
    const std::string& name = this->Memory.Name();
    this->Server.Hosts.push_back({ NodeIdentity(), "here", NetworkIdentity(),
      { { "shared-memory", { name.begin(), name.end() } } } });
    this->Board.RaiseGeneration(Slot, Generation);
  }

  SharedGrants Rank() const
  {
    return { std::make_shared<SharedMemory>(this->Server, std::vector<HostIndex>{ 0 }),
      this->Server, Slot, Generation };
  }
  std::uint64_t Wanted() const { return this->Board.Wanted(Slot, Generation); }
  // Waits until ranks want so much.
  void Expect(std::uint64_t bytes) const
  {
    const Deadline deadline(Limit);
    while (this->Wanted() != bytes && !deadline.Expired())
    {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ASSERT_EQ(this->Wanted(), bytes);
  }
  void Grant(std::uint64_t bytes) const { this->Board.TellGrant(Slot, bytes, {}); }
  void Refuse(std::uint64_t bytes, const Error& why) const
  {
    this->Board.TellRefusal(Slot, Generation, bytes, why, "/sim/x.h5");
  }
  static bool IsThere() { return false; }

  const SegmentLayout Layout{ SlotSize, Slots };
  Segment Memory;
  mutable SlotBoard Board{ this->Memory, this->Layout };
  ServerDescription Server;
};

TEST(DatedBytes, AreOfOneGenerationAndWholePages)
{
  const auto number = DatedBytes::Encode(Generation, 4097);
  EXPECT_EQ(DatedBytes::Decode(number, Generation), 8192u);
  EXPECT_EQ(DatedBytes::Decode(number, Generation + 1), 0u);
  EXPECT_EQ(DatedBytes::Decode(0, 5), 0u);
  const std::uint64_t large = UINT64_C(1) << 59;
  EXPECT_EQ(DatedBytes::Decode(DatedBytes::Encode(3, large), 3), large);
}

TEST_F(Grants, AreSeenByAllWhoWait)
{
  std::vector<std::thread> ranks;
  std::atomic<int> granted = 0;
  for (std::uint64_t rank = 1; rank <= 8; ++rank)
  {
    ranks.emplace_back([&, rank]
      { granted += this->Rank().Ask(rank * 4096, Limit, Limit, IsThere) == Answer::Granted; });
  }
  // The most that any wants is asked for, once.
  this->Expect(UINT64_C(8) * 4096);
  this->Grant(UINT64_C(8) * 4096);
  for (auto& rank : ranks)
  {
    rank.join();
  }
  EXPECT_EQ(granted, 8);
}

TEST_F(Grants, AreRefusedInTheCoordinatorsWords)
{
  Answer answer = Answer::Silent;
  const SharedGrants much = this->Rank();
  std::thread rank([&] { answer = much.Ask(1 << 19, Limit, Limit, IsThere); });
  this->Expect(1 << 19);
  this->Refuse(1 << 19, Error(Fault::RingFull, "no room; waited 2 s for it"));
  rank.join();
  EXPECT_EQ(answer, Answer::Refused);
  EXPECT_EQ(much.Reason().GetFault(), Fault::RingFull);
  EXPECT_STREQ(much.Reason().what(), "no room; waited 2 s for it");
  // Who wants less asks for itself.
  std::thread other([&] { answer = this->Rank().Ask(1 << 18, Limit, Limit, IsThere); });
  this->Expect(1 << 18);
  this->Grant(1 << 18);
  other.join();
  EXPECT_EQ(answer, Answer::Granted);
  // Who wants as much need not wait.
  EXPECT_EQ(this->Rank().Ask(1 << 19, Limit, Limit, IsThere), Answer::Refused);
  // Of the least that was refused the ranks know, and in a later generation of nothing.
  this->Refuse(1 << 20, Error(Fault::RingFull, "still no room"));
  EXPECT_EQ(this->Rank().Ask(1 << 19, Limit, Limit, IsThere), Answer::Refused);
  EXPECT_EQ(this->Board.Wanted(Slot, Generation + 1), 0U);
}

TEST_F(Grants, SayWhatIsOnDisk)
{
  DiskShare disk;
  disk.From = 1 << 16;
  disk.Offset = 1 << 18;
  this->Board.TellGrant(Slot, 1 << 17, disk);
  const SharedGrants rank = this->Rank();
  EXPECT_EQ(rank.Granted(), std::uint64_t{ 1 << 17 });
  EXPECT_EQ(rank.OnDisk(1 << 20).From, disk.From);
  EXPECT_EQ(rank.OnDisk(1 << 20).Offset, disk.Offset);
}

// The highest counts, whoever says it; and somebody is told.
TEST_F(Grants, AreToldHowFarTheImageHasCome)
{
  const auto reached = [&] { return this->Board.Reached(Slot, Generation); };
  EXPECT_EQ(reached(), 0u);
  this->Rank().NoteReached(40960);
  EXPECT_EQ(reached(), 40960u);
  const auto rung = this->Board.Bell().Count();
  EXPECT_GT(rung, 0u);
  this->Rank().NoteReached(8192);
  EXPECT_EQ(reached(), 40960u);
  EXPECT_EQ(this->Board.Bell().Count(), rung);
  EXPECT_EQ(this->Wanted(), 0u);
  EXPECT_EQ(SharedGrants::NextNote(0), UINT64_C(32) << 20);
  EXPECT_EQ(SharedGrants::NextNote(UINT64_C(40) << 20), UINT64_C(48) << 20);
}

TEST_F(Grants, OfAnImageThatLostItsSlotAreNone)
{
  Answer answer = Answer::Silent;
  std::thread rank([&] { answer = this->Rank().Ask(8192, Limit, Limit, IsThere); });
  this->Expect(8192);
  this->Board.RaiseGeneration(Slot, Generation + 1);
  this->Board.RingAnswers();
  rank.join();
  EXPECT_EQ(answer, Answer::Lost);
}

TEST_F(Grants, AreNotWaitedForWhereNobodyLooks)
{
  // No sign of life for that long.
  EXPECT_EQ(this->Rank().Ask(8192, Limit, Seconds(0.1), IsThere), Answer::Silent);
  // Its process has ended.
  EXPECT_EQ(this->Rank().Ask(8192, Limit, Limit, [] { return true; }), Answer::Silent);
  // With signs of life, the limit counts.
  std::atomic<bool> over = false;
  std::thread coordinator(
    [&]
    {
      while (!over)
      {
        this->Board.Beat();
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      }
    });
  // Again where the machine was busy and the coordinator gave no sign of life for so long.
  Seconds waited(0);
  for (int attempt = 0; attempt < 10 && waited < Seconds(0.5); ++attempt)
  {
    const auto begin = Clock::now();
    EXPECT_EQ(this->Rank().Ask(8192, Seconds(0.5), Seconds(0.2), IsThere), Answer::Silent);
    waited = Clock::now() - begin;
  }
  EXPECT_GE(waited, Seconds(0.5));
  over = true;
  coordinator.join();
}

TEST_F(Grants, AreLookedForWhenTheBellRings)
{
  std::atomic<int> looks = 0;
  const auto reached = [&](int number)
  {
    const Deadline deadline(Limit);
    while (looks < number && !deadline.Expired())
    {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return looks >= number;
  };
  {
    std::atomic<bool> again = false;
    const GrantWatch watch(this->Board.Bell(),
      [&]
      {
        ++looks;
        return again.load();
      });
    ASSERT_TRUE(reached(1));
    const int before = looks;
    this->Board.Bell().Ring();
    EXPECT_TRUE(reached(before + 1));
    again = true;
    watch.Wake();
    EXPECT_TRUE(reached(before + 20)); // by itself
    // For a while after that was the last time: then it waits to be woken, and is.
    again = false;
    const Deadline quiet(Limit);
    int then = -1;
    while (then != looks && !quiet.Expired())
    {
      then = looks;
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
    ASSERT_FALSE(quiet.Expired());
    const auto woken = Clock::now();
    watch.Wake();
    EXPECT_TRUE(reached(then + 1));
    EXPECT_LT(Clock::now() - woken, Seconds(0.8)); // in a second it looks anyway
  }
  const int after = looks;
  this->Board.Bell().Ring();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(looks, after);
}

}
