// SPDX-License-Identifier: BSD-3-Clause
#include "ImageFixture.h"

namespace
{

using namespace dsm;

class GrantSizesTest : public ImageFixture
{
protected:
  static constexpr std::uint64_t KiB = UINT64_C(1) << 10;

  /// Leaves a free slot with so many MiB of pages.
  void LeaveReady(std::uint64_t size)
  {
    this->Evictions.Evict(this->AddSnapshot("earlier.h5", size));
  }
};

TEST_F(GrantSizesTest, AFileOfUnknownSizeGetsAShareOfAllMemoryWithinLimits)
{
  struct Case
  {
    std::uint64_t Lent; ///< MiB of each host
    std::uint64_t Hosts;
    std::uint64_t Grant;
  };
  for (const Case& one : { Case{ 100, 1, 64 * KiB }, Case{ 4096, 1, MiB }, Case{ 4096, 2, 2 * MiB },
         Case{ 1024 * 1024, 1, 4 * MiB } })
  {
    this->Restart(Ring({ one.Hosts, one.Lent * MiB, 16 }));
    EXPECT_EQ(this->Sizes.First(this->Map()), one.Grant) << one.Lent << " on " << one.Hosts;
  }
}

TEST_F(GrantSizesTest, TheExpectedSizeIsThatOfTheStreamsLastFile)
{
  EXPECT_EQ(this->Sizes.Expected("a1.h5"), 0u);
  this->State.Policy.ExpectedFileSize = 7 * MiB;
  EXPECT_EQ(this->Sizes.Expected("a1.h5"), 7 * MiB);
  this->State.Streams.Enter("a1.h5", 16 * MiB);
  EXPECT_EQ(this->Sizes.Expected("a2.h5"), 16 * MiB);
  EXPECT_EQ(this->Sizes.Expected("b1.h5"), 7 * MiB);
}

TEST_F(GrantSizesTest, ANewImageGetsWhatItLikelyNeeds)
{
  struct Case
  {
    std::uint64_t Expected; ///< MiB
    std::uint64_t Ready;    ///< MiB, in a free slot
    std::uint64_t Used;     ///< MiB, by a snapshot
    std::uint64_t Grant;
    const char* Why;
  };
  for (const Case& one : {
         Case{ 0, 0, 0, 64 * KiB, "nothing is known" },
         Case{ 0, 20, 0, 20 * MiB, "unknown sizes take all that is ready" },
         Case{ 0, 30, 0, 25 * MiB, "but no more than a quarter of what is lent" },
         Case{ 32, 0, 0, 33 * MiB, "a margin" },
         Case{ 32, 40, 0, 40 * MiB, "all that is ready, if that is not much more" },
         Case{ 16, 40, 0, 16 * MiB + 512 * KiB, "it would have to be released" },
         Case{ 32, 0, 68, 32 * MiB, "no more than there is room" },
       })
  {
    this->Restart(Ring({ 1, 100 * MiB, 16 }));
    if (one.Ready > 0)
    {
      this->LeaveReady(one.Ready);
    }
    if (one.Used > 0)
    {
      this->AddSnapshot("other.h5", one.Used);
    }
    EXPECT_EQ(this->Sizes.ForNew(this->Map(), one.Expected * MiB), one.Grant) << one.Why;
  }
}

TEST_F(GrantSizesTest, ImagesOfUnknownSizeGetNoMoreThanHalfTogether)
{
  this->AddImage("b.h5", 31);
  this->LeaveReady(20);
  EXPECT_EQ(this->Sizes.ForNew(this->Map(), 0), 64 * KiB);
  this->State.Images.At(1).Foreseen = true;
  EXPECT_EQ(this->Sizes.ForNew(this->Map(), 0), 20 * MiB);
}

TEST_F(GrantSizesTest, AReopenedImageGetsItsLastGrowth)
{
  const SlotIndex slot = this->State.Snapshots.Find(this->AddSnapshot("a.h5", 40))->Slot;
  const auto grant = [&] { return this->Sizes.ForReopened("a.h5", this->Map(), slot, 40 * MiB); };
  EXPECT_EQ(grant(), 40 * MiB + 64 * KiB) << "nothing is known";
  this->State.Streams.Enter("a.h5", 40 * MiB);
  this->State.Streams.EnterFurther("a.h5", 32 * MiB, 8 * MiB);
  EXPECT_EQ(grant(), 48 * MiB + 256 * KiB);
  this->AddSnapshot("b.h5", 55);
  EXPECT_EQ(grant(), 45 * MiB) << "no more than there is room";
}

TEST_F(GrantSizesTest, APinnedSlotIsGrantedAsAWhole)
{
  this->Restart(Ring::Pinned(1, 50 * MiB, 4));
  EXPECT_EQ(this->Sizes.ForNew(this->Map(), 0), 50 * MiB);
  EXPECT_EQ(this->Sizes.ForNew(this->Map(), 10 * MiB), 50 * MiB);
  const SlotIndex slot = this->State.Snapshots.Find(this->AddSnapshot("a.h5", 40))->Slot;
  EXPECT_EQ(this->Sizes.ForReopened("a.h5", this->Map(), slot, 40 * MiB), 50 * MiB);
}

TEST_F(GrantSizesTest, WhatIsMadeReadyIsAShareOfWhatAHostLends)
{
  EXPECT_EQ(this->Sizes.FirstReady(), 100 * MiB / 16);
  EXPECT_EQ(this->Sizes.LargeFirstReady(), 25 * MiB);
  this->Restart(Ring({ 1, 4096 * MiB, 16 }));
  EXPECT_EQ(this->Sizes.FirstReady(), 160 * MiB);
}

}
