// SPDX-License-Identifier: BSD-3-Clause
#include "ImageFixture.h"

#include "Base/Error.h"
#include "Server/Core/ImageAllocator.h"

namespace
{

using namespace dsm;

class ImageAllocatorTest : public ImageFixture
{
protected:
  ImageAllocator Allocator{ this->State, this->Evictions, this->Maps, this->Sizes };
};

TEST_F(ImageAllocatorTest, ANewImageIsEntered)
{
  const auto begun = this->Allocator.Begin(
    { .Owner = "ada", .FileName = "a.h5", .Key = 7, .Ranks = 4, .MayOutgrow = true });
  ASSERT_TRUE(begun);
  EXPECT_FALSE(begun->Source || begun->Moved);
  const OpenImage& image = this->State.Images.At(begun->Image);
  EXPECT_EQ(image.Slot, begun->BeforeWriting.Slot);
  EXPECT_EQ(image.Owner, "ada");
  EXPECT_EQ(image.FileName, "a.h5");
  EXPECT_EQ(image.Key, 7u);
  EXPECT_EQ(image.Grant, this->Sizes.First(image.Map));
  EXPECT_EQ(image.Reserved, 0u) << "the hosts have not reserved it yet";
  EXPECT_TRUE(image.MayOutgrow);
  EXPECT_FALSE(image.Foreseen || image.IsInPlace);
  EXPECT_EQ(image.Map.Capacity(), 86 * MiB);
}

TEST_F(ImageAllocatorTest, AnImageBeginsWaitsOrEvicts)
{
  struct Case
  {
    FullRing WhenFull;
    std::uint64_t MaximumSnapshots;
    std::uint64_t Expected; ///< MiB
    bool HasOthers;
    const char* Left; ///< none: the writer waits
  };
  for (const Case& one : {
         Case{ FullRing::DropOldest, 64, 0, false, "1 2 3" },
         Case{ FullRing::DropOldest, 64, 10, false, "1 2 3" },
         Case{ FullRing::DropOldest, 64, 11, false, "2 3" },
         Case{ FullRing::DropOldest, 64, 100, false, "" },
         Case{ FullRing::DropOldest, 64, 101, false, "1 2 3" }, // learned under another map
         Case{ FullRing::DropOldest, 3, 0, false, "2 3" },
         Case{ FullRing::DropOldest, 3, 0, true, "1 2 3" },
         Case{ FullRing::Block, 64, 10, false, "1 2 3" },
         Case{ FullRing::Block, 64, 11, false, nullptr },
         Case{ FullRing::Block, 3, 0, false, nullptr },
       })
  {
    this->Restart(Ring({ 1, 100 * MiB, 16 }));
    this->SetPolicy(one.WhenFull, one.MaximumSnapshots);
    this->Fill();
    this->State.Policy.ExpectedFileSize = one.Expected * MiB;
    const auto begun = this->Allocator.Begin({ .FileName = "b.h5", .HasOthers = one.HasOthers });
    EXPECT_EQ(begun.has_value(), one.Left != nullptr) << one.Expected;
    EXPECT_EQ(this->InRing(), one.Left ? one.Left : "1 2 3") << one.Expected;
    this->State.Policy.ExpectedFileSize = 0;
  }
}

TEST_F(ImageAllocatorTest, AnImageOfAKnownStreamIsForeseen)
{
  this->State.Streams.Enter("a1.h5", 16 * MiB);
  const OpenImage& image =
    this->State.Images.At(this->Allocator.Begin({ .FileName = "a2.h5" })->Image);
  EXPECT_TRUE(image.Foreseen);
  EXPECT_EQ(image.Grant, 16 * MiB + MiB / 2);
}

TEST_F(ImageAllocatorTest, WritersThatClearHaveStaleBytesToClear)
{
  this->Evictions.Evict(this->AddSnapshot("a.h5", 4));
  const auto cleared = this->Allocator.Begin({ .FileName = "b.h5", .Clears = true });
  EXPECT_TRUE(cleared->BeforeWriting.Plan.Zero.IsEmpty());
  EXPECT_EQ(this->State.Images.At(cleared->Image).Stale, std::vector<std::uint64_t>{ 4 * MiB });
}

TEST_F(ImageAllocatorTest, AnImageContinuesASnapshotInPlaceOrAsACopy)
{
  this->AddSnapshot("a.h5", 20);
  const auto inPlace = this->Allocator.Begin({ .FileName = "a.h5", .Source = 1 });
  EXPECT_TRUE(inPlace->Moved && !inPlace->Source);
  EXPECT_TRUE(this->State.Images.At(inPlace->Image).IsInPlace);

  this->AddSnapshot("b.h5", 20);
  this->State.Snapshots.Retain(2);
  const auto copy = this->Allocator.Begin({ .FileName = "b.h5", .Source = 2 });
  ASSERT_TRUE(copy->Source && !copy->Moved);
  EXPECT_EQ(copy->Source->Number, 2u);
  const OpenImage& image = this->State.Images.At(copy->Image);
  EXPECT_FALSE(image.IsInPlace);
  EXPECT_EQ(image.Source, 2u);
  EXPECT_EQ(image.Begins, 20 * MiB);
  EXPECT_GE(image.Grant, 20 * MiB);
  EXPECT_EQ(image.Shown, 0u);
  this->State.Snapshots.Release(2, false);
  EXPECT_TRUE(this->State.Snapshots.IsKept(2)) << "the copy's source is retained";
}

TEST_F(ImageAllocatorTest, ACopyThatWaitsReleasesItsSource)
{
  this->SetPolicy(FullRing::Block);
  this->AddSnapshot("a.h5", 60);
  this->State.Snapshots.Retain(1);
  EXPECT_FALSE(this->Allocator.Begin({ .FileName = "a.h5", .Source = 1 }));
  this->State.Snapshots.Release(1, false);
  EXPECT_FALSE(this->State.Snapshots.IsKept(1));
  EXPECT_FALSE(this->State.Snapshots.WasRead(1));
}

TEST_F(ImageAllocatorTest, ACopyThatCanNeverFitIsRefusedUnlessItMayOutgrowTheMemory)
{
  this->AddSnapshot("a.h5", 90);
  this->State.Snapshots.Retain(1);
  this->State.Memory.SetBudget(80 * MiB);
  EXPECT_THROW(this->Allocator.Begin({ .FileName = "a.h5", .Source = 1 }), Error);
  EXPECT_FALSE(this->Allocator.Begin({ .FileName = "a.h5", .Source = 1, .MayOutgrow = true }));
}

TEST_F(ImageAllocatorTest, AnImageWaitsForASlot)
{
  this->Restart(Ring({ 1, 100 * MiB, 1 }));
  EXPECT_TRUE(this->Allocator.Begin({ .FileName = "a.h5" }));
  EXPECT_FALSE(this->Allocator.Begin({ .FileName = "b.h5" }));
}

}
