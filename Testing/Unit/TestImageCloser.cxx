// SPDX-License-Identifier: BSD-3-Clause
#include "ImageFixture.h"

#include "Base/Error.h"
#include "Server/Core/ImageCloser.h"

#include <functional>

namespace
{

using namespace dsm;

class ImageCloserTest : public ImageFixture
{
protected:
  FlushPublisher Publisher{ this->State, this->Evictions, this->Builder, this->Report };
  ImageCloser Closer{ this->State, this->Evictions, this->Builder, this->Publisher };
};

TEST_F(ImageCloserTest, ASealedImageIsASnapshotOfItsSize)
{
  struct Case
  {
    std::uint64_t Size;  ///< MiB of an image of 20
    std::uint64_t Reach; ///< MiB
    std::uint64_t Shown; ///< MiB of a flush; 0: none
    std::uint64_t Used;
    const char* Why;
  };
  for (const Case& one : {
         Case{ 10, 10, 0, 10, "the rest of the grant is free" },
         Case{ 10, 12, 0, 12, "bytes were touched behind the file's end" },
         Case{ 10, 5, 0, 10, "the file has bytes that nobody touched" },
         Case{ 10, 10, 15, 15, "a flush shares more" },
       })
  {
    this->Restart(Ring({ 1, 100 * MiB, 16 }));
    const ImageId image = this->AddImage("a.h5", 20);
    if (one.Shown > 0)
    {
      this->AddFlush(image, one.Shown);
    }
    const auto sealed = this->Closer.Seal(
      { .Image = image, .Size = one.Size * MiB, .Reach = one.Reach * MiB, .SealedAt = 7 });
    const auto* snapshot = this->State.Snapshots.Find(sealed.Number);
    ASSERT_TRUE(snapshot) << one.Why;
    EXPECT_EQ(snapshot->FileSize, one.Size * MiB) << one.Why;
    EXPECT_EQ(snapshot->SealedAt, 7);
    EXPECT_EQ(this->Used(), one.Used) << one.Why;
    EXPECT_TRUE(this->State.Images.All().empty());
  }
}

TEST_F(ImageCloserTest, PagesThatAWriterTookByItselfAreReleased)
{
  const ImageId image = this->AddImage("a.h5", 10);
  const auto sealed = this->Closer.Seal({ .Image = image, .Size = 10 * MiB, .Reach = 20 * MiB });
  ASSERT_EQ(sealed.Clearing.size(), 1u);
  EXPECT_EQ(sealed.Clearing[0].Plan.Release.at(0).Begin, std::vector<std::uint64_t>{ 20 * MiB });
}

TEST_F(ImageCloserTest, ASnapshotIsSkippedWhenThePolicyDropsNewOnes)
{
  struct Case
  {
    FullRing WhenFull;
    bool MayKeepOnDisk;
    const char* Left;
    std::uint64_t Skipped;
  };
  for (const Case& one : { Case{ FullRing::DropNewest, false, "1 2 3", 1 },
         Case{ FullRing::DropNewest, true, "1 2 3 4", 0 },
         Case{ FullRing::Block, false, "1 2 3 4", 0 } })
  {
    this->Restart(Ring({ 1, 100 * MiB, 16 }));
    this->SetPolicy(one.WhenFull);
    this->Fill();
    const ImageId image = this->AddImage("b.h5", 10);
    const auto sealed = this->Closer.Seal(
      { .Image = image, .Size = 10 * MiB, .Reach = 10 * MiB, .MayKeepOnDisk = one.MayKeepOnDisk });
    EXPECT_EQ(sealed.Number == 0, one.Skipped == 1);
    EXPECT_EQ(this->InRing(), one.Left);
    EXPECT_EQ(this->State.Counters.SnapshotsSkipped, one.Skipped);
    EXPECT_EQ(this->Used(), one.Skipped == 1 ? 90u : 100u);
    EXPECT_EQ(this->State.Streams.LastSize("b.h5"), 10 * MiB) << "the stream has had it";
  }
}

TEST_F(ImageCloserTest, AFileThatIsNotKeptLeavesTheOneItReplaces)
{
  this->SetPolicy(FullRing::DropNewest);
  this->Fill();
  this->State.Snapshots.Hide(3);
  const ImageId image = this->AddImage("a.h5", 10);
  this->State.Images.At(image).Source = 3;
  EXPECT_EQ(this->Closer.Seal({ .Image = image, .Size = 10 * MiB, .Reach = 10 * MiB }).Number, 0u);
  EXPECT_FALSE(this->State.Snapshots.WasReplaced(3));
  EXPECT_EQ(this->InRing(), "1 2 3");
}

TEST_F(ImageCloserTest, AnImageThatItsWriterLostIsKeptAsFarAsItWasFlushed)
{
  const ImageId image = this->AddImage("a.h5", 20);
  const OpenImage before = this->State.Images.At(image);
  const SlotWork work = this->Closer.Disown(image, 5 * MiB);
  const OpenImage& now = this->State.Images.At(image);
  EXPECT_GT(now.Generation, before.Generation);
  EXPECT_NE(now.Key, before.Key);
  EXPECT_EQ(now.Owner, "");
  ASSERT_FALSE(work.Plan.Raise.empty());
  EXPECT_EQ(work.Plan.Raise.at(0).Number, now.Generation);
  EXPECT_EQ(this->Used(), 5u);
  const auto sealed = this->Closer.Seal({ .Image = image, .Size = 5 * MiB, .Reach = 5 * MiB });
  EXPECT_EQ(this->State.Snapshots.Find(sealed.Number)->Generation, work.Plan.Raise.at(0).Number);
  EXPECT_EQ(this->Used(), 5u);
  EXPECT_THROW(this->Closer.Disown(7, 1), Error);
}

TEST_F(ImageCloserTest, ASealEvictsSurplusSnapshots)
{
  this->SetPolicy(FullRing::DropOldest, 2);
  this->Fill();
  const ImageId image = this->AddImage("b.h5", 1);
  this->Closer.Seal({ .Image = image, .Size = MiB, .Reach = MiB });
  EXPECT_EQ(this->InRing(), "3 4");
}

TEST_F(ImageCloserTest, ASealTellsTheStreamHowTheFileWasContinued)
{
  struct Case
  {
    std::uint64_t Flushed; ///< MiB
    std::uint64_t Written; ///< MiB, reported with the seal
    bool IsAppended;       ///< to a file of 20 MiB, which has 24 then
  };
  for (const Case& one :
    { Case{ 0, 4, true }, Case{ 4, 4, true }, Case{ 0, 24, false }, Case{ 20, 4, false } })
  {
    this->Restart(Ring({ 1, 100 * MiB, 16 }));
    this->AddSnapshot("a.h5", 20);
    this->State.Snapshots.Hide(1);
    const ImageId number = this->AddImage("a.h5", 24);
    OpenImage& image = this->State.Images.At(number);
    image.Source = 1;
    image.Begins = 20 * MiB;
    image.FlushedBytes = one.Flushed * MiB;
    this->Closer.Seal({ .Image = number,
      .Size = 24 * MiB,
      .Reach = 24 * MiB,
      .Statistics = { one.Written * MiB, 0, 0, {} } });
    EXPECT_EQ(this->State.Streams.IsAppended("a.h5"), one.IsAppended) << one.Written;
    EXPECT_TRUE(this->State.Snapshots.WasReplaced(1));
  }
}

TEST_F(ImageCloserTest, AnEndDiscardsUnconfirmedCopies)
{
  using End = std::function<void(ImageId image)>;
  for (const End& end : { End([&](ImageId image) { this->Closer.Seal({ .Image = image }); }),
         End([&](ImageId image) { this->Closer.Finish(image, 0); }),
         End([&](ImageId image) { this->Closer.Drop(image, "its ranks died", false); }) })
  {
    const ImageId image = this->AddImage("a.h5", 20);
    const auto copy = this->Publisher.Publish({ .Image = image, .Size = MiB })->Copy;
    EXPECT_TRUE(this->Publisher.IsAwaited(copy));
    end(image);
    EXPECT_FALSE(this->Publisher.IsAwaited(copy));
    EXPECT_TRUE(this->State.Images.All().empty());
  }
}

TEST_F(ImageCloserTest, AFinishedImageLeavesWhatItsFlushesShare)
{
  const ImageId image = this->AddImage("a.h5", 20);
  const SlotIndex slot = this->State.Images.At(image).Slot;
  this->AddFlush(image, 5);
  this->Closer.Finish(image, 10 * MiB);
  EXPECT_EQ(this->Used(), 10u);
  EXPECT_TRUE(this->State.Sharing.IsWhole(slot, 1)) << "its last flush shows all of it";
  this->Closer.Finish(this->AddImage("b.h5", 20), 10 * MiB);
  EXPECT_EQ(this->Used(), 10u) << "without flushes nothing stays";
  EXPECT_EQ(this->State.Counters.ImagesAbandoned, 0u);
}

TEST_F(ImageCloserTest, ALostImageKeepsSharedBytesUnlessTheyMayHaveChanged)
{
  struct Case
  {
    bool Changed;
    const char* Left;
    std::uint64_t Used;
  };
  for (const Case& one : { Case{ false, "1 2", 5 }, Case{ true, "", 0 } })
  {
    this->Restart(Ring({ 1, 100 * MiB, 16 }));
    const ImageId image = this->AddImage("a.h5", 20);
    this->AddFlush(image, 4);
    this->AddFlush(image, 5);
    const auto clearing = this->Closer.Drop(image, "its ranks died", one.Changed);
    EXPECT_EQ(clearing.size(), 1u);
    EXPECT_EQ(this->InRing(), one.Left);
    EXPECT_EQ(this->Used(), one.Used);
    EXPECT_EQ(this->State.Counters.ImagesAbandoned, 1u);
    EXPECT_TRUE(this->Closer.Drop(image, "again", false).empty());
    EXPECT_EQ(this->State.Counters.ImagesAbandoned, 1u);
    EXPECT_THROW(this->Closer.Seal({ .Image = image }), Error);
  }
}

TEST_F(ImageCloserTest, ImpossibleSizesAreRefusedAndTheImageStays)
{
  const ImageId image = this->AddImage("a.h5", 20);
  EXPECT_THROW(this->Closer.Seal({ .Image = image, .Size = 101 * MiB }), Error);
  EXPECT_THROW(this->Closer.Seal({ .Image = image, .Reach = 101 * MiB }), Error);
  EXPECT_THROW(this->Closer.Finish(image, 101 * MiB), Error);
  EXPECT_TRUE(this->State.Images.Find(image));
}

}
