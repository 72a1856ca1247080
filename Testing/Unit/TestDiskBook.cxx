// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/DiskBook.h"

#include "Server/Core/ServerStatus.h"
#include "Server/Core/SnapshotTable.h"

#include <gtest/gtest.h>

namespace
{

using namespace dsm;
using Numbers = std::vector<SnapshotId>;

struct DiskBookTest : testing::Test
{
  SnapshotTable Table;
  DiskBook Disk{ this->Table };
  DiskBook::Time Now = Clock::now();

  SnapshotDescription Enter(const std::string& name, SnapshotId family = 0, ImageId image = 0)
  {
    SnapshotDescription snapshot;
    snapshot.FileName = name;
    snapshot.Family = family;
    snapshot = this->Table.Add(snapshot);
    this->Table.Hide(snapshot.Number);
    this->Disk.Entered(snapshot, image);
    this->Table.Show(snapshot.Number);
    this->Disk.Told(this->Table.Described(snapshot.Number));
    return snapshot;
  }

  // What is to be reported of the next that is written.
  std::optional<std::string> End(DiskOutcome::Kind what, const std::string& why = {})
  {
    const auto begun = this->Disk.Begin(this->Now);
    EXPECT_TRUE(begun);
    return this->Disk.End(*begun, { what, why }, false, this->Now);
  }

  ServerStatus Status() const
  {
    ServerStatus status;
    status.Snapshots = this->Table.Shown();
    this->Disk.Tell(status, this->Now);
    return status;
  }
};

TEST_F(DiskBookTest, TellsWhatIsThereAndWhatWaits)
{
  EXPECT_FALSE(this->Disk.MayBeThere());
  this->Disk.SetRule("*.h5");
  EXPECT_TRUE(this->Disk.MayBeThere());
  this->Enter("/1.h5");
  this->Enter("/2.h5");
  this->Enter("/3.other");
  EXPECT_EQ(this->Status().WaitingForDisk, 2U);
  EXPECT_TRUE(this->Status().Saved.empty());
  EXPECT_FALSE(this->End(DiskOutcome::Kind::Written));
  EXPECT_EQ(this->Status().WaitingForDisk, 1U);
  EXPECT_EQ(this->Status().Saved, Numbers{ 1 });
  this->Disk.NoteSaved(3); // by somebody else
  EXPECT_EQ(this->Status().Saved, (Numbers{ 1, 3 }));
  this->Disk.SetRule("none");
  EXPECT_TRUE(this->Disk.MayBeThere()); // some are
}

TEST_F(DiskBookTest, ReportsAFailureOnce)
{
  this->Disk.SetRule("all");
  const auto first = this->Enter("/1.h5");
  this->Enter("/2.h5");
  const auto said = this->End(DiskOutcome::Kind::Failed, "no room");
  ASSERT_TRUE(said);
  EXPECT_NE(said->find("no room"), std::string::npos) << *said;
  EXPECT_FALSE(this->End(DiskOutcome::Kind::Failed, "no room"));
  EXPECT_EQ(this->Status().DiskTrouble, "no room");
  EXPECT_EQ(this->Disk.Trouble(), "no room");
  // It leaves the ring before it could be written.
  this->Table.Remove(1);
  const auto left = this->Disk.Left(first);
  ASSERT_TRUE(left);
  EXPECT_NE(left->find("is not on disk: no room"), std::string::npos) << *left;
  EXPECT_EQ(this->Status().NeverOnDisk, 1U);
  // And the next failure after one that went well is said again.
  this->Disk.TryNow();
  EXPECT_FALSE(this->End(DiskOutcome::Kind::Written));
  this->Enter("/3.h5");
  EXPECT_TRUE(this->End(DiskOutcome::Kind::Failed, "no room"));
}

TEST_F(DiskBookTest, WhatTheSimulationHasRemovedIsNotMissed)
{
  this->Disk.SetRule("all");
  this->Enter("/1.h5");
  this->Enter("/2.h5");
  EXPECT_FALSE(this->End(DiskOutcome::Kind::NotWanted));
  EXPECT_EQ(
    this->End(DiskOutcome::Kind::NotWanted, "another file is there"), "another file is there");
  EXPECT_EQ(this->Status().Saved, Numbers{ 1 });
  EXPECT_EQ(this->Status().WaitingForDisk, 0U);
}

// The rule keeps every second state of a file that is written again and again.
TEST_F(DiskBookTest, PutsTheNewestStateOfAFileOnDiskAtTheEnd)
{
  this->Disk.SetRule("every 2");
  const auto first = this->Enter("/1.h5");
  const FileMark mark{ 11, 100, 5 };
  this->Disk.EnterWritten(first, mark);
  ASSERT_FALSE(this->End(DiskOutcome::Kind::Written));
  SnapshotDescription next;
  next.FileName = "/1.h5";
  next.Stream = first.Stream;
  next.Family = first.Family;
  const SnapshotDescription second = this->Table.Add(next);
  this->Disk.Entered(second, 2);
  this->Disk.Told(second);
  EXPECT_EQ(this->Status().WaitingForDisk, 0U);
  EXPECT_EQ(this->Disk.Find({ "/1.h5", mark }).Newest, second.Number);
  this->Disk.TryNow();
  EXPECT_EQ(this->Status().WaitingForDisk, 1U);
  this->Disk.TryNow();
  EXPECT_EQ(this->Status().WaitingForDisk, 1U) << "once";
  EXPECT_FALSE(this->End(DiskOutcome::Kind::Written));
  this->Disk.TryNow();
  EXPECT_EQ(this->Status().WaitingForDisk, 0U) << "it is there";
}

TEST_F(DiskBookTest, PutsTheNewestStateOnDiskAlsoIfAnOlderOneIsUnderwayAtTheEnd)
{
  this->Disk.SetRule("every 2");
  const auto first = this->Enter("/1.h5");
  ASSERT_TRUE(this->Disk.Begin(this->Now));
  const SnapshotDescription second = this->Table.Add(first);
  this->Disk.Entered(second, 2);
  this->Disk.Told(second);
  this->Disk.TryNow();
  this->Disk.EnterWritten(first, { 11, 100, 5 });
  EXPECT_FALSE(this->Disk.End(first, { DiskOutcome::Kind::Written, {} }, false, this->Now));
  const auto next = this->Disk.Begin(this->Now);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->Number, second.Number);
}

TEST_F(DiskBookTest, ReportsAnOlderStateOnDiskWhenTheNewestLeavesTheMemory)
{
  this->Disk.SetRule("every 2");
  const auto first = this->Enter("/1.h5");
  this->Disk.EnterWritten(first, { 11, 100, 5 });
  ASSERT_FALSE(this->End(DiskOutcome::Kind::Written));
  const SnapshotDescription second = this->Table.Add(first);
  this->Disk.Entered(second, 2);
  this->Disk.Told(second);
  EXPECT_FALSE(this->Disk.Left(first));
  const auto said = this->Disk.Left(second);
  ASSERT_TRUE(said);
  EXPECT_NE(said->find("what is on disk under its name is older (snapshot 1)"), std::string::npos)
    << *said;
}

// Somebody reads the older one, so it stays in the ring for longer.
TEST_F(DiskBookTest, TheNewestStateIsOnDiskWhenOnlyAnOlderOneIsInMemory)
{
  this->Disk.SetRule("all");
  this->Disk.EnterWritten(this->Enter("/1.h5", 0, 40), { 11, 100, 5 });
  const FileMark mark{ 12, 200, 6 };
  this->Disk.EnterWritten(this->Enter("/1.h5", 1, 41), mark);
  EXPECT_EQ(this->Disk.Find({ "/1.h5", mark }).Newest, 2U);
  this->Table.Remove(2);
  const auto found = this->Disk.Find({ "/1.h5", mark });
  EXPECT_EQ(found.Snapshot, 2U);
  EXPECT_EQ(found.Newest, 0U) << "what is on disk is the newest";
  EXPECT_EQ(found.Gone, 0U);
}

TEST_F(DiskBookTest, FilesAreKnownWithTheirNewerStates)
{
  this->Disk.SetRule("all");
  const FileMark mark{ 11, 100, 5 };
  const auto first = this->Enter("/1.h5", 0, 40);
  EXPECT_FALSE(this->Disk.WrittenAs(mark));
  this->Disk.EnterWritten(first, mark);
  ASSERT_TRUE(this->Disk.WrittenAs(mark));
  EXPECT_EQ(this->Disk.WrittenAs(mark)->Snapshot, 1U);
  EXPECT_EQ(this->Disk.Find({ "/1.h5", mark }).Newest, 1U);
  EXPECT_EQ(this->Disk.Find({ "/1.h5", { 11, 101, 5 } }).Snapshot, 0U); // was changed
  this->Enter("/1.h5", 1, 41);
  EXPECT_EQ(this->Disk.Find({ "/1.h5", mark }).Newest, 2U);
  EXPECT_TRUE(this->Disk.Find({ "/1.h5", mark }).Stays);
  this->Table.Remove(2);
  const auto found = this->Disk.Find({ "/1.h5", mark });
  EXPECT_EQ(found.Gone, 2U); // what is on disk is older
  EXPECT_EQ(found.Snapshot, 1U);
  // A placeholder names a snapshot, or the image that is to be one.
  EXPECT_EQ(this->Disk.FamilyOf(2), 1U);
  PlaceholderAddress placeholder;
  placeholder.Number = 2;
  EXPECT_EQ(this->Disk.FamilyOf(placeholder), 1U);
  placeholder.Number = 0;
  placeholder.Image = ImageId(41);
  EXPECT_EQ(this->Disk.FamilyOf(placeholder), 1U);
  placeholder.Image = ImageId(42);
  EXPECT_EQ(this->Disk.FamilyOf(placeholder), 0U);
}

}
