// SPDX-License-Identifier: BSD-3-Clause
#include "Session/SnapshotTable.h"

#include <gtest/gtest.h>

namespace
{

dsm::SnapshotDescription Named(const std::string& name)
{
  dsm::SnapshotDescription snapshot;
  snapshot.FileName = name;
  return snapshot;
}

TEST(SnapshotTable, CountsFromOneAndNeverAgain)
{
  dsm::SnapshotTable table;
  EXPECT_EQ(table.Add(Named("/a")).Number, 1u);
  EXPECT_EQ(table.Add(Named("/b")).Number, 2u);
  table.Remove(2);
  EXPECT_EQ(table.Add(Named("/b")).Number, 3u);
  EXPECT_EQ(table.LastNumber(), 3u);
}

TEST(SnapshotTable, FindsTheNewestOfAName)
{
  dsm::SnapshotTable table;
  table.Add(Named("/a"));
  table.Add(Named("/b"));
  table.Add(Named("/a"));
  EXPECT_EQ(table.NewestNamed("/a")->Number, 3u);
  EXPECT_EQ(table.NewestNamed("/c"), nullptr);
}

TEST(SnapshotTable, ADeletedFileIsFoundByNumberOnly)
{
  dsm::SnapshotTable table;
  table.Add(Named("/a"));
  table.Add(Named("/a"));
  table.Add(Named("/b"));
  EXPECT_EQ(table.ForgetName("/a"), 2u);
  EXPECT_EQ(table.NewestNamed("/a"), nullptr);
  EXPECT_EQ(table.Find(2)->FileName, "/a");
  EXPECT_EQ(table.NewestNamed("/b")->Number, 3u);
  table.Add(Named("/a"));
  EXPECT_EQ(table.NewestNamed("/a")->Number, 4u) << "a new file under the old name";
}

TEST(SnapshotTable, OffersTheNextOrTheNewest)
{
  dsm::SnapshotTable table;
  EXPECT_EQ(table.After(0, true), nullptr);
  for (int i = 0; i < 4; ++i)
  {
    table.Add(Named("/a"));
  }
  table.Remove(2);
  EXPECT_EQ(table.After(1, true)->Number, 3u);
  EXPECT_EQ(table.After(1, false)->Number, 4u);
  EXPECT_EQ(table.After(4, true), nullptr);
}

TEST(SnapshotTable, KeepsWhatIsHeldAndWhatIsUnread)
{
  dsm::SnapshotTable table;
  table.Add(Named("/a"));
  table.Add(Named("/a"));
  EXPECT_EQ(table.OldestEvictable(false), std::nullopt);
  EXPECT_EQ(table.OldestEvictable(true), 1u);
  table.Hold(1);
  table.Hold(1);
  EXPECT_EQ(table.OldestEvictable(true), 2u);
  table.LetGo(1);
  EXPECT_EQ(table.OldestEvictable(false), std::nullopt) << "held once more";
  table.LetGo(1);
  EXPECT_EQ(table.OldestEvictable(false), 1u);
  EXPECT_TRUE(table.WasRead(1));
  EXPECT_FALSE(table.WasRead(2));
  table.Hold(2);
  table.LetGo(2, false);
  EXPECT_FALSE(table.WasRead(2)) << "only looked at";
  table.Hold(1);
  table.LetGo(1, false);
  EXPECT_TRUE(table.WasRead(1)) << "a later look does not undo it";
}

}
