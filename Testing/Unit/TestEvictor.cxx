// SPDX-License-Identifier: BSD-3-Clause
#include "ImageFixture.h"

namespace
{

using namespace dsm;

class EvictorTest : public ImageFixture
{
};

TEST_F(EvictorTest, CandidatesFollowFromThePolicy)
{
  this->Fill(); // 1 is unread
  this->Read(2);
  this->State.Snapshots.Retain(3);
  this->AddSnapshot("b1.h5", 1);
  struct Case
  {
    FullRing WhenFull;
    const char* Candidates;
  };
  for (const Case& one : { Case{ FullRing::DropOldest, "1 2 4" }, Case{ FullRing::Block, "2" },
         Case{ FullRing::DropNewest, "2 4 1" } })
  {
    this->SetPolicy(one.WhenFull);
    EXPECT_EQ(Text(this->Evictions.Candidates()), one.Candidates) << FullRingName(one.WhenFull);
  }
}

TEST_F(EvictorTest, MakeRoomEvictsNoMoreThanNeeded)
{
  struct Case
  {
    std::uint64_t Need; ///< MiB
    bool Done;
    const char* Left;
  };
  for (const Case& one :
    { Case{ 10, true, "1 2 3" }, Case{ 11, true, "2 3" }, Case{ 40, true, "2 3" },
      Case{ 41, true, "3" }, Case{ 100, true, "" }, Case{ 101, false, "1 2 3" } })
  {
    this->Restart(Ring({ 1, 100 * MiB, 16 }));
    this->Fill();
    const AddressMap map = this->Map();
    const auto enough = [&](const Ring& memory, std::uint64_t)
    { return memory.Room(map) >= one.Need * MiB; };
    EXPECT_EQ(this->Evictions.MakeRoom(enough), one.Done) << one.Need;
    EXPECT_EQ(this->InRing(), one.Left) << one.Need;
  }
}

TEST_F(EvictorTest, MakeRoomEvictsForTheNumberOfSnapshots)
{
  this->Fill();
  const auto atMost = [](std::uint64_t number)
  { return [number](const Ring&, std::uint64_t snapshots) { return snapshots <= number; }; };
  EXPECT_TRUE(this->Evictions.MakeRoom(atMost(2)));
  EXPECT_EQ(this->InRing(), "2 3");
  this->State.Snapshots.Retain(2);
  EXPECT_FALSE(this->Evictions.MakeRoom(atMost(0)));
  EXPECT_EQ(this->InRing(), "2 3") << "none is evicted in vain";
}

TEST_F(EvictorTest, EvictAheadLeavesTheNewest)
{
  this->Fill();
  this->Read(2);
  EXPECT_TRUE(this->Evictions.EvictAhead());
  EXPECT_EQ(this->InRing(), "1 3") << "what was read leaves first";
  EXPECT_TRUE(this->Evictions.EvictAhead());
  EXPECT_FALSE(this->Evictions.EvictAhead());
  EXPECT_EQ(this->InRing(), "3");
}

TEST_F(EvictorTest, EvictAheadLeavesUnreadSnapshotsThatThePolicyKeeps)
{
  for (const FullRing policy : { FullRing::Block, FullRing::DropNewest })
  {
    this->Restart(Ring({ 1, 100 * MiB, 16 }));
    this->SetPolicy(policy);
    this->Fill();
    EXPECT_FALSE(this->Evictions.EvictAhead());
    this->Read(2);
    EXPECT_TRUE(this->Evictions.EvictAhead());
    EXPECT_FALSE(this->Evictions.EvictAhead());
    EXPECT_EQ(this->InRing(), "1 3");
  }
}

TEST_F(EvictorTest, SparedSnapshotsAreEvictedLast)
{
  this->Fill();
  this->AddSnapshot("b1.h5", 1);
  this->State.Snapshots.Spare(1);
  this->State.Snapshots.Spare(2);
  this->State.Snapshots.Spare(2);
  EXPECT_EQ(Text(this->Evictions.Candidates()), "3 4 1 2");
  this->State.Snapshots.EndSpare(2);
  EXPECT_EQ(Text(this->Evictions.Candidates()), "3 4 1 2") << "two viewers show it";
  this->State.Snapshots.EndSpare(2);
  EXPECT_EQ(Text(this->Evictions.Candidates()), "2 3 4 1");
  EXPECT_TRUE(
    this->Evictions.MakeRoom([](const Ring&, std::uint64_t snapshots) { return snapshots == 0; }));
  EXPECT_EQ(this->InRing(), "") << "a simulation does not wait for viewers";
}

TEST_F(EvictorTest, NoSnapshotIsSparedIfWritersHaveTooFewOthers)
{
  this->Fill();
  this->State.Snapshots.Spare(1);
  EXPECT_EQ(Text(this->Evictions.Candidates()), "2 3 1");
  this->State.Snapshots.Retain(3); // is another all the same
  EXPECT_EQ(Text(this->Evictions.Candidates()), "2 1");
  this->Evictions.Evict(2);
  EXPECT_FALSE(this->State.Snapshots.IsSpared(1));
}

TEST_F(EvictorTest, EvictAheadLeavesSparedSnapshots)
{
  this->Fill();
  this->Read(1);
  this->State.Snapshots.Spare(1);
  EXPECT_TRUE(this->Evictions.EvictAhead());
  EXPECT_EQ(this->InRing(), "1 3") << "before one that was read and is spared";
  this->Restart(Ring({ 1, 100 * MiB, 16 }));
  this->SetPolicy(FullRing::Block);
  this->Fill();
  this->Read(1);
  this->State.Snapshots.Spare(1);
  EXPECT_FALSE(this->Evictions.EvictAhead());
  EXPECT_EQ(this->InRing(), "1 2 3");
}

TEST_F(EvictorTest, EvictSurplusKeepsOpenSnapshotsAndTheNewest)
{
  this->SetPolicy(FullRing::DropOldest, 2);
  this->Fill();
  this->AddSnapshot("b1.h5", 1);
  this->State.Snapshots.Retain(1);
  this->Evictions.EvictSurplus();
  EXPECT_EQ(this->InRing(), "1 4");
  this->State.Snapshots.Retain(4);
  this->AddSnapshot("b2.h5", 1);
  this->Evictions.EvictSurplus();
  EXPECT_EQ(this->InRing(), "1 4 5");
}

TEST_F(EvictorTest, EvictSurplusEvictsGroupsAsAWhole)
{
  this->SetPolicy(FullRing::DropOldest, 1);
  this->Fill();
  this->State.Snapshots.Gather({ 1, 2 }, "a");
  this->Evictions.EvictSurplus();
  EXPECT_EQ(this->InRing(), "3");
}

TEST_F(EvictorTest, DropsNewDependsOnWhatIsLeftForTheNext)
{
  struct Case
  {
    FullRing WhenFull;
    std::uint64_t MaximumSnapshots;
    std::uint64_t Size; ///< MiB
    bool FirstWasRead;
    bool Dropped;
  };
  for (const Case& one : {
         Case{ FullRing::DropOldest, 1, 100, false, false },
         Case{ FullRing::Block, 1, 100, false, false },
         Case{ FullRing::DropNewest, 64, 10, false, false },
         Case{ FullRing::DropNewest, 64, 11, false, true },
         Case{ FullRing::DropNewest, 64, 40, true, false },
         Case{ FullRing::DropNewest, 64, 41, true, true },
         Case{ FullRing::DropNewest, 5, 1, false, false },
         Case{ FullRing::DropNewest, 4, 1, false, true },
         Case{ FullRing::DropNewest, 4, 1, true, false },
       })
  {
    this->Restart(Ring({ 1, 100 * MiB, 16 }));
    this->SetPolicy(one.WhenFull, one.MaximumSnapshots);
    this->Fill();
    if (one.FirstWasRead)
    {
      this->Read(1);
    }
    EXPECT_EQ(this->Evictions.DropsNew(this->Map(), one.Size * MiB), one.Dropped)
      << FullRingName(one.WhenFull) << " " << one.MaximumSnapshots << " " << one.Size;
  }
}

TEST_F(EvictorTest, DropsNewKeepsTheFirstSnapshot)
{
  this->SetPolicy(FullRing::DropNewest, 1);
  EXPECT_FALSE(this->Evictions.DropsNew(this->Map(), 100 * MiB));
}

TEST_F(EvictorTest, EvictReturnsMemoryAndCountsUnreadSnapshots)
{
  this->Fill();
  this->Read(1);
  this->State.Pending[2].Orders = 1;
  this->Evictions.Evict(1);
  this->Evictions.Evict(2);
  EXPECT_EQ(this->Used(), 30u);
  EXPECT_EQ(this->State.Counters.SnapshotsDropped, 1u);
  EXPECT_TRUE(this->State.Pending.empty());
  ASSERT_EQ(this->Evictions.TakeEvicted().size(), 2u);
  EXPECT_TRUE(this->Evictions.TakeEvicted().empty());
}

TEST_F(EvictorTest, MemoryWithoutSnapshotsIsACopy)
{
  this->Fill();
  EXPECT_EQ(this->Evictions.MemoryWithout({ 1, 3 }).UsedByAll(), 30 * MiB);
  EXPECT_EQ(this->Used(), 90u);
  // The image keeps the bytes that its flush shares.
  const SnapshotId flush = this->AddFlush(this->AddImage("b.h5", 10), 10);
  EXPECT_EQ(this->Evictions.MemoryWithout({ flush }).UsedByAll(), 100 * MiB);
}

}
