// SPDX-License-Identifier: BSD-3-Clause
#include "ImageFixture.h"

#include "Server/Core/SnapshotReopener.h"

#include <functional>

namespace
{

using namespace dsm;

class SnapshotReopenerTest : public ImageFixture
{
protected:
  const SnapshotDescription& Snapshot(SnapshotId number)
  {
    return *this->State.Snapshots.Find(number);
  }

  SnapshotReopener Reopener{ this->State, this->Evictions, this->Maps, this->Sizes };
};

TEST_F(SnapshotReopenerTest, ASlotMayBeReopenedIfItHasNothingButTheSnapshot)
{
  struct Case
  {
    const char* What;
    bool May;
    std::function<void()> Change; ///< to a snapshot of its own, with number 1
    std::uint64_t Ranks = 1;
    bool MayOutgrow = false;
  };
  SnapshotTable& table = this->State.Snapshots;
  StreamTable& streams = this->State.Streams;
  const std::vector<Case> cases{
    { "a single process", true, [] {} },
    { "several ranks, of which nothing is known", false, [] {}, 2 },
    { "several ranks that append", true, [&] { streams.EnterFurther("a.h5", 20 * MiB, MiB); }, 2 },
    { "a file that is written anew", false,
      [&] { streams.EnterFurther("a.h5", 20 * MiB, 20 * MiB); } },
    { "somebody has it open", false, [&] { table.Retain(1); } },
    { "somebody counts it", true, [&] { table.Take(1); } },
    { "it is a checkpoint", false, [&] { table.SetCheckpoints("*.h5"); } },
    { "settings have changed", false, [&] { this->State.Policy.Map.Strategy = "block cyclic"; } },
    { "the map leaves memory to others", false, [] {}, 1, true },
    { "an older snapshot has bytes behind its end", false,
      [&] { this->State.Sharing.Share(this->Snapshot(1).Slot, this->Map(), 21 * MiB); } },
    { "another snapshot has the same bytes", true,
      [&] { this->State.Sharing.Share(this->Snapshot(1).Slot, this->Map(), 20 * MiB); } },
  };
  for (const Case& one : cases)
  {
    this->Restart(Ring({ 1, 100 * MiB, 16 }));
    this->SetPolicy(FullRing::DropOldest);
    this->AddSnapshot("a.h5", 20);
    streams.Enter("a.h5", 20 * MiB);
    one.Change();
    const BeginRequest request{
      .FileName = "a.h5", .Source = 1, .Ranks = one.Ranks, .MayOutgrow = one.MayOutgrow
    };
    EXPECT_EQ(this->Reopener.MayReopen(request, this->Snapshot(1)), one.May) << one.What;
  }
}

TEST_F(SnapshotReopenerTest, OnlyTheLastFlushOfAFinishedImageMayBeReopened)
{
  const ImageId image = this->AddImage("a.h5", 20);
  const SnapshotId first = this->AddFlush(image, 20);
  const SnapshotId last = this->AddFlush(image, 20);
  const auto may = [&](SnapshotId number)
  { return this->Reopener.MayReopen({ .FileName = "a.h5" }, this->Snapshot(number)); };
  EXPECT_FALSE(may(last)) << "the image is still being written";
  const OpenImage open = this->State.Images.Take(image);
  this->State.Sharing.Finish(this->State.Memory, open.Slot, open.Map, 20 * MiB, last);
  EXPECT_TRUE(may(last));
  EXPECT_FALSE(may(first));
}

TEST_F(SnapshotReopenerTest, TheImageTakesOverTheSlot)
{
  const SnapshotDescription source = this->Snapshot(this->AddSnapshot("a.h5", 20));
  const auto begun = this->Reopener.Reopen(
    { .Owner = "ada", .FileName = "a.h5", .Key = 7, .MayOutgrow = true }, source);
  ASSERT_TRUE(begun);
  const OpenImage& image = this->State.Images.At(begun->Image);
  EXPECT_EQ(image.Slot, source.Slot);
  EXPECT_EQ(image.Generation, source.Generation + 1) << "readers see that it is another's";
  EXPECT_EQ(image.Owner, "ada");
  EXPECT_EQ(image.Key, 7u);
  EXPECT_EQ(image.Source, source.Number);
  EXPECT_EQ(image.Shown, source.Number);
  EXPECT_EQ(image.Begins, 20 * MiB);
  EXPECT_GT(image.Grant, 20 * MiB);
  EXPECT_TRUE(image.IsInPlace && image.Foreseen && image.MayOutgrow);
  EXPECT_FALSE(begun->Source);
  ASSERT_TRUE(begun->Moved);
  const SnapshotDescription& moved = this->Snapshot(source.Number);
  EXPECT_EQ(begun->Moved->Slot, moved.Slot);
  EXPECT_NE(moved.Slot, source.Slot);
  EXPECT_EQ(moved.Shared->Slot, source.Slot);
  EXPECT_EQ(moved.Shared->Generation, image.Generation);
  EXPECT_EQ(this->State.Sharing.SizeIn(source.Slot), 20 * MiB);
  EXPECT_FALSE(this->State.Snapshots.IsKept(source.Number)) << "nobody has it open";
}

TEST_F(SnapshotReopenerTest, RoomIsMadeOfOtherSnapshotsOnly)
{
  struct Case
  {
    std::uint64_t MaximumSnapshots;
    bool HasOthers;
    const char* Left; ///< none: it does not begin
  };
  for (const Case& one : { Case{ 4, false, "1 2 3" }, Case{ 3, false, "1 3" },
         Case{ 3, true, "1 2 3" }, Case{ 2, false, "1" }, Case{ 1, false, nullptr } })
  {
    this->Restart(Ring({ 1, 100 * MiB, 16 }));
    this->SetPolicy(FullRing::DropOldest, one.MaximumSnapshots);
    this->Fill();
    const auto begun =
      this->Reopener.Reopen({ .FileName = "a1.h5", .HasOthers = one.HasOthers }, this->Snapshot(1));
    EXPECT_EQ(begun.has_value(), one.Left != nullptr) << one.MaximumSnapshots;
    EXPECT_EQ(this->InRing(), one.Left ? one.Left : "1 2 3") << one.MaximumSnapshots;
  }
}

TEST_F(SnapshotReopenerTest, WithoutASecondSlotNothingBegins)
{
  this->Restart(Ring({ 1, 100 * MiB, 1 }));
  const SnapshotDescription source = this->Snapshot(this->AddSnapshot("a.h5", 20));
  EXPECT_FALSE(this->Reopener.Reopen({ .FileName = "a.h5" }, source));
  EXPECT_FALSE(this->Snapshot(1).Shared);
  EXPECT_TRUE(this->State.Images.All().empty());
}

}
