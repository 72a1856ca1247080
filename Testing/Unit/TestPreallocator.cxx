// SPDX-License-Identifier: BSD-3-Clause
#include "ImageFixture.h"

#include "Server/Core/Preallocator.h"

#include <algorithm>

namespace
{

using namespace dsm;

class PreallocatorTest : public ImageFixture
{
protected:
  /// Makes all memory ready that the next files of a stream are to have. Returns the largest piece.
  std::uint64_t WarmAll(const std::string& fileName, bool untilHalf)
  {
    std::uint64_t largest = 0;
    for (auto pages = this->Ahead.Warm(fileName, untilHalf); !pages.empty();
      pages = this->Ahead.Warm(fileName, untilHalf))
    {
      for (const auto& range : pages)
      {
        largest = std::max(largest, range.End[0] - (range.Begin.empty() ? 0 : range.Begin[0]));
      }
      this->Ahead.NoteWarm(pages);
    }
    return largest;
  }

  Preallocator Ahead{ this->State, this->Evictions, this->Maps, this->Sizes };
};

TEST_F(PreallocatorTest, ASlotIsPreparedForTheNextFile)
{
  struct Case
  {
    FullRing WhenFull;
    std::uint64_t Expected; ///< MiB
    const char* Left;       ///< of three snapshots of 30 MiB
    bool Prepared;
  };
  for (const Case& one : {
         Case{ FullRing::DropOldest, 10, "1 2 3", true },
         Case{ FullRing::DropOldest, 30, "2 3", true },
         Case{ FullRing::DropOldest, 70, "3", true },
         Case{ FullRing::DropOldest, 71, "3", false },
         Case{ FullRing::DropOldest, 101, "1 2 3", false },
         Case{ FullRing::Block, 10, "1 2 3", true },
         Case{ FullRing::Block, 30, "1 2 3", false },
       })
  {
    this->Restart(Ring({ 1, 100 * MiB, 16 }));
    this->SetPolicy(one.WhenFull);
    this->Fill();
    this->State.Streams.Enter("b1.h5", one.Expected * MiB);
    EXPECT_EQ(this->Ahead.PrepareNext("b2.h5").has_value(), one.Prepared) << one.Expected;
    EXPECT_EQ(this->InRing(), one.Left) << one.Expected;
  }
}

TEST_F(PreallocatorTest, OldBytesAreClearedUnlessWritersDoThat)
{
  for (const bool clears : { false, true })
  {
    this->Restart(Ring({ 1, 100 * MiB, 16 }));
    this->Evictions.Evict(this->AddSnapshot("a1.h5", 8));
    this->State.Streams.Enter("a1.h5", 8 * MiB);
    this->Ahead.NoteBegin({ .Clears = clears });
    const auto work = this->Ahead.PrepareNext("a2.h5");
    ASSERT_TRUE(work);
    EXPECT_EQ(work->Plan.Zero.IsEmpty(), clears);
  }
}

TEST_F(PreallocatorTest, NothingIsMadeReadyAfterAFileThatIsAppended)
{
  this->State.Streams.Enter("a.h5", 20 * MiB);
  EXPECT_TRUE(this->Ahead.PrepareNext("a.h5"));
  EXPECT_FALSE(this->Ahead.Warm("a.h5", false).empty());
  this->State.Streams.EnterFurther("a.h5", 19 * MiB, MiB);
  EXPECT_FALSE(this->Ahead.PrepareNext("a.h5"));
  EXPECT_TRUE(this->Ahead.Warm("a.h5", false).empty());
}

TEST_F(PreallocatorTest, SlotsForTheNextFilesAreMadeReadyInPieces)
{
  struct Case
  {
    std::uint64_t Expected; ///< MiB
    bool UntilHalf;
    std::uint64_t Used; ///< MiB, by others
    std::uint64_t Made; ///< MiB
    const char* Why;
  };
  for (const Case& one : {
         Case{ 32, false, 0, 99, "three slots, each with a margin" },
         Case{ 32, true, 0, 74, "more than half of them, and a piece of the last" },
         Case{ 32, false, 60, 33, "nothing is taken from others" },
       })
  {
    this->Restart(Ring({ 1, 100 * MiB, 16 }));
    if (one.Used > 0)
    {
      this->AddSnapshot("b.h5", one.Used);
    }
    this->State.Streams.Enter("a1.h5", one.Expected * MiB);
    EXPECT_LE(this->WarmAll("a2.h5", one.UntilHalf), 10 * MiB) << "8 MiB, or a little more";
    EXPECT_EQ(this->State.Memory.Resident(0) / MiB, one.Used + one.Made) << one.Why;
    EXPECT_EQ(this->Used(), one.Used) << "it is still no file's memory";
  }
}

TEST_F(PreallocatorTest, AFileOfUnknownSizeFindsALargeSlotReady)
{
  this->WarmAll("", false);
  EXPECT_EQ(this->State.Memory.Ready(this->Map()), 25 * MiB);
}

TEST_F(PreallocatorTest, PagesAreSmallIfNoHostMakesAWholePiece)
{
  struct Case
  {
    std::vector<CleaningPlan::Range> Pages;
    bool Small;
  };
  for (const Case& one : {
         Case{ {}, true },
         Case{ { { 0, {}, { 8 * MiB - 1, MiB } } }, true },
         Case{ { { 0, {}, { MiB, 8 * MiB } } }, false },
         Case{ { { 0, {}, { MiB } }, { 1, {}, { 9 * MiB } } }, false },
       })
  {
    EXPECT_EQ(Preallocator::AreSmall(one.Pages), one.Small);
  }
}

TEST_F(PreallocatorTest, PagesThatCouldNotBeMadeAreReleased)
{
  const auto pages = this->Ahead.Warm("", false);
  ASSERT_FALSE(pages.empty());
  const SlotIndex slot = pages.front().Slot;
  const auto work = this->Ahead.Cool(slot);
  ASSERT_EQ(work.size(), 1u);
  EXPECT_EQ(work[0].Plan.Release.front().Slot, slot);
}

}
