// SPDX-License-Identifier: BSD-3-Clause
#include "../../Plugin/Server/SnapshotChanges.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace
{
using dsm::SnapshotDescription;
using dsm::SnapshotId;

SnapshotDescription Snapshot(std::uint64_t number, const std::string& name = "u.h5")
{
  SnapshotDescription snapshot;
  snapshot.Number = SnapshotId(number);
  snapshot.FileName = name;
  snapshot.Statistics.HostBytes = { 1, 2 };
  return snapshot;
}

std::vector<std::uint64_t> NumbersOf(const SnapshotChanges::Changes& changes)
{
  std::vector<std::uint64_t> numbers;
  numbers.reserve(changes.Snapshots.size());
  for (const SnapshotDescription& snapshot : changes.Snapshots)
  {
    numbers.push_back(snapshot.Number);
  }
  return numbers;
}

using Numbers = std::vector<std::uint64_t>;

TEST(SnapshotChanges, GivesTheWholeListToAViewerThatKnowsNone)
{
  SnapshotChanges list;
  list.Update({ Snapshot(1), Snapshot(2) }, { SnapshotId(2) }, { SnapshotId(1) });
  const auto all = list.After(0);
  EXPECT_EQ(all.Since, 0U);
  EXPECT_EQ(NumbersOf(all), Numbers({ 1, 2 }));
  EXPECT_EQ(all.Pinned, std::vector<SnapshotId>{ SnapshotId(2) });
  EXPECT_EQ(all.Saved, std::vector<SnapshotId>{ SnapshotId(1) });
  EXPECT_TRUE(all.Snapshots.front().Statistics.HostBytes.empty());
  EXPECT_FALSE(all.Snapshots.back().Statistics.HostBytes.empty());
  EXPECT_EQ(list.After(all.Revision + 1).Since, 0U);
}

TEST(SnapshotChanges, GivesTheNewestAloneIfNothingChanged)
{
  SnapshotChanges list;
  std::vector<SnapshotDescription> snapshots;
  for (std::uint64_t number = 1; number <= 2000; ++number)
  {
    snapshots.push_back(Snapshot(number));
  }
  list.Update(snapshots, {}, {});
  const auto known = list.After(0).Revision;
  list.Update(snapshots, {}, {});
  const auto same = list.After(known);
  EXPECT_EQ(same.Revision, known);
  EXPECT_EQ(same.Since, known);
  EXPECT_EQ(NumbersOf(same), Numbers({ 2000 }));
  EXPECT_TRUE(same.Gone.empty());
}

TEST(SnapshotChanges, GivesWhatChangedSinceEachRevision)
{
  SnapshotChanges list;
  list.Update({ Snapshot(1), Snapshot(2), Snapshot(3) }, {}, {});
  const auto first = list.After(0).Revision;
  list.Update({ Snapshot(2), Snapshot(3), Snapshot(4) }, { SnapshotId(2) }, {});
  const auto second = list.After(first);
  EXPECT_EQ(NumbersOf(second), Numbers({ 2, 4 }));
  EXPECT_EQ(second.Pinned, std::vector<SnapshotId>{ SnapshotId(2) });
  EXPECT_EQ(second.Gone, std::vector<SnapshotId>{ SnapshotId(1) });
  list.Update({ Snapshot(2), Snapshot(3, "v.h5"), Snapshot(4) }, {}, { SnapshotId(4) });
  const auto third = list.After(second.Revision);
  EXPECT_EQ(NumbersOf(third), Numbers({ 2, 3, 4 }));
  EXPECT_TRUE(third.Pinned.empty());
  EXPECT_TRUE(third.Gone.empty());
  EXPECT_EQ(list.After(first).Gone, std::vector<SnapshotId>{ SnapshotId(1) });
}

// A server that is started again counts from 1.
TEST(SnapshotChanges, GivesNumbersThatAreUsedAgainAsChanged)
{
  SnapshotChanges list;
  list.Update({ Snapshot(1), Snapshot(2) }, {}, {});
  const auto known = list.After(0).Revision;
  list.Update({}, {}, {});
  list.Update({ Snapshot(1, "w.h5") }, {}, {});
  const auto changes = list.After(known);
  EXPECT_EQ(NumbersOf(changes), Numbers({ 1 }));
  EXPECT_EQ(changes.Gone, std::vector<SnapshotId>{ SnapshotId(2) });
}

TEST(SnapshotChanges, GivesTheWholeListToAViewerThatMissedTooMuch)
{
  SnapshotChanges list;
  list.Update({ Snapshot(1) }, {}, {});
  const auto known = list.After(0).Revision;
  for (std::uint64_t number = 2; number < 20000; ++number)
  {
    list.Update({ Snapshot(number) }, {}, {});
  }
  EXPECT_EQ(list.After(known).Since, 0U);
  const auto recent = list.After(0).Revision - 1;
  EXPECT_EQ(list.After(recent).Gone.size(), 1U);
}
}
