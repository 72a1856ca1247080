// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/SnapshotGroups.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <string>
#include <vector>

namespace
{

using namespace dsm;

using Numbers = std::vector<std::uint64_t>;

// Times are seconds of a clock that the test moves.
class SnapshotGroupsTest : public ::testing::Test
{
protected:
  Clock::time_point At(double seconds) const
  {
    return this->Begin + std::chrono::duration_cast<Clock::duration>(Seconds(seconds));
  }

  // A process of a job; the image that it has begun.
  ImageId Create(
    const std::string& peer, const std::string& file, double when, const std::string& job = "job")
  {
    this->Groups.Begun(
      ++this->LastImage, { peer, job, this->Processes, true }, file, this->At(when));
    return this->LastImage;
  }
  // The snapshot that it becomes, which is due at once.
  SnapshotId Seal(ImageId image, double when, bool goesOn = false)
  {
    this->Groups.Sealed(image, ++this->LastSnapshot, goesOn);
    this->Groups.Due(this->LastSnapshot, this->At(when));
    return this->LastSnapshot;
  }
  SnapshotId Write(
    const std::string& peer, const std::string& file, double when, const std::string& job = "job")
  {
    return this->Seal(this->Create(peer, file, when, job), when);
  }
  // Step by step, each process its file.
  void WriteStep(int step, double when)
  {
    for (std::uint64_t rank = 0; rank < this->Processes; ++rank)
    {
      this->Write(std::to_string(rank), Name(step, rank), when);
    }
  }
  static std::string Name(int step, std::uint64_t rank)
  {
    return fmt::format("/run3/out.{:04}.p{}.h5", step, rank);
  }

  std::vector<Numbers> Told(double when)
  {
    return NumbersOf(this->Groups.TakeReady(this->At(when)));
  }
  static std::vector<Numbers> NumbersOf(const std::vector<SnapshotGroups::Group>& groups)
  {
    std::vector<Numbers> numbers;
    numbers.reserve(groups.size());
    for (const auto& group : groups)
    {
      numbers.emplace_back(group.Snapshots.begin(), group.Snapshots.end());
    }
    return numbers;
  }

  const Clock::time_point Begin = Clock::now();
  SnapshotGroups Groups;
  std::uint64_t Processes = 3;
  ImageId LastImage = 0;
  SnapshotId LastSnapshot = 0;
};

const std::vector<Numbers> Nothing;

TEST_F(SnapshotGroupsTest, AStepIsAsManyFilesAsProcesses)
{
  for (int step = 0; step < 4; ++step)
  {
    const auto one = this->Create("b", Name(step, 10), step);
    const auto two = this->Create("a", Name(step, 2), step);
    const auto three = this->Create("c", Name(step, 11), step);
    const auto first = this->Seal(one, step + 0.1);
    EXPECT_EQ(this->Told(step + 0.1), Nothing);
    this->Seal(two, step + 0.2);
    EXPECT_EQ(this->Told(step + 0.4), Nothing) << "one is still open";
    this->Seal(three, step + 0.5);
    const auto told = this->Groups.TakeReady(this->At(step + 0.5));
    ASSERT_EQ(told.size(), 1u) << step;
    EXPECT_EQ(
      told.front().Snapshots, (std::vector{ SnapshotId(first + 1), first, SnapshotId(first + 2) }))
      << "2, 10, 11";
    EXPECT_EQ(told.front().Name, fmt::format("/run3/out.{:04}.p*.h5", step));
    EXPECT_EQ(told.front().Missing, 0u);
    EXPECT_EQ(this->Told(step + 0.5), Nothing) << "told once";
  }
}

// So that who keeps a number of snapshots counts it once.
TEST_F(SnapshotGroupsTest, TheGroupIsKnownBefore)
{
  const SnapshotGroups::Writer other{ "1", "job", this->Processes, true };
  const auto one = this->Create("0", Name(0, 0), 0);
  EXPECT_EQ(this->Groups.WillJoin(one).Number, 0u) << "nobody knows yet";
  this->Groups.Sealed(one, ++this->LastSnapshot, false);
  EXPECT_FALSE(this->Groups.WouldJoin(other, Name(0, 1)).HasOthers);
  const auto two = this->Create("1", Name(0, 1), 0);
  const auto three = this->Create("2", Name(0, 2), 0);
  const auto group = this->Groups.WillJoin(two).Number;
  EXPECT_GT(group, 0u);
  EXPECT_FALSE(this->Groups.WillJoin(two).HasOthers);
  this->Groups.Sealed(two, ++this->LastSnapshot, false);
  EXPECT_EQ(this->Groups.WillJoin(three).Number, group);
  EXPECT_TRUE(this->Groups.WillJoin(three).HasOthers);
  EXPECT_FALSE(this->Groups.WouldJoin(other, Name(1, 1)).HasOthers) << "the next step";
  const auto next = this->Create("0", Name(1, 0), 0);
  EXPECT_GT(this->Groups.WillJoin(next).Number, group);
  EXPECT_FALSE(this->Groups.WouldJoin(other, Name(1, 1)).HasOthers) << "nothing is there yet";
  this->Groups.Sealed(next, ++this->LastSnapshot, false);
  EXPECT_TRUE(this->Groups.WouldJoin(other, Name(1, 1)).HasOthers);
}

TEST_F(SnapshotGroupsTest, WhoeverWritesByHimselfIsToldAtOnce)
{
  this->Processes = 1;
  this->Write("a", "/out.1.h5", 0);
  EXPECT_EQ(this->Told(0), (std::vector<Numbers>{ { 1 } }));
  this->Processes = 3;
  this->Write("a", "/out.2.h5", 0, "");
  EXPECT_EQ(this->Told(0), (std::vector<Numbers>{ { 2 } })) << "a job that is not known";
}

// Rank 0 writes for all.
TEST_F(SnapshotGroupsTest, OnlyTheFirstFileOfOneProcessWaits)
{
  this->Write("0", "/out.1.h5", 0);
  EXPECT_EQ(this->Told(0.9), Nothing);
  EXPECT_EQ(this->Told(1.1), (std::vector<Numbers>{ { 1 } }));
  this->Write("0", "/out.2.h5", 2);
  EXPECT_EQ(this->Told(2), (std::vector<Numbers>{ { 2 } }));
}

// Where several processes write a file together there are likely no others.
TEST_F(SnapshotGroupsTest, TheFirstFileOfSeveralProcessesDoesNotWait)
{
  const auto write = [this](const std::string& file, const std::string& peer, double when)
  {
    this->Groups.Begun(++this->LastImage, { peer, "job", 2, false }, file, this->At(when));
    this->Seal(this->LastImage, when);
  };
  write("/out.0.node0.h5", "0", 0);
  EXPECT_EQ(this->Told(0), (std::vector<Numbers>{ { 1 } }));
  write("/out.0.node1.h5", "1", 0);
  EXPECT_EQ(this->Told(0), (std::vector<Numbers>{ { 1, 2 } })) << "but if there are";
}

TEST_F(SnapshotGroupsTest, ProcessesThatTakeTurnsAreNoParts)
{
  this->Write("0", "/out.1.h5", 0);
  EXPECT_EQ(this->Told(1).size(), 1u);
  this->Write("1", "/out.2.h5", 10);
  this->Told(21);
  this->Write("0", "/out.3.h5", 30);
  EXPECT_EQ(this->Told(30), (std::vector<Numbers>{ { 3 } }));
  this->Write("1", "/out.4.h5", 40);
  EXPECT_EQ(this->Told(40), (std::vector<Numbers>{ { 4 } }));
}

TEST_F(SnapshotGroupsTest, NotAllProcessesNeedToWrite)
{
  this->Processes = 100;
  this->Write("0", Name(0, 0), 0);
  this->Write("50", Name(0, 50), 0.2);
  EXPECT_EQ(this->Told(1.1), Nothing) << "others may come";
  EXPECT_EQ(this->Told(1.3), (std::vector<Numbers>{ { 1, 2 } }));
  this->Write("0", Name(1, 0), 2);
  this->Write("50", Name(1, 50), 2);
  EXPECT_EQ(this->Told(2), (std::vector<Numbers>{ { 3, 4 } })) << "it is known who writes";
}

TEST_F(SnapshotGroupsTest, OneThatComesLateIsToldWithTheOthers)
{
  this->Write("0", Name(0, 0), 0);
  this->Write("1", Name(0, 1), 0);
  EXPECT_EQ(this->Told(1), (std::vector<Numbers>{ { 1, 2 } }));
  this->Write("2", Name(0, 2), 5);
  EXPECT_EQ(this->Told(5), (std::vector<Numbers>{ { 1, 2, 3 } }));
}

// Programs that do not wait for each other, of which one starts early.
TEST_F(SnapshotGroupsTest, WhatWasToldBeforeOthersCameIsToldAgainWithThem)
{
  this->Write("0", Name(0, 0), 0);
  EXPECT_EQ(this->Told(1), (std::vector<Numbers>{ { 1 } }));
  this->Write("0", Name(1, 0), 2);
  EXPECT_EQ(this->Told(2), (std::vector<Numbers>{ { 2 } }));
  this->Write("1", Name(0, 1), 3);
  EXPECT_EQ(this->Told(3), Nothing);
  this->Write("2", Name(0, 2), 4);
  EXPECT_EQ(this->Told(4), (std::vector<Numbers>{ { 1, 3, 4 } }));
  this->Write("2", Name(1, 2), 5);
  this->Write("1", Name(1, 1), 6);
  EXPECT_EQ(this->Told(6), (std::vector<Numbers>{ { 2, 6, 5 } }));
}

TEST_F(SnapshotGroupsTest, OneMayHaveEndedBeforeTheNextBegins)
{
  this->Write("0", Name(0, 0), 0);
  this->Write("0", Name(1, 0), 0);
  this->Groups.Gone("0", this->At(0.5));
  EXPECT_EQ(this->Told(1).size(), 2u);
  this->Write("1", Name(0, 1), 2);
  this->Write("1", Name(1, 1), 2);
  this->Groups.Gone("1", this->At(2));
  this->Write("2", Name(0, 2), 3);
  this->Write("2", Name(1, 2), 3);
  EXPECT_EQ(this->Told(3), (std::vector<Numbers>{ { 1, 3, 5 }, { 2, 4, 6 } }));
}

// MPICH's launcher gives them no names.
TEST_F(SnapshotGroupsTest, TheNextRunMayHaveTheSameName)
{
  for (int run = 0; run < 3; ++run)
  {
    for (int step = 0; step < 2; ++step)
    {
      for (std::uint64_t rank = 0; rank < this->Processes; ++rank)
      {
        this->Write(fmt::format("{} {}", run, rank), Name(step, rank), run);
      }
      EXPECT_EQ(this->Told(run).size(), 1u) << run << " " << step;
    }
    for (std::uint64_t rank = 0; rank < this->Processes; ++rank)
    {
      this->Groups.Gone(fmt::format("{} {}", run, rank), this->At(run));
    }
    EXPECT_EQ(this->Told(run + 0.5).size(), 0u);
  }
}

TEST_F(SnapshotGroupsTest, ProcessesNeedNotKeepStep)
{
  this->WriteStep(0, 0);
  EXPECT_EQ(this->Told(0).size(), 1u);
  this->Write("0", Name(1, 0), 1);
  this->Write("0", Name(2, 0), 2);
  this->Write("1", Name(1, 1), 2);
  EXPECT_EQ(this->Told(3), Nothing);
  const auto last = this->Write("2", Name(1, 2), 4);
  EXPECT_EQ(this->Told(4), Nothing) << "step 2 might come to nothing, and have the lower number";
  this->Write("1", Name(2, 1), 5);
  EXPECT_EQ(this->Told(5), (std::vector<Numbers>{ { 4, 6, last } }));
  this->Write("2", Name(2, 2), 6);
  EXPECT_EQ(this->Told(6), (std::vector<Numbers>{ { 5, 8, 9 } }));
}

TEST_F(SnapshotGroupsTest, WhatComesBehindAnIncompleteGroupWaits)
{
  this->WriteStep(0, 0);
  this->Told(0);
  this->Write("0", Name(1, 0), 1);
  this->Write("else", "/else.h5", 1, "");
  EXPECT_EQ(this->Told(1), Nothing);
  this->Write("1", Name(1, 1), 2);
  EXPECT_EQ(this->Told(2), (std::vector<Numbers>{ { 5 } })) << "the group's number will be higher";
  this->Write("2", Name(1, 2), 3);
  EXPECT_EQ(this->Told(3), (std::vector<Numbers>{ { 4, 6, 7 } }));
}

TEST_F(SnapshotGroupsTest, OneThatDoesNotComeIsWaitedForTenSeconds)
{
  this->WriteStep(0, 0);
  this->Told(0);
  this->Write("0", Name(1, 0), 1);
  this->Write("2", Name(1, 2), 2);
  EXPECT_EQ(this->Told(11), Nothing);
  const auto told = this->Groups.TakeReady(this->At(12.1));
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told.front().Snapshots, (std::vector<SnapshotId>{ 4, 5 }));
  EXPECT_EQ(told.front().Missing, 1u);
  this->Write("1", Name(1, 1), 20);
  EXPECT_EQ(this->Told(20), (std::vector<Numbers>{ { 4, 6, 5 } })) << "it came all the same";
}

TEST_F(SnapshotGroupsTest, WhoHasEndedOrGoneOnIsNotWaitedFor)
{
  this->WriteStep(0, 0);
  this->Told(0);
  this->Write("0", Name(1, 0), 1);
  this->Groups.Gone("1", this->At(1));
  EXPECT_EQ(this->Told(2), Nothing);
  this->Write("2", Name(2, 2), 3);
  EXPECT_EQ(this->Told(3), (std::vector<Numbers>{ { 4 } })) << "2 has left step 1 out";
}

// As a program does that keeps one file in each process, and writes it again or flushes it.
TEST_F(SnapshotGroupsTest, AFileOfTheSameNameIsOfTheNextGroup)
{
  this->Processes = 2;
  for (int time = 0; time < 3; ++time)
  {
    this->Write("0", "/state.0.h5", time);
    this->Write("1", "/state.1.h5", time);
    const auto last = this->LastSnapshot;
    EXPECT_EQ(this->Told(time), (std::vector<Numbers>{ { last - 1, last } }));
  }
  const auto one = this->Create("0", "/log.0.h5", 10);
  const auto other = this->Create("1", "/log.1.h5", 10);
  for (int time = 11; time < 14; ++time)
  {
    this->Seal(one, time, true);
    this->Seal(one, time + 0.1, true);
    this->Seal(other, time + 0.2, true);
    this->Seal(other, time + 0.3, true);
    const auto last = this->LastSnapshot;
    EXPECT_EQ(
      this->Told(time + 0.3), (std::vector<Numbers>{ { last - 3, last - 1 }, { last - 2, last } }));
  }
}

TEST_F(SnapshotGroupsTest, JobsAndStreamsAreApart)
{
  this->Processes = 2;
  for (int step = 0; step < 2; ++step)
  {
    for (const char* rank : { "0", "1" })
    {
      for (const char* job : { "one", "two" })
      {
        this->Write(
          std::string(job) + rank, fmt::format("/{}/a.{}.{}.h5", job, step, rank), step, job);
        this->Write(
          std::string(job) + rank, fmt::format("/{}/b.{}.{}.h5", job, step, rank), step, job);
      }
    }
    const auto first = this->LastSnapshot - 7;
    EXPECT_EQ(this->Told(step),
      (std::vector<Numbers>{ { first, first + 4 }, { first + 1, first + 5 },
        { first + 2, first + 6 }, { first + 3, first + 7 } }));
  }
}

TEST_F(SnapshotGroupsTest, AGroupThatDoesNotFitIsNotTold)
{
  this->WriteStep(0, 0);
  this->Told(0);
  this->Write("0", Name(1, 0), 1);
  this->Write("1", Name(1, 1), 1);
  EXPECT_EQ(this->Groups.Left(4), "/run3/out.0001.p*.h5");
  EXPECT_EQ(this->Groups.Left(5), std::nullopt) << "said once";
  const auto last = this->Write("2", Name(1, 2), 2);
  EXPECT_EQ(this->Told(20), Nothing);
  EXPECT_EQ(this->Groups.TakeUseless(), std::vector{ last });

  // One for which there was no room at all.
  this->Write("0", Name(2, 0), 30);
  this->Groups.Ended(this->Create("1", Name(2, 1), 30), true);
  this->Write("2", Name(2, 2), 30);
  EXPECT_EQ(this->Told(50), Nothing);
  EXPECT_EQ(this->Groups.TakeUseless().size(), 2u);

  this->WriteStep(3, 60);
  EXPECT_EQ(this->Told(60).size(), 1u);
}

TEST_F(SnapshotGroupsTest, AtTheEndAllAreTold)
{
  this->WriteStep(0, 0);
  this->Told(0);
  this->Write("0", Name(1, 0), 1);
  this->Write("1", Name(1, 1), 1);
  this->Write("0", "/single.h5", 1);
  EXPECT_EQ(this->Told(1), Nothing);
  EXPECT_EQ(NumbersOf(this->Groups.TakeAll()), (std::vector<Numbers>{ { 4, 5 }, { 6 } }));
  EXPECT_EQ(NumbersOf(this->Groups.TakeAll()), Nothing);
}

// What it costs is measured elsewhere; that it does not grow with the square of the processes shows
// in the time that this takes.
TEST_F(SnapshotGroupsTest, ThousandsOfProcesses)
{
  this->Processes = 4000;
  for (int step = 0; step < 5; ++step)
  {
    std::vector<Numbers> told;
    for (std::uint64_t rank = 0; rank < this->Processes; ++rank)
    {
      this->Write(std::to_string(rank), Name(step, rank), step);
      const auto now = this->Told(step);
      told.insert(told.end(), now.begin(), now.end());
    }
    ASSERT_EQ(told.size(), 1u);
    EXPECT_EQ(told.front().size(), this->Processes);
  }
}

TEST_F(SnapshotGroupsTest, LateFileOfAnnouncedStepIsWithheldWhenTheNextStepIsAnnounced)
{
  this->Processes = 2;
  this->WriteStep(0, 0);
  EXPECT_EQ(this->Told(0), (std::vector<Numbers>{ { 1, 2 } }));
  this->WriteStep(1, 1);
  const auto late = this->Write("0", Name(0, 0), 1);
  EXPECT_EQ(this->Told(1), (std::vector<Numbers>{ { 3, 4 } }));
  EXPECT_EQ(this->Groups.TakeUseless(), std::vector{ late });
}

TEST_F(SnapshotGroupsTest, SnapshotIsDueAfterAnotherProcessTookItsWritersPlace)
{
  this->Processes = 2;
  this->WriteStep(0, 0);
  this->Told(0);
  this->Groups.Sealed(this->Create("0", Name(1, 0), 1), ++this->LastSnapshot, false);
  const auto sealed = this->LastSnapshot;
  this->Groups.Gone("0", this->At(1));
  this->Create("0 again", Name(2, 0), 2);
  this->Groups.Due(sealed, this->At(2));
  this->Write("1", Name(1, 1), 2);
  EXPECT_EQ(this->Told(60), (std::vector<Numbers>{ { sealed, sealed + 1 } }));
}

TEST_F(SnapshotGroupsTest, GroupWaitsForAProcessThatReconnected)
{
  this->Processes = 2;
  this->WriteStep(0, 0);
  this->Told(0);
  this->Groups.Gone("0", this->At(1));
  const ImageId image = this->Create("0", Name(1, 0), 2);
  this->Write("1", Name(1, 1), 2);
  EXPECT_EQ(this->Told(3), Nothing);
  EXPECT_EQ(this->Seal(image, 3), 4U);
  EXPECT_EQ(this->Told(4), (std::vector<Numbers>{ { 4, 3 } }));
}

TEST_F(SnapshotGroupsTest, ProcessThatReconnectedIsNotReplacedByAnotherWithItsNumbers)
{
  this->Processes = 2;
  this->WriteStep(0, 0);
  this->Told(0);
  this->Groups.Gone("0", this->At(1));
  const ImageId image = this->Create("0", Name(1, 0), 2);
  this->Create("0 again", Name(2, 0), 3);
  EXPECT_EQ(this->Seal(image, 3, true), 3U) << "it is still known";
  EXPECT_EQ(this->Told(4), (std::vector<Numbers>{ { 3 } })) << "two processes have its numbers";
}

}
