// SPDX-License-Identifier: BSD-3-Clause
#include "ImageFixture.h"

#include "Base/Error.h"
#include "Server/Core/FlushPublisher.h"

namespace
{

using namespace dsm;

class FlushPublisherTest : public ImageFixture
{
protected:
  /// The first `changing` MiB of the image change after the flush.
  static PublishRequest Flush(ImageId image, std::uint64_t size, std::uint64_t changing = 0)
  {
    return { image, size * MiB, { { { 0, changing * MiB } } }, { 10, 0, 0, { 10 } }, false };
  }

  FlushPublisher Publisher{ this->State, this->Evictions, this->Builder, this->Report };
};

TEST_F(FlushPublisherTest, AFlushIsPublishedSkippedOrWaits)
{
  struct Case
  {
    FullRing WhenFull;
    std::uint64_t MaximumSnapshots;
    std::uint64_t Changing; ///< MiB of an image of 40, beside a snapshot of 40
    bool HasOthers;
    const char* Outcome; ///< what is left in the ring, "wait" or "skipped"
  };
  for (const Case& one : {
         Case{ FullRing::DropOldest, 64, 0, false, "1" },
         Case{ FullRing::DropOldest, 64, 20, false, "1" },
         Case{ FullRing::DropOldest, 64, 21, false, "" },
         Case{ FullRing::DropOldest, 1, 0, false, "" },
         Case{ FullRing::DropOldest, 1, 0, true, "1" },
         Case{ FullRing::Block, 64, 20, false, "1" },
         Case{ FullRing::Block, 64, 21, false, "wait" },
         Case{ FullRing::Block, 1, 0, false, "wait" },
         Case{ FullRing::DropNewest, 64, 21, false, "" },
       })
  {
    this->Restart(Ring({ 1, 100 * MiB, 16 }));
    this->SetPolicy(one.WhenFull, one.MaximumSnapshots);
    this->AddSnapshot("b.h5", 40);
    const ImageId image = this->AddImage("a.h5", 40);
    PublishRequest request = Flush(image, 40, one.Changing);
    request.HasOthers = one.HasOthers;
    const auto published = this->Publisher.Publish(request);
    EXPECT_EQ(!published       ? "wait"
        : published->Copy == 0 ? "skipped"
                               : this->InRing(),
      one.Outcome)
      << FullRingName(one.WhenFull) << " " << one.Changing;
    this->Publisher.Discard(image);
  }
}

TEST_F(FlushPublisherTest, AFlushThatCannotBePublishedIsSkippedWithTheReason)
{
  struct Case
  {
    FullRing WhenFull;
    std::uint64_t Size; ///< MiB, all of which change
    const char* Reason; ///< none: the writer waits
  };
  for (const Case& one : {
         Case{ FullRing::DropOldest, 60, "needs as much memory again" },
         Case{ FullRing::Block, 60, "needs as much memory again" },
         Case{ FullRing::DropOldest, 50, "Viewers hold all snapshots open" },
         Case{ FullRing::Block, 50, nullptr },
       })
  {
    this->Restart(Ring({ 1, 100 * MiB, 16 }));
    this->SetPolicy(one.WhenFull);
    this->AddSnapshot("b.h5", 10);
    this->State.Snapshots.Retain(1);
    const ImageId image = this->AddImage("a.h5", one.Size);
    auto published = this->Publisher.Publish(Flush(image, one.Size, one.Size));
    ASSERT_EQ(published.has_value(), one.Reason != nullptr) << one.Size;
    if (published)
    {
      EXPECT_EQ(published->Copy, 0u);
      EXPECT_NE(published->Skipped.find(one.Reason), std::string::npos) << published->Skipped;
      EXPECT_TRUE(published->FirstSkipped);
      published = this->Publisher.Publish(Flush(image, one.Size, one.Size));
      EXPECT_FALSE(published->FirstSkipped) << "it is logged once";
    }
    EXPECT_EQ(this->InRing(), "1");
  }
}

TEST_F(FlushPublisherTest, TheHostsCopyTheBytesThatChange)
{
  const ImageId image = this->AddImage("a.h5", 20);
  const auto published = this->Publisher.Publish({ .Image = image,
    .Size = 20 * MiB,
    .Changing = { { { MiB, 2 * MiB }, { 19 * MiB, 30 * MiB } }, { { 0, MiB } } } });
  const auto& copy = published->Copying.Plan.Copy;
  EXPECT_EQ(copy.Slot, this->State.Images.At(image).Slot);
  ASSERT_EQ(copy.Bytes.size(), 1u) << "there is one host";
  EXPECT_EQ(
    copy.Bytes[0], (std::vector<AsideBytes::Moved>{ { MiB, 0, MiB }, { 19 * MiB, MiB, MiB } }))
    << "within the file";
  EXPECT_EQ(this->Used(), 22u);
}

TEST_F(FlushPublisherTest, AConfirmedCopyIsASnapshot)
{
  const ImageId number = this->AddImage("a.h5", 20);
  const auto published = this->Publisher.Publish(Flush(number, 10, 1));
  EXPECT_TRUE(this->Publisher.IsAwaited(published->Copy));
  EXPECT_EQ(this->InRing(), "");
  OpenImage& image = this->State.Images.At(number);
  image.Named = true;
  image.Family = 3;
  EXPECT_EQ(this->Publisher.Confirm(number, published->Copy, 7, 0), 1u);
  EXPECT_FALSE(this->Publisher.IsAwaited(published->Copy));
  const SnapshotDescription& snapshot = *this->State.Snapshots.Find(1);
  EXPECT_EQ(snapshot.FileSize, 10 * MiB);
  EXPECT_EQ(snapshot.SealedAt, 7);
  EXPECT_EQ(snapshot.Slot, published->Copying.Slot);
  EXPECT_EQ(snapshot.Shared->Slot, image.Slot);
  EXPECT_EQ(snapshot.Shared->Generation, image.Generation);
  EXPECT_TRUE(snapshot.Named) << "since the flush";
  EXPECT_EQ(snapshot.Family, 3u);
  EXPECT_EQ(image.Shown, 1u);
  EXPECT_EQ(image.FlushedBytes, 10u);
  EXPECT_THROW(this->Publisher.Confirm(number, published->Copy, 7, 0), Error);
}

TEST_F(FlushPublisherTest, ADiscardedCopyLeavesNothing)
{
  const ImageId image = this->AddImage("a.h5", 20);
  const ImageId other = this->AddImage("b.h5", 20);
  const std::uint64_t discarded = this->Publisher.Publish(Flush(image, 20, 5))->Copy;
  const std::uint64_t kept = this->Publisher.Publish(Flush(other, 20, 5))->Copy;
  EXPECT_EQ(this->Used(), 50u);
  this->Publisher.Discard(image);
  EXPECT_EQ(this->Used(), 45u);
  EXPECT_FALSE(this->Publisher.IsAwaited(discarded));
  EXPECT_THROW(this->Publisher.Confirm(image, discarded, 7, 0), Error);
  EXPECT_THROW(this->Publisher.Confirm(image, kept, 7, 0), Error) << "another image's";
  EXPECT_EQ(this->Publisher.Confirm(other, kept, 7, 0), 1u);
  EXPECT_EQ(this->State.Sharing.SizeIn(this->State.Images.At(image).Slot), 0u);
}

TEST_F(FlushPublisherTest, CopiesCountAsSnapshots)
{
  this->SetPolicy(FullRing::DropOldest, 2);
  const ImageId image = this->AddImage("a.h5", 1);
  EXPECT_GT(this->Publisher.Publish(Flush(image, 1))->Copy, 0u);
  EXPECT_GT(this->Publisher.Publish(Flush(image, 1))->Copy, 0u);
  EXPECT_EQ(this->Publisher.Publish(Flush(image, 1))->Copy, 0u);
}

TEST_F(FlushPublisherTest, AFlushReplacesAHiddenSource)
{
  this->AddSnapshot("a.h5", 1);
  this->State.Snapshots.Hide(1);
  const ImageId image = this->AddImage("a.h5", 1);
  this->State.Images.At(image).Source = 1;
  this->Publisher.Confirm(image, this->Publisher.Publish(Flush(image, 1))->Copy, 7, 0);
  EXPECT_TRUE(this->State.Snapshots.WasReplaced(1));
}

TEST_F(FlushPublisherTest, ImpossibleSizesAreRefused)
{
  const ImageId image = this->AddImage("a.h5", 1);
  EXPECT_THROW(this->Publisher.Publish(Flush(image, 101)), Error);
  EXPECT_THROW(this->Publisher.Publish(Flush(99, 1)), Error);
}

}
