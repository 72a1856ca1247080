// SPDX-License-Identifier: BSD-3-Clause
#include "Base/Error.h"
#include "Server/Core/JointReads.h"
#include "Server/Core/SnapshotTable.h"

#include <gtest/gtest.h>

#include <optional>

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

TEST(SnapshotTable, FindsTheNextOfANameThatIsNotHidden)
{
  dsm::SnapshotTable table;
  EXPECT_EQ(table.NextNamed("/a", 0), nullptr);
  for (const char* name : { "/a", "/b", "/a", "/a" })
  {
    table.Add(Named(name));
  }
  EXPECT_EQ(table.NextNamed("/a", 0)->Number, 1u);
  EXPECT_EQ(table.NextNamed("/a", 1)->Number, 3u);
  EXPECT_EQ(table.NextNamed("/a", 4), nullptr);
  EXPECT_EQ(table.NextNamed("/b", 2), nullptr);
  table.Hide(3);
  EXPECT_EQ(table.NextNamed("/a", 1)->Number, 4u);
  table.Show(3);
  EXPECT_EQ(table.NextNamed("/a", 1)->Number, 3u);
}

TEST(SnapshotTable, CountsWhatAViewerHasMissed)
{
  dsm::SnapshotTable table;
  for (int number = 1; number <= 8; ++number)
  {
    table.Add(Named("/" + std::to_string(number)));
  }
  table.Hide(4);
  table.Gather({ 5, 6 }, "/whole");
  EXPECT_EQ(table.CountsFor(1, 2).Missed, 0u);
  EXPECT_EQ(table.CountsFor(1, 8).InMemory, 6u)
    << "all but one that is hidden and one that is a part";
  for (const std::uint64_t number : { 1, 2, 4, 5, 6 })
  {
    table.Remove(dsm::SnapshotId(number));
  }
  const auto counts = table.CountsFor(1, 8);
  EXPECT_EQ(counts.InMemory, 3u);
  EXPECT_EQ(counts.Missed, 2u) << "2, and 5 and 6 together: nobody was told of 4";
  EXPECT_EQ(table.CountsFor(2, 8).Missed, 1u);
  EXPECT_EQ(table.CountsFor(0, 8).Missed, 0u) << "it has only come";
  EXPECT_EQ(table.CountsFor(8, 3).Missed, 0u);
}

TEST(SnapshotTable, WhoWasLostReadsAgain)
{
  dsm::SnapshotTable table;
  table.Add(Named("/a"));
  table.Take(1);
  table.Retain(1);
  table.Release(1, true); // by who took it, or its other ranks
  table.TakerLost(1);
  EXPECT_FALSE(table.WasRead(1));
  EXPECT_TRUE(table.Evictable(false).empty());
  EXPECT_EQ(table.Evictable(true).size(), 1u);
  table.Take(1);
  EXPECT_TRUE(table.Evictable(true).empty()) << "held";
  table.GiveBack(1);
  EXPECT_TRUE(table.WasRead(1));
  EXPECT_EQ(table.Evictable(false).size(), 1u);
  table.TakerLost(7); // left the ring meanwhile
  table.GiveBack(1);  // once too often
  EXPECT_EQ(table.Evictable(false).size(), 1u);
}

TEST(SnapshotTable, SeveralAreOne)
{
  dsm::SnapshotTable table;
  table.Add(Named("/out.1.p1.h5"));
  table.Add(Named("/other.h5"));
  table.Add(Named("/out.1.p0.h5"));
  table.Add(Named("/out.2.p0.h5"), 7);
  table.Hide(4);
  EXPECT_EQ(table.Count(), 4u);
  table.Add(Named("/out.2.p1.h5"), 7);
  table.Hide(5);
  EXPECT_EQ(table.Count(), 4u) << "those of one group are one";
  EXPECT_FALSE(table.Counts(4));
  table.Gather({ 3, 1 }, "/out.1.p*.h5");
  EXPECT_EQ(table.Count(), 3u);
  EXPECT_EQ(table.Count({ 1, 3 }), 2u);
  EXPECT_EQ(table.GroupOf(1), (std::vector<dsm::SnapshotId>{ 1, 3 }));
  EXPECT_EQ(table.GroupOf(2), std::vector<dsm::SnapshotId>{ 2 });

  const auto shown = table.Shown();
  ASSERT_EQ(shown.size(), 2u);
  EXPECT_EQ(shown.front().Number, 2u);
  EXPECT_EQ(shown.back().Number, 3u);
  EXPECT_EQ(shown.back().FileName, "/out.1.p*.h5");
  EXPECT_EQ(shown.back().Step, 1) << "not the part's number";
  EXPECT_EQ(shown.back().Parts, (std::vector<dsm::SnapshotId>{ 3, 1 })) << "as they were given";
  EXPECT_EQ(table.After(0, true)->Number, 2u) << "a part stands in no order";
  EXPECT_EQ(table.After(2, true)->Number, 3u);
  EXPECT_EQ(table.NewestNamed("/out.1.p1.h5")->Number, 1u) << "but has its name";
  EXPECT_EQ(table.NewestMatching("out.1.*")->Number, 3u);
  EXPECT_EQ(table.NewestMatching("*.p1.h5")->Number, 1u) << "who wants only that";
  EXPECT_EQ(table.NewestMatching("")->Number, 3u);
}

TEST(SnapshotTable, TheyAreReadKeptAndGoTogether)
{
  dsm::SnapshotTable table;
  for (const char* name : { "/out.1.p0.h5", "/out.1.p1.h5", "/later.h5" })
  {
    table.Add(Named(name));
  }
  table.Gather({ 1, 2 }, "/out.1.p*.h5");
  const std::vector<dsm::SnapshotId> all{ 1, 2, 3 };
  EXPECT_EQ(table.Evictable(true), all);
  table.Retain(1);
  EXPECT_EQ(table.Evictable(true), std::vector<dsm::SnapshotId>{ 3 }) << "one part is in use";
  table.Release(1, true);
  EXPECT_TRUE(table.Evictable(false).empty()) << "one part was read";
  table.Retain(2);
  table.Release(2, true);
  EXPECT_EQ(table.Evictable(false), (std::vector<dsm::SnapshotId>{ 1, 2 })) << "the whole was";

  // With one of them the whole is gone, whatever is left of it.
  table.Remove(2);
  EXPECT_EQ(table.Shown().size(), 1u);
  EXPECT_EQ(table.Evictable(false), std::vector<dsm::SnapshotId>{ 1 });
}

TEST(SnapshotTable, OneThatComesLateBringsTheOthersAlong)
{
  dsm::SnapshotTable table;
  for (const char* name : { "/out.1.p0.h5", "/out.1.p1.h5", "/out.1.p2.h5" })
  {
    table.Add(Named(name));
  }
  table.Gather({ 1, 2 }, "/out.1.p*.h5");
  table.Gather({ 1, 2, 3 }, "/out.1.p*.h5");
  const auto shown = table.Shown();
  ASSERT_EQ(shown.size(), 1u);
  EXPECT_EQ(shown.front().Number, 3u);
  EXPECT_EQ(table.Find(2)->Parts, std::vector<dsm::SnapshotId>());
  EXPECT_EQ(table.GroupOf(2).size(), 3u);
}

// A viewer that starts again is faster than the news that the one before was killed.
TEST(SnapshotTable, WhoWasLostTakesNothingFromOthers)
{
  dsm::SnapshotTable table;
  table.Add(Named("/a"));
  table.Take(1); // killed, and nobody knows yet
  table.Take(1);
  table.GiveBack(1);
  EXPECT_TRUE(table.Evictable(false).empty()) << "held by the lost one";
  table.TakerLost(1);
  EXPECT_TRUE(table.WasRead(1));
  EXPECT_EQ(table.Evictable(false).size(), 1u);
}

TEST(SnapshotTable, RemembersWhichHaveLeft)
{
  dsm::SnapshotTable table;
  dsm::SnapshotDescription first = Named("/a");
  first.SealedAt = 10;
  table.Add(first);
  table.Add(Named("/a"));
  EXPECT_FALSE(table.GoneNamed("/a"));
  table.Remove(1);
  EXPECT_FALSE(table.GoneNamed("/a")); // the newest is there
  table.Add(first);
  table.Remove(3);
  // The newest went before an older one, which somebody has open.
  EXPECT_EQ(table.GoneNamed("/a")->Number, 3u);
  EXPECT_EQ(table.GoneNamed("/a")->SealedAt, 10);
  table.Remove(2);
  EXPECT_EQ(table.GoneNamed("/a")->Number, 3u);
  table.Add(Named("/a"));
  EXPECT_FALSE(table.GoneNamed("/a"));
  EXPECT_FALSE(table.GoneNamed("/b"));
  // Deleted by the simulation: there is no such file, then.
  table.ForgetName("/a");
  table.Remove(4);
  EXPECT_FALSE(table.GoneNamed("/a"));
  // Again, and it has its whole turn.
  table.Remove(table.Add(Named("/a")).Number);
  table.ForgetName("/a");
  table.Remove(table.Add(Named("/b")).Number);
  table.Remove(table.Add(Named("/a")).Number);
  for (int i = 0; i < 65534; ++i)
  {
    table.Remove(table.Add(Named("/in." + std::to_string(i))).Number);
  }
  EXPECT_TRUE(table.GoneNamed("/b"));
  table.Remove(table.Add(Named("/one more")).Number);
  EXPECT_FALSE(table.GoneNamed("/b"));
  EXPECT_TRUE(table.GoneNamed("/a"));
  for (int i = 0; i < 70000; ++i)
  {
    table.Remove(table.Add(Named("/out." + std::to_string(i))).Number);
  }
  EXPECT_FALSE(table.GoneNamed("/out.0"));
  EXPECT_EQ(table.GoneNamed("/out.69999")->Number, table.LastNumber());
}

// The version of /p that belongs to a version of the master /m; 0: gone; none: unknown.
std::optional<dsm::SnapshotId> VersionOf(
  const dsm::SnapshotTable& table, dsm::SnapshotId master, dsm::SnapshotId known = 0)
{
  try
  {
    return table.Version("/p", known, master).Number;
  }
  catch (const dsm::Error& error)
  {
    return error.GetFault() == dsm::Fault::Gone ? std::optional(dsm::SnapshotId(0)) : std::nullopt;
  }
}

TEST(SnapshotTable, FindsThePartOfAMasterWrittenBehindItsParts)
{
  dsm::SnapshotTable table;
  for (const char* name : { "/p", "/m", "/p", "/p", "/m", "/p" })
  {
    table.Add(Named(name));
  }
  EXPECT_EQ(VersionOf(table, 2), 1u);
  EXPECT_EQ(VersionOf(table, 5), 4u);
  table.Remove(1);
  EXPECT_EQ(VersionOf(table, 2), 0u);
  EXPECT_EQ(VersionOf(table, 5), 4u);
  table.Remove(4);
  EXPECT_EQ(VersionOf(table, 5), 0u) << "an older one stays, and is another state";
  table.Remove(2);
  EXPECT_EQ(VersionOf(table, 2), 0u);
}

TEST(SnapshotTable, FindsThePartOfAMasterWrittenBeforeItsParts)
{
  dsm::SnapshotTable table;
  for (const char* name : { "/m", "/p", "/m", "/p", "/x" })
  {
    table.Add(Named(name));
  }
  EXPECT_EQ(VersionOf(table, 1), 2u);
  EXPECT_EQ(VersionOf(table, 3), 4u);
  EXPECT_EQ(VersionOf(table, 5), 4u);
  table.Remove(2);
  EXPECT_EQ(VersionOf(table, 1), 0u);
  EXPECT_EQ(VersionOf(table, 3), 4u);
}

TEST(SnapshotTable, FindsAPartThatCameBehindTheOnlyMaster)
{
  dsm::SnapshotTable table;
  table.Add(Named("/m"));
  EXPECT_EQ(VersionOf(table, 1), std::nullopt);
  table.Add(Named("/p"));
  table.Add(Named("/p"));
  EXPECT_EQ(VersionOf(table, 1), 3u) << "as on disk: the newest";
}

TEST(SnapshotTable, FindsAPartThatWasRenamed)
{
  dsm::SnapshotTable table;
  table.Add(Named("/p.tmp"));
  table.Add(Named("/m"));
  EXPECT_EQ(VersionOf(table, 2), std::nullopt);
  EXPECT_EQ(VersionOf(table, 2, 1), 1u);
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

TEST(SnapshotTable, KeepsTheNewestCheckpointOfEachStream)
{
  dsm::SnapshotTable table;
  const auto add = [&table](const std::string& name, const std::string& stream)
  {
    dsm::SnapshotDescription snapshot = Named(name);
    snapshot.Stream = stream;
    table.Add(snapshot);
  };
  add("/a.chk.1.h5", "a.chk.#.h5");
  add("/out.1.h5", "out.#.h5");
  add("/a.chk.2.h5", "a.chk.#.h5");
  add("/b.chk.h5", "b.chk.h5");
  EXPECT_EQ(table.Evictable(true), (std::vector<dsm::SnapshotId>{ 1, 2, 3, 4 }));
  table.SetCheckpoints("*.chk.*h5");
  EXPECT_EQ(table.Evictable(true), (std::vector<dsm::SnapshotId>{ 1, 2 }));
  add("/a.chk.3.h5", "a.chk.#.h5");
  EXPECT_EQ(table.Evictable(true), (std::vector<dsm::SnapshotId>{ 1, 2, 3 }));
  table.ForgetName("/a.chk.3.h5");
  EXPECT_EQ(table.Evictable(true), (std::vector<dsm::SnapshotId>{ 1, 2, 5 }))
    << "the one before a deleted one is the newest again";
  table.SetCheckpoints("none");
  EXPECT_EQ(table.Evictable(true), (std::vector<dsm::SnapshotId>{ 1, 2, 3, 4, 5 }));
}

TEST(SnapshotTable, KeepsACheckpointInPartsUntilThereIsAWholeOne)
{
  dsm::SnapshotTable table;
  table.SetCheckpoints("*.chk.*h5");
  std::uint64_t groups = 0;
  const auto add = [&](int step, int part)
  {
    dsm::SnapshotDescription snapshot = Named(fmt::format("/a.chk.{}.p{}.h5", step, part));
    snapshot.Stream = "a.chk.#.p#.h5";
    table.Add(snapshot, groups);
    table.Hide(table.Newest()->Number);
  };
  const auto show = [&](const std::vector<dsm::SnapshotId>& parts, bool lacksParts)
  {
    table.Gather(parts, "/a.chk.#.p*.h5");
    std::ranges::for_each(parts, [&](dsm::SnapshotId part) { table.Show(part, lacksParts); });
  };
  using Numbers = std::vector<dsm::SnapshotId>;
  add(1, 0);
  add(1, 1);
  EXPECT_EQ(table.Evictable(true), Numbers{}) << "nobody knows yet that they are one";
  show({ 1, 2 }, false);
  EXPECT_EQ(table.Evictable(true), Numbers{});
  ++groups;
  add(2, 0);
  EXPECT_EQ(table.Evictable(true), Numbers{}) << "a half replaces none";
  add(2, 1);
  show({ 3, 4 }, false);
  EXPECT_EQ(table.Evictable(true), (Numbers{ 1, 2 }));
  for (int step : { 3, 4 })
  {
    ++groups;
    add(step, 0);
    show({ table.Newest()->Number }, true);
  }
  EXPECT_EQ(table.Evictable(true), (Numbers{ 1, 2, 5 }))
    << "nothing between the newest and the last whole one";
  ++groups;
  add(5, 1);
  add(6, 1);
  add(5, 0);
  show({ 7, 9 }, false);
  EXPECT_EQ(table.Evictable(true), (Numbers{ 1, 2, 3, 4, 5, 6 })) << "8 is of the next";
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
  EXPECT_TRUE(table.Evictable(false).empty());
  EXPECT_EQ(table.Evictable(true).front(), 1u);
  table.Retain(1);
  table.Retain(1);
  EXPECT_EQ(table.Evictable(true).front(), 2u);
  table.Release(1, true);
  EXPECT_TRUE(table.Evictable(false).empty()) << "held once more";
  table.Release(1, true);
  EXPECT_EQ(table.Evictable(false).front(), 1u);
  EXPECT_TRUE(table.WasRead(1));
  EXPECT_FALSE(table.WasRead(2));
  table.Retain(2);
  table.Release(2, false);
  EXPECT_FALSE(table.WasRead(2)) << "only looked at";
  table.Retain(1);
  table.Release(1, false);
  EXPECT_TRUE(table.WasRead(1)) << "a later look does not undo it";
}

// Two ranks of a viewer, of which one is an update ahead of the other.
TEST(JointReads, LastUntilAllRanksHaveComeAsOften)
{
  const dsm::CoreTime time;
  dsm::JointReads reads(dsm::Seconds(100), time);
  EXPECT_TRUE(reads.Opened(7, "viewer", "fast", 2, 9)); // 7 had gone: all get 9
  EXPECT_EQ(reads.Closed(7, "viewer", "fast"), std::nullopt);
  EXPECT_FALSE(reads.Opened(7, "viewer", "fast", 2, 9));
  EXPECT_EQ(reads.Chosen(7, "viewer"), 9u);
  EXPECT_EQ(reads.Chosen(7, "another viewer"), std::nullopt);
  EXPECT_FALSE(reads.Opened(7, "viewer", "slow", 2, 9));
  EXPECT_EQ(reads.Closed(7, "viewer", "slow"), std::nullopt);
  EXPECT_EQ(reads.Closed(7, "viewer", "fast"), std::nullopt);
  EXPECT_EQ(reads.Chosen(7, "viewer"), 9u);
  EXPECT_FALSE(reads.Opened(7, "viewer", "slow", 2, 9));
  EXPECT_EQ(reads.Closed(7, "viewer", "slow"), 9u);
  EXPECT_EQ(reads.Closed(7, "viewer", "slow"), std::nullopt);
  EXPECT_TRUE(reads.IsEmpty());
}

TEST(JointReads, EndWhereSomeRanksDoNotCome)
{
  const dsm::CoreTime time;
  dsm::JointReads reads(dsm::Seconds(0), time);
  EXPECT_TRUE(reads.Opened(7, "viewer", "one", 2, 7));
  EXPECT_EQ(reads.Expired(), std::vector<dsm::SnapshotId>{ 7 });
  EXPECT_EQ(reads.Closed(7, "viewer", "one"), std::nullopt);
  EXPECT_TRUE(reads.Opened(7, "viewer", "two", 2, 8));
}

TEST(SnapshotTable, FindsTheNewestThatFitsAPattern)
{
  dsm::SnapshotTable table;
  table.Add(Named("/run/u.1.h5"));
  table.Add(Named("/run/v.1.h5"));
  EXPECT_EQ(table.NewestMatching("")->Number, 2u);
  EXPECT_EQ(table.NewestMatching("u.*")->Number, 1u);
  EXPECT_EQ(table.NewestMatching("w.*:x*"), nullptr);
}

std::vector<dsm::SnapshotId> NumbersOf(const std::vector<dsm::SnapshotDescription>& snapshots)
{
  std::vector<dsm::SnapshotId> numbers;
  numbers.reserve(snapshots.size());
  for (const auto& snapshot : snapshots)
  {
    numbers.push_back(snapshot.Number);
  }
  return numbers;
}

TEST(SnapshotTable, WhoGoesFromOneToTheNextDoesNotMeetWhatIsHidden)
{
  dsm::SnapshotTable table;
  table.Add(Named("/a"));
  table.Hide(1);
  EXPECT_EQ(table.After(0, true), nullptr);
  EXPECT_EQ(table.After(0, false), nullptr);
  EXPECT_EQ(table.NewestMatching("*")->Number, 1u) << "better than none";
  EXPECT_EQ(table.NewestNamed("/a")->Number, 1u);
  table.Add(Named("/a"));
  table.Add(Named("/b"));
  table.Hide(3);
  EXPECT_EQ(table.After(0, true)->Number, 2u);
  EXPECT_EQ(table.After(0, false)->Number, 2u);
  EXPECT_EQ(table.After(2, true), nullptr);
  EXPECT_EQ(table.NewestMatching("*")->Number, 2u);
  EXPECT_EQ(table.NewestMatching("b")->Number, 3u);
  EXPECT_EQ(NumbersOf(table.Shown()), std::vector<dsm::SnapshotId>{ 2 });
  EXPECT_EQ(table.All().size(), 3u);
  table.Show(1);
  EXPECT_EQ(table.After(0, true)->Number, 1u);
  EXPECT_EQ(NumbersOf(table.Shown()), (std::vector<dsm::SnapshotId>{ 1, 2 }));
}

TEST(SnapshotTable, KeepsWhatIsSaidToBeInUseAndAllOfItsGroup)
{
  dsm::SnapshotTable table;
  table.Add(Named("/a"));
  table.Add(Named("/b.p0"));
  table.Add(Named("/b.p1"));
  table.Gather({ 2, 3 }, "/b.p*");
  table.Add(Named("/d"));
  std::set<dsm::SnapshotId> asked;
  const auto without = [&](dsm::SnapshotId used)
  {
    asked.clear();
    return table.Evictable(true,
      [&](const dsm::SnapshotDescription& snapshot)
      {
        asked.insert(snapshot.Number);
        return snapshot.Number == used;
      });
  };
  EXPECT_EQ(without(1), (std::vector<dsm::SnapshotId>{ 2, 3, 4 }));
  EXPECT_EQ(without(3), (std::vector<dsm::SnapshotId>{ 1, 4 }));
  table.Retain(4);
  EXPECT_EQ(without(0), (std::vector<dsm::SnapshotId>{ 1, 2, 3 }));
  EXPECT_EQ(asked, (std::set<dsm::SnapshotId>{ 1, 2, 3 })) << "what is held is not asked for";
}

TEST(SnapshotTable, WhatWasReplacedUnseenGoesFirst)
{
  dsm::SnapshotTable table;
  table.Add(Named("/a"));
  table.Add(Named("/b"));
  table.Add(Named("/c"));
  table.ReplaceHidden(2);
  EXPECT_EQ(table.Evictable(true).front(), 1u) << "it was shown";
  table.Hide(2);
  table.ReplaceHidden(2);
  EXPECT_EQ(table.Evictable(true), (std::vector<dsm::SnapshotId>{ 2, 1, 3 }));
  EXPECT_EQ(table.Evictable(false).front(), 2u) << "nobody will read it";
  table.Retain(2);
  EXPECT_TRUE(table.Evictable(false).empty()) << "but who has it open keeps it";
}

TEST(SnapshotTable, ARenamedFileTakesItsOlderSnapshotsAlong)
{
  dsm::SnapshotTable table;
  for (const char* name : { "/a.1.tmp", "/a.1", "/a.1.tmp", "/b", "/a.1.tmp" })
  {
    table.Add(Named(name));
  }
  const auto changed = table.Rename(3, "/a.1", "a.#", 1);
  ASSERT_EQ(changed.size(), 2u);
  EXPECT_EQ(changed[0].Number, 1u);
  EXPECT_EQ(changed[1].FileName, "/a.1.tmp");
  EXPECT_EQ(table.NewestNamed("/a.1")->Number, 3u);
  EXPECT_EQ(table.Find(1)->FileName, "/a.1");
  EXPECT_EQ(table.Find(3)->Stream, "a.#");
  EXPECT_EQ(table.Find(3)->Step, 1);
  EXPECT_EQ(table.NewestNamed("/a.1.tmp")->Number, 5u) << "a newer file had the name meanwhile";
  EXPECT_TRUE(table.Rename(3, "/a.1", "a.#", 1).empty()) << "it has that name";
  EXPECT_TRUE(table.Rename(7, "/a.1", "a.#", 1).empty()) << "there is none";
}

TEST(SnapshotTable, WhatARenamedFileReplacesIsNotFoundByItsName)
{
  dsm::SnapshotTable table;
  table.Add(Named("/a"));
  table.Add(Named("/b"));
  table.Remove(table.Add(Named("/b")).Number);
  ASSERT_TRUE(table.GoneNamed("/b"));
  table.Rename(1, "/b", "b", {});
  EXPECT_EQ(table.NewestNamed("/b")->Number, 1u);
  EXPECT_FALSE(table.GoneNamed("/b"));
  EXPECT_EQ(table.NewestNamed("/a"), nullptr);
  EXPECT_EQ(table.Find(2)->FileName, "/b") << "it is there for those who know its number";
}

TEST(SnapshotTable, SeveralThatAreOneAreRenamedOneByOne)
{
  for (const bool isGatheredBefore : { false, true })
  {
    dsm::SnapshotTable table;
    table.Add(Named("/out.1.p1.h5.tmp"));
    table.Add(Named("/out.1.p2.h5.tmp"));
    const auto gather = [&] { table.Gather({ 1, 2 }, "/out.1.p*.h5.tmp"); };
    if (isGatheredBefore)
    {
      gather();
    }
    table.Rename(1, "/out.1.p1.h5", "out.#.p#.h5", 1);
    if (isGatheredBefore)
    {
      EXPECT_EQ(table.Described(2).FileName, "/out.1.p*.h5.tmp") << "half of them";
    }
    table.Rename(2, "/out.1.p2.h5", "out.#.p#.h5", 1);
    if (!isGatheredBefore)
    {
      gather();
    }
    EXPECT_EQ(table.Described(2).FileName, "/out.1.p*.h5");
  }
}

TEST(SnapshotTable, ARenamedFileIsACheckpointByItsNewName)
{
  dsm::SnapshotTable table;
  table.SetCheckpoints("*.chk.h5");
  table.Add(Named("/a.chk.h5.tmp"));
  EXPECT_EQ(table.Evictable(true).size(), 1u);
  table.Rename(1, "/a.chk.h5", "a.chk.h5", {});
  EXPECT_TRUE(table.Evictable(true).empty());
  table.Rename(1, "/a.old", "a.old", {});
  EXPECT_EQ(table.Evictable(true).size(), 1u);
}
}
