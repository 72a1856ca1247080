// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/DiskQueue.h"

#include "Base/Error.h"
#include "Server/Core/FileFamilies.h"
#include "Server/Core/SnapshotTable.h"
#include "Server/Core/WrittenFiles.h"

#include <gtest/gtest.h>

namespace
{

using namespace dsm;
using Numbers = std::vector<SnapshotId>;

struct DiskQueueTest : testing::Test
{
  SnapshotTable Table;
  DiskQueue Queue;
  DiskQueue::Time Now = Clock::now();
  std::set<SnapshotId> OnDisk;

  void Rule(const std::string& text)
  {
    this->Queue.SetRule(
      text, [this](SnapshotId number) { return this->OnDisk.contains(number); }, this->Table);
  }

  SnapshotId Enter(const std::string& name, bool flushed = false)
  {
    SnapshotDescription snapshot;
    snapshot.FileName = name;
    snapshot.Stream = "/out.#.h5";
    if (flushed)
    {
      snapshot.Shared.emplace();
    }
    const SnapshotId number = this->Table.Add(snapshot).Number;
    this->Table.Hide(number);
    this->Queue.Entered(number, this->Table);
    return number;
  }

  void Tell(SnapshotId number)
  {
    this->Table.Show(number);
    this->Queue.Told(this->Table.Described(number), this->Table);
  }

  SnapshotId EnterAndTell(const std::string& name, bool flushed = false)
  {
    const SnapshotId number = this->Enter(name, flushed);
    this->Tell(number);
    return number;
  }

  // 0: none
  SnapshotId Begin()
  {
    const auto begun = this->Queue.Begin(this->Now, this->Table);
    return begun ? begun->Number : SnapshotId(0);
  }

  void End(DiskOutcome::Kind how, bool keep = false)
  {
    this->Queue.End({ how, "why" }, keep, this->Now, this->Table);
  }

  Numbers Evictable() const { return this->Table.Evictable(true); }
};

TEST_F(DiskQueueTest, WhatIsToBeOnDiskStaysUntilItIs)
{
  this->Rule("all");
  this->EnterAndTell("/out.1.h5");
  this->EnterAndTell("/out.2.h5");
  EXPECT_TRUE(this->Evictable().empty());
  EXPECT_EQ(this->Queue.Backlog(this->Now, this->Table).Files.size(), 2U);
  EXPECT_EQ(this->Begin(), 1U);
  EXPECT_TRUE(this->Evictable().empty());
  this->End(DiskOutcome::Kind::Written);
  EXPECT_EQ(this->Evictable(), Numbers{ 1 });
  EXPECT_EQ(this->Begin(), 2U);
  EXPECT_TRUE(this->Queue.IsBusy(this->Now));
  this->End(DiskOutcome::Kind::NotWanted);
  EXPECT_FALSE(this->Queue.IsBusy(this->Now));
  EXPECT_EQ(this->Begin(), 0U);
  EXPECT_EQ(this->Evictable(), (Numbers{ 1, 2 }));
}

TEST_F(DiskQueueTest, TheRuleIsAskedOnceViewersAreTold)
{
  this->Rule("every 2");
  const auto shell = this->Enter("/out.1.h5");
  EXPECT_TRUE(this->Evictable().empty()) << "nobody knows yet";
  this->Table.ReplaceHidden(shell);
  this->Queue.ForgetReplaced(this->Table);
  EXPECT_EQ(this->Evictable(), Numbers{ shell });
  const auto first = this->EnterAndTell("/out.1.h5");
  const auto second = this->EnterAndTell("/out.2.h5");
  const auto third = this->EnterAndTell("/out.3.h5");
  EXPECT_EQ(this->Evictable(), (Numbers{ shell, second }));
  EXPECT_EQ(this->Begin(), first);
  this->End(DiskOutcome::Kind::Written);
  EXPECT_EQ(this->Begin(), third);
}

// Each flush of a file that stays open shows the whole file: it is not written all the time.
TEST_F(DiskQueueTest, AFileThatStaysOpenIsNotWrittenAllTheTime)
{
  this->Rule("all");
  const auto start = this->Now;
  this->EnterAndTell("/run.h5", true);
  EXPECT_EQ(this->Begin(), 1U);
  this->EnterAndTell("/run.h5", true);
  this->Now += std::chrono::seconds(10);
  this->End(DiskOutcome::Kind::Written);
  this->Now += std::chrono::seconds(39);
  this->EnterAndTell("/run.h5", true);
  EXPECT_EQ(this->Begin(), 0U);
  EXPECT_EQ(this->Queue.NextTry(), start + std::chrono::seconds(50));
  EXPECT_TRUE(this->Queue.IsBusy(this->Now));
  this->EnterAndTell("/other.h5", true);
  EXPECT_EQ(this->Begin(), 4U) << "others do not wait for it";
  this->End(DiskOutcome::Kind::Written);
  this->Now += std::chrono::seconds(1);
  EXPECT_EQ(this->Begin(), 3U) << "the newest of its states";
  this->Now += std::chrono::seconds(10);
  this->End(DiskOutcome::Kind::Written);
  EXPECT_FALSE(this->Queue.NextTry());
  // What is closed is written at once, and so is all at the end.
  this->EnterAndTell("/run.h5", true);
  EXPECT_EQ(this->Begin(), 0U);
  this->EnterAndTell("/run.h5");
  EXPECT_EQ(this->Begin(), 6U);
  this->End(DiskOutcome::Kind::Written);
  this->EnterAndTell("/run.h5", true);
  EXPECT_EQ(this->Begin(), 0U);
  this->Queue.TryNow();
  EXPECT_EQ(this->Begin(), 7U);
}

TEST_F(DiskQueueTest, AllPartsOfOneAreWrittenAndItCountsOnce)
{
  this->Rule("every 2");
  const auto one = this->Enter("/out.1.p0.h5");
  const auto two = this->Enter("/out.1.p1.h5");
  this->Table.Gather({ one, two }, "/out.1.p*.h5");
  this->Tell(two);
  this->Tell(two); // once more, with a part that came late, say
  EXPECT_EQ(this->Begin(), one);
  this->End(DiskOutcome::Kind::Written);
  EXPECT_EQ(this->Begin(), two);
  this->End(DiskOutcome::Kind::Written);
  this->EnterAndTell("/out.2.h5");
  EXPECT_EQ(this->Begin(), 0U);
  this->EnterAndTell("/out.3.h5");
  EXPECT_EQ(this->Begin(), 4U);
}

TEST_F(DiskQueueTest, LatePartOfAGroupSharesTheGroupsDecision)
{
  this->Rule("every 2");
  const auto late = this->Enter("/out.1.p1.h5");
  const auto first = this->EnterAndTell("/out.1.p0.h5");
  EXPECT_EQ(this->Begin(), first);
  this->End(DiskOutcome::Kind::Written);
  this->Table.Gather({ first, late }, "/out.1.p*.h5");
  this->Tell(first);
  EXPECT_EQ(this->Begin(), late) << "the rule keeps the group";
  this->End(DiskOutcome::Kind::Written);
  this->EnterAndTell("/out.2.h5");
  EXPECT_EQ(this->Begin(), 0U) << "the rule has counted one group";
}

TEST_F(DiskQueueTest, AFlushIsNotWrittenWhereTheFileHasMoreByNow)
{
  this->Rule("all");
  const auto flushed = this->EnterAndTell("/out.1.h5", true);
  const auto other = this->EnterAndTell("/out.2.h5");
  const auto closed = this->EnterAndTell("/out.1.h5");
  EXPECT_EQ(this->Evictable(), Numbers{ flushed });
  EXPECT_EQ(this->Begin(), other);
  this->End(DiskOutcome::Kind::Written);
  EXPECT_EQ(this->Begin(), closed);
}

TEST_F(DiskQueueTest, WhatFailedIsTriedAgainAndHeldOnlyWhereItMust)
{
  this->Rule("all");
  const auto one = this->EnterAndTell("/out.1.h5");
  const auto two = this->EnterAndTell("/out.2.h5");
  EXPECT_EQ(this->Begin(), one);
  this->End(DiskOutcome::Kind::Failed, true);
  EXPECT_EQ(this->Begin(), two);
  this->End(DiskOutcome::Kind::Failed);
  EXPECT_EQ(this->Evictable(), Numbers{ two });
  EXPECT_EQ(this->Begin(), 0U);
  EXPECT_FALSE(this->Queue.IsBusy(this->Now));
  ASSERT_TRUE(this->Queue.NextTry());
  EXPECT_GT(*this->Queue.NextTry(), this->Now);
  this->Now = *this->Queue.NextTry();
  EXPECT_TRUE(this->Queue.IsBusy(this->Now));
  EXPECT_EQ(this->Begin(), one);
  this->End(DiskOutcome::Kind::Written);
  EXPECT_EQ(this->Begin(), two);
  EXPECT_EQ(this->Evictable(), Numbers{ one }) << "it is held while it is written";
  this->End(DiskOutcome::Kind::Failed);
  EXPECT_EQ(this->Begin(), 0U) << "once in each round";
  this->Queue.TryNow();
  EXPECT_EQ(this->Begin(), two);
  this->End(DiskOutcome::Kind::Failed);
  this->Table.Remove(two);
  EXPECT_EQ(this->Queue.Left(two), std::optional<std::string>("why"));
  EXPECT_FALSE(this->Queue.Left(two));
  EXPECT_FALSE(this->Queue.NextTry());
}

// The file that is closed lost its name to the other one while it was open.
TEST_F(DiskQueueTest, AFlushIsNotSupersededByAnotherFileThatHadTheName)
{
  this->Rule("all");
  const auto enter = [this](SnapshotId family, bool named, bool flushed)
  {
    SnapshotDescription snapshot;
    snapshot.FileName = "/a.h5";
    snapshot.Family = family;
    snapshot.Named = named;
    if (flushed)
    {
      snapshot.Shared.emplace();
    }
    const SnapshotId number = this->Table.Add(snapshot).Number;
    this->Queue.Entered(number, this->Table);
    this->Tell(number);
    return number;
  };
  const auto superseded = enter(7, true, true);
  const auto flushed = enter(7, true, true);
  const auto closed = enter(0, false, false);
  const auto other = enter(8, true, false);
  const auto waiting = this->Queue.Backlog(this->Now, this->Table).Files;
  Numbers numbers;
  std::ranges::transform(waiting, std::back_inserter(numbers),
    [](const DiskBacklog::File& file) { return file.Snapshot.Number; });
  EXPECT_EQ(numbers, (Numbers{ flushed, closed, other })) << superseded;
}

TEST_F(DiskQueueTest, WhatIsThereWaitsForANewRule)
{
  const auto saved = this->EnterAndTell("/out.1.h5");
  const auto other = this->EnterAndTell("/out.2.h5");
  this->OnDisk = { saved };
  EXPECT_EQ(this->Begin(), 0U);
  this->Rule("all");
  this->Rule("all");
  EXPECT_EQ(this->Evictable(), Numbers{ saved });
  EXPECT_EQ(this->Begin(), other);
  this->End(DiskOutcome::Kind::Failed, true);
  EXPECT_EQ(this->Evictable(), Numbers{ saved });
  this->Rule("none");
  EXPECT_EQ(this->Evictable(), (Numbers{ saved, other })) << "it is given up";
  EXPECT_TRUE(this->Queue.Failures().empty());
  EXPECT_THROW(this->Rule("every 0"), Error);
}

TEST_F(DiskQueueTest, WhatHadToLeaveIsNotWritten)
{
  this->Rule("all");
  const auto flushed = this->EnterAndTell("/out.1.h5", true);
  const auto other = this->EnterAndTell("/out.2.h5");
  this->Table.Remove(flushed); // whoever holds it: there was no room for its copies
  EXPECT_EQ(this->Begin(), other) << "before it was said";
  this->Table.Remove(other);
  EXPECT_FALSE(this->Queue.Left(flushed));
  EXPECT_FALSE(this->Queue.Left(other));
  this->End(DiskOutcome::Kind::Failed);
  EXPECT_TRUE(this->Queue.Failures().empty());
  EXPECT_EQ(this->Begin(), 0U);
}

TEST(WrittenFiles, AreKnownByWhatTheyAreAndNotByTheirNames)
{
  WrittenFiles files;
  const FileMark mark{ 7, 100, 5 };
  EXPECT_EQ(files.Find(mark), nullptr);
  files.Enter(mark, { 3, 2, "/out.#.h5" });
  ASSERT_NE(files.Find(mark), nullptr);
  EXPECT_EQ(files.Find(mark)->Snapshot, 3U);
  EXPECT_EQ(files.Find({ 7, 100, 6 }), nullptr) << "it was changed";
  EXPECT_EQ(files.Find(mark)->Family, 2U);
  for (std::uint64_t inode = 8; inode < 70000; ++inode)
  {
    files.Enter({ inode, 1, 1 }, { SnapshotId(inode), SnapshotId(inode), "/x" });
  }
  EXPECT_EQ(files.Find(mark), nullptr) << "the oldest is forgotten";
  EXPECT_NE(files.Find({ 69999, 1, 1 }), nullptr);
}

TEST(FileFamilies, StatesOfOneFileAreAFamily)
{
  FileFamilies families;
  families.Enter(2, 2, 1);
  EXPECT_EQ(families.FamilyOf(2), 2U);
  EXPECT_EQ(families.NewestOf(2), 2U);
  families.Enter(5, families.FamilyOf(2), 4);
  families.Enter(9, families.FamilyOf(5), 8);
  EXPECT_EQ(families.FamilyOf(9), 2U);
  EXPECT_EQ(families.NewestOf(2), 9U);
  EXPECT_EQ(families.FamilyOfImage(8), 2U);
  EXPECT_EQ(families.FamilyOfImage(7), 0U);
  for (std::uint64_t number = 100000; number < 170000; ++number)
  {
    families.Enter(SnapshotId(number), 99, ImageId(number));
  }
  EXPECT_EQ(families.NewestOf(2), 2U) << "the oldest are forgotten";
  EXPECT_EQ(families.NewestOf(99), 169999U);
}

}
