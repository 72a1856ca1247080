// SPDX-License-Identifier: BSD-3-Clause
#include "ImageFixture.h"

#include "Base/Error.h"
#include "Server/Core/CopyOnWrite.h"

#include <fmt/ranges.h>

namespace
{

using namespace dsm;

class CopyOnWriteTest : public ImageFixture
{
protected:
  /// Preserves some MiB of an image. Returns which snapshots get copies, and how many MiB each then
  /// has: "1:2 2:3"; with "…" behind them if the writer must wait.
  std::string Preserve(ImageId image, std::uint64_t begin, std::uint64_t end)
  {
    this->Last = this->Copier.Preserve(image, 0, { begin * MiB, end * MiB });
    std::vector<std::string> texts;
    texts.reserve(this->Last.Snapshots.size());
    for (const auto& copy : this->Last.Snapshots)
    {
      texts.push_back(
        fmt::format("{}:{}", copy.Snapshot.Number, copy.Snapshot.Shared->Aside[0].Size() / MiB));
    }
    return fmt::format("{}{}", fmt::join(texts, " "), this->Last.Complete ? "" : "…");
  }

  void ConfirmLast()
  {
    for (const auto& copy : this->Last.Snapshots)
    {
      this->Copier.Confirm(copy.Snapshot);
    }
  }

  CopyOnWrite Copier{ this->State, this->Evictions };
  CopyOnWrite::Preservation Last;
};

TEST_F(CopyOnWriteTest, SnapshotsThatShareTheBytesGetCopies)
{
  const ImageId image = this->AddImage("a.h5", 20);
  this->AddFlush(image, 4);
  this->AddFlush(image, 20);
  const ImageId other = this->AddImage("b.h5", 20);
  this->AddFlush(other, 1);
  struct Case
  {
    ImageId Image;
    std::uint64_t Begin;
    std::uint64_t End;
    const char* Copies;
  };
  for (const Case& one :
    { Case{ image, 2, 4, "1:2 2:2" }, Case{ image, 2, 4, "" }, Case{ image, 3, 6, "2:4" },
      Case{ image, 6, 8, "2:6" }, Case{ image, 20, 30, "" }, Case{ other, 0, 1, "3:1" } })
  {
    EXPECT_EQ(this->Preserve(one.Image, one.Begin, one.End), one.Copies)
      << one.Begin << " to " << one.End;
    this->ConfirmLast();
  }
}

TEST_F(CopyOnWriteTest, AShorterFileEndsNoSearch)
{
  const ImageId image = this->AddImage("a.h5", 20);
  this->AddFlush(image, 20);
  this->AddFlush(image, 4);
  EXPECT_EQ(this->Preserve(image, 10, 12), "1:2");
}

TEST_F(CopyOnWriteTest, OnlyMissingBytesAreCopied)
{
  const ImageId image = this->AddImage("a.h5", 20);
  this->AddFlush(image, 20);
  this->Preserve(image, 0, 1);
  this->ConfirmLast();
  EXPECT_EQ(this->Preserve(image, 0, 2), "1:2");
  const SlotWork& work = this->Last.Snapshots[0].Copying;
  EXPECT_EQ(work.Slot, this->State.Snapshots.Find(1)->Slot);
  EXPECT_EQ(work.Plan.Copy.Slot, this->State.Images.At(image).Slot);
  EXPECT_EQ(work.Plan.Copy.Bytes[0], (std::vector<AsideBytes::Moved>{ { MiB, MiB, MiB } }));
  EXPECT_EQ(this->Used(), 22u);
}

TEST_F(CopyOnWriteTest, ASnapshotChangesWhenItsCopiesAreConfirmed)
{
  const ImageId image = this->AddImage("a.h5", 20);
  this->AddFlush(image, 20);
  const std::uint64_t before = this->State.Snapshots.Find(1)->Generation;
  this->Preserve(image, 0, 1);
  const auto first = this->Last.Snapshots[0].Snapshot;
  EXPECT_EQ(first.Generation, before + 1);
  EXPECT_EQ(this->State.Snapshots.Find(1)->Generation, before);
  // The copies that are ordered meanwhile come on top of those.
  EXPECT_EQ(this->Preserve(image, 1, 3), "1:3");
  const auto second = this->Last.Snapshots[0].Snapshot;
  // A writer that asks for bytes whose copies are under way waits for these.
  EXPECT_EQ(this->Preserve(image, 0, 1), "1:3");
  EXPECT_TRUE(this->Last.Snapshots[0].Copying.Plan.Copy.IsEmpty());
  const auto third = this->Last.Snapshots[0].Snapshot;
  EXPECT_EQ(this->State.Pending.at(1).Orders, 3u);
  this->Copier.Confirm(first);
  EXPECT_EQ(this->State.Snapshots.Find(1)->Generation, before + 1);
  this->Copier.Confirm(second);
  this->Copier.Confirm(third);
  EXPECT_EQ(this->State.Snapshots.Find(1)->Generation, before + 2);
  EXPECT_TRUE(this->State.Pending.empty());
}

// Hosts work at different speeds, so the copies that were ordered last may be made first.
TEST_F(CopyOnWriteTest, AWriterWaitsUntilAllCopiesAreConfirmed)
{
  const ImageId image = this->AddImage("a.h5", 20);
  this->AddFlush(image, 20);
  this->Preserve(image, 0, 1);
  const auto first = this->Last.Snapshots[0].Snapshot;
  this->Preserve(image, 1, 3);
  this->ConfirmLast();
  EXPECT_EQ(this->Preserve(image, 0, 1), "1:3");
  this->ConfirmLast();
  this->Copier.Confirm(first);
  EXPECT_EQ(this->Preserve(image, 0, 1), "");
}

TEST_F(CopyOnWriteTest, WithoutRoomSnapshotsLeaveOrTheWriterWaits)
{
  struct Case
  {
    FullRing WhenFull;
    const char* Checkpoints;
    bool OtherIsOpen;
    const char* Copies;
    const char* Left; ///< of snapshot 1, which somebody has open, and another of 20 MiB
    bool IsTold;      ///< readers of snapshot 1 learn that it was evicted
  };
  for (const Case& one : {
         Case{ FullRing::DropOldest, "none", false, "1:40", "1", false },
         Case{ FullRing::DropOldest, "none", true, "", "2", true },
         Case{ FullRing::DropOldest, "a.h5", true, "…", "1 2", false },
         Case{ FullRing::Block, "none", false, "…", "1 2", false },
         Case{ FullRing::Block, "none", true, "…", "1 2", false },
         Case{ FullRing::DropNewest, "none", false, "1:40", "1", false },
       })
  {
    this->Restart(Ring({ 1, 100 * MiB, 16 }));
    this->SetPolicy(one.WhenFull);
    const ImageId image = this->AddImage("a.h5", 50);
    this->AddFlush(image, 50);
    this->State.Snapshots.Retain(1);
    this->AddSnapshot("b.h5", 20);
    if (one.OtherIsOpen)
    {
      this->State.Snapshots.Retain(2);
    }
    this->State.Snapshots.SetCheckpoints(one.Checkpoints);
    EXPECT_EQ(this->Preserve(image, 0, 40), one.Copies) << FullRingName(one.WhenFull);
    EXPECT_EQ(this->InRing(), one.Left) << FullRingName(one.WhenFull);
    EXPECT_EQ(!this->Last.Telling.Plan.Raise.empty(), one.IsTold) << FullRingName(one.WhenFull);
  }
}

TEST_F(CopyOnWriteTest, ASnapshotWhoseCopiesFailedIsEvicted)
{
  const ImageId image = this->AddImage("a.h5", 20);
  this->AddFlush(image, 20);
  this->State.Snapshots.Retain(1);
  const SlotIndex slot = this->State.Snapshots.Find(1)->Slot;
  this->Preserve(image, 0, 1);
  const SlotWork telling = this->Copier.Revoke(1);
  EXPECT_EQ(telling.Slot, slot);
  EXPECT_FALSE(telling.Plan.Raise.empty());
  EXPECT_EQ(this->InRing(), "");
  EXPECT_TRUE(this->State.Pending.empty());
  this->ConfirmLast();
  EXPECT_EQ(this->InRing(), "") << "a late confirmation changes nothing";
  EXPECT_TRUE(this->Copier.Revoke(1).Plan.IsEmpty());
}

TEST_F(CopyOnWriteTest, UnknownHostsAndImagesAreRefused)
{
  const ImageId image = this->AddImage("a.h5", 20);
  EXPECT_THROW(this->Copier.Preserve(image, 1, { 0, MiB }), Error);
  EXPECT_THROW(this->Copier.Preserve(99, 0, { 0, MiB }), Error);
}

}
