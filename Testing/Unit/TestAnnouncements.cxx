// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/Announcements.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace
{

using namespace dsm;

using Numbers = std::vector<SnapshotId>;

// Times are seconds of a clock that the test moves.
class AnnouncementsTest : public ::testing::Test
{
protected:
  Clock::time_point At(double seconds) const
  {
    return this->Begin + std::chrono::duration_cast<Clock::duration>(Seconds(seconds));
  }

  // The image that was begun.
  ImageId Create(const std::string& file, double when, const std::string& owner = "ada")
  {
    this->Telling.Begun(++this->LastImage, owner, file, 0, this->At(when));
    return this->LastImage;
  }
  ImageId Reopen(const std::string& file, SnapshotId snapshot, double when)
  {
    this->Telling.Begun(++this->LastImage, "ada", file, snapshot, this->At(when));
    return this->LastImage;
  }
  // The snapshot that it becomes.
  SnapshotId Seal(
    ImageId image, double when, Announcements::Written written = Announcements::Written::MayBeShell)
  {
    this->Telling.Sealed(image, ++this->LastSnapshot, written, this->At(when));
    return this->LastSnapshot;
  }
  std::optional<Clock::time_point> NextDue() const { return this->Telling.NextDue(); }
  Numbers Due(double when) { return this->Telling.TakeDue(this->At(when)); }

  // An output as AMReX writes it: what viewers are told of while it is written, and behind it.
  struct Told
  {
    Numbers Within;
    Numbers Behind;
  };
  Told Output(const std::string& file, double begin)
  {
    Told told;
    const auto shell = this->Seal(this->Create(file, begin), begin);
    told.Within = this->Due(begin);
    const auto again = this->Reopen(file, shell, begin + 0.05);
    const auto during = this->Due(begin + 1);
    told.Within.insert(told.Within.end(), during.begin(), during.end());
    this->Seal(again, begin + 1);
    told.Behind = this->Due(begin + 1);
    return told;
  }

  const Clock::time_point Begin = Clock::now();
  Announcements Telling;
  ImageId LastImage = 0;
  SnapshotId LastSnapshot = 0;
};

TEST_F(AnnouncementsTest, OfAnUnknownStreamAFileWaitsForAFifthOfASecond)
{
  EXPECT_EQ(this->Seal(this->Create("out.1.h5", 0), 5), 1u);
  EXPECT_EQ(this->Due(5.15), Numbers());
  EXPECT_EQ(this->Due(5.25), Numbers({ 1 }));
  EXPECT_EQ(this->Due(6), Numbers()) << "told once";
}

TEST_F(AnnouncementsTest, OfAnUnknownStreamAWholeFileWaitsAsLongAsItWasOpen)
{
  constexpr auto whole = Announcements::Written::Whole;
  this->Seal(this->Create("quick.1.h5", 0), 0.001, whole);
  EXPECT_EQ(this->Due(0.050), Numbers());
  EXPECT_EQ(this->Due(0.052), Numbers({ 1 }));
  this->Seal(this->Create("slow.1.h5", 1), 1.1, whole);
  EXPECT_EQ(this->Due(1.19), Numbers());
  EXPECT_EQ(this->Due(1.21), Numbers({ 2 }));
  this->Seal(this->Create("slower.1.h5", 2), 5, whole);
  EXPECT_EQ(this->Due(5.19), Numbers());
  EXPECT_EQ(this->Due(5.21), Numbers({ 3 }));
}

TEST_F(AnnouncementsTest, AWholeFileThatIsOpenedAgainAtOnceIsNotTold)
{
  const auto part = this->Seal(this->Create("out.1.h5", 0), 0.03, Announcements::Written::Whole);
  EXPECT_EQ(this->Due(0.07), Numbers());
  const auto again = this->Reopen("out.1.h5", part, 0.07);
  EXPECT_EQ(this->Due(1), Numbers());
  EXPECT_EQ(this->NextDue(), std::nullopt) << "nobody knows how long it is written";
  const auto all = this->Seal(again, 1.1, Announcements::Written::Whole);
  EXPECT_EQ(this->Due(1.1), Numbers({ all }));
}

TEST_F(AnnouncementsTest, SaysWhenTheNextIsDue)
{
  EXPECT_EQ(this->NextDue(), std::nullopt);
  this->Seal(this->Create("out.1.h5", 0), 1);
  EXPECT_EQ(this->Due(1), Numbers());
  EXPECT_EQ(this->NextDue(), this->At(1.2));
  EXPECT_EQ(this->Due(1.2), Numbers({ 1 }));
  EXPECT_EQ(this->NextDue(), std::nullopt);
}

TEST_F(AnnouncementsTest, OrUntilItsWriterCreatesTheNext)
{
  this->Seal(this->Create("out.1.h5", 0), 0);
  this->Create("other.1.h5", 0.01);
  EXPECT_EQ(this->Due(0.01), Numbers()) << "another stream";
  this->Create("out.2.h5", 0.02, "bob");
  EXPECT_EQ(this->Due(0.02), Numbers()) << "another rank, with files of its own";
  const auto next = this->Create("out.3.h5", 0.03);
  EXPECT_EQ(this->Due(0.03), Numbers({ 1 }));
  this->Seal(next, 0.04);
  EXPECT_EQ(this->Due(0.04), Numbers({ 2 })) << "it is known now";
}

TEST_F(AnnouncementsTest, OfAStreamThatOpensNothingAgainNoFileWaits)
{
  this->Seal(this->Create("out.1.h5", 0), 0);
  EXPECT_EQ(this->Due(0.3), Numbers({ 1 }));
  this->Seal(this->Create("out.2.h5", 0.4), 0.5);
  EXPECT_EQ(this->Due(0.5), Numbers({ 2 }));
  this->Seal(this->Create("other.1.h5", 0.4), 0.5);
  EXPECT_EQ(this->Due(0.5), Numbers()) << "another stream";
}

TEST_F(AnnouncementsTest, ShellsAreNeverTold)
{
  for (int step = 0; step < 5; ++step)
  {
    const auto told = this->Output("plt" + std::to_string(step) + ".h5", 10 * step);
    EXPECT_EQ(told.Within, Numbers()) << step;
    EXPECT_EQ(told.Behind, Numbers({ this->LastSnapshot })) << "at once, in step " << step;
    EXPECT_EQ(this->Due(10 * step + 9), Numbers()) << step;
  }
}

TEST_F(AnnouncementsTest, OfAKnownStreamAFileWaitsForTwoSeconds)
{
  this->Output("plt0.h5", 0);
  const auto shell = this->Seal(this->Create("plt1.h5", 10), 10);
  EXPECT_EQ(this->Due(11.9), Numbers());
  const auto again = this->Reopen("plt1.h5", shell, 11.9); // slow ranks
  EXPECT_EQ(this->Due(50), Numbers()) << "and a file may take long to write";
  const auto whole = this->Seal(again, 50);
  EXPECT_EQ(this->Due(50), Numbers({ whole }));

  // Once it is not opened again: told, and the next is not waited for any more.
  this->Seal(this->Create("plt2.h5", 60), 60);
  EXPECT_EQ(this->Due(61.9), Numbers());
  EXPECT_EQ(this->Due(62.1), Numbers({ this->LastSnapshot }));
  this->Seal(this->Create("plt3.h5", 70), 70);
  EXPECT_EQ(this->Due(70), Numbers({ this->LastSnapshot }));
}

TEST_F(AnnouncementsTest, OneThatWasToldTeachesAsWell)
{
  const auto shell = this->Seal(this->Create("plt0.h5", 0), 0);
  EXPECT_EQ(this->Due(0.5), Numbers({ shell })) << "before its ranks came";
  const auto again = this->Reopen("plt0.h5", shell, 1);
  EXPECT_EQ(this->Due(1), Numbers());
  this->Seal(again, 2);
  EXPECT_EQ(this->Due(2), Numbers({ this->LastSnapshot }));
  EXPECT_EQ(this->Output("plt1.h5", 10).Within, Numbers());
}

TEST_F(AnnouncementsTest, FilesThatAreOpenedAgainSeveralTimesAreToldAtTheEnd)
{
  const auto output = [this](const std::string& file, double begin)
  {
    Numbers told;
    auto last = this->Seal(this->Create(file, begin), begin);
    for (int rank = 1; rank <= 4; ++rank)
    {
      const auto again = this->Reopen(file, last, begin + rank);
      last = this->Seal(again, begin + rank + 0.99);
      for (const auto number : this->Due(begin + rank + 0.99))
      {
        told.push_back(number);
      }
    }
    return told;
  };
  // Of the first nobody knows when it ends.
  EXPECT_EQ(output("snap_000.hdf5", 0), Numbers({ 2, 3, 4, 5 }));
  EXPECT_EQ(output("snap_001.hdf5", 100), Numbers({ 10 }));
  EXPECT_EQ(output("snap_002.hdf5", 200), Numbers({ 15 }));
}

TEST_F(AnnouncementsTest, AFileThatIsAppendedToIsToldEachTime)
{
  auto last = this->Seal(this->Create("series.h5", 0), 0);
  EXPECT_EQ(this->Due(0.3), Numbers({ last }));
  for (int step = 1; step < 100; ++step)
  {
    // Now and then the simulation computes for longer.
    const double when = step + (step > 50 ? 10 : 0);
    last = this->Seal(this->Reopen("series.h5", last, when), when + 0.01);
    EXPECT_EQ(this->Due(when + 0.01), Numbers({ last })) << step;
  }
}

TEST_F(AnnouncementsTest, WaitsOfAFileAddUpToTwoSeconds)
{
  // Appended to a hundred times, as is known.
  auto last = this->Seal(this->Create("a0.h5", 0), 0);
  for (int step = 1; step <= 100; ++step)
  {
    last = this->Seal(this->Reopen("a0.h5", last, step * 0.5), step * 0.5);
    this->Due(step * 0.5);
  }
  last = this->Seal(this->Create("a1.h5", 100), 100);
  Numbers told;
  for (int step = 1; step <= 10; ++step)
  {
    last = this->Seal(this->Reopen("a1.h5", last, 100 + step * 0.5), 100 + step * 0.5);
    for (const auto number : this->Due(100 + step * 0.5))
    {
      told.push_back(number);
    }
  }
  EXPECT_EQ(told.size(), 7u) << "not the first ones of 0.5, 1 and 1.5 s";
}

TEST_F(AnnouncementsTest, TheOrderStays)
{
  this->Output("plt0.h5", 0);
  this->Seal(this->Create("out.0.h5", 5), 5);
  EXPECT_EQ(this->Due(6).size(), 1u);
  const auto shell = this->Seal(this->Create("plt1.h5", 10), 10);
  const auto other = this->Seal(this->Create("out.1.h5", 10), 10.1);
  EXPECT_EQ(this->Due(10.1), Numbers()) << "behind one that may be told yet";
  EXPECT_EQ(this->Due(12.1), Numbers({ shell, other }));
}

TEST_F(AnnouncementsTest, WhileAFileIsWrittenAgainNobodyWaits)
{
  this->Output("plt0.h5", 0);
  this->Seal(this->Create("out.0.h5", 5), 5);
  this->Due(6);
  const auto shell = this->Seal(this->Create("plt1.h5", 10), 10);
  this->Reopen("plt1.h5", shell, 10);
  const auto other = this->Seal(this->Create("out.1.h5", 10), 10.1);
  EXPECT_EQ(this->Due(10.1), Numbers({ other }));
}

TEST_F(AnnouncementsTest, AShellWhoseWriterIsLostIsTold)
{
  const auto shell = this->Seal(this->Create("plt0.h5", 0), 0);
  const auto again = this->Reopen("plt0.h5", shell, 0.1);
  EXPECT_EQ(this->Due(3), Numbers());
  this->Telling.Ended(again, this->At(3));
  EXPECT_EQ(this->Due(3), Numbers({ shell }));
}

TEST_F(AnnouncementsTest, OfTwoWritersTheFirstToCloseTakesTheShellsPlace)
{
  const auto shell = this->Seal(this->Create("plt0.h5", 0), 0);
  const auto one = this->Reopen("plt0.h5", shell, 0.1);
  const auto other = this->Reopen("plt0.h5", shell, 0.1);
  this->Telling.Ended(one, this->At(1));
  EXPECT_EQ(this->Due(1), Numbers()) << "the other still writes";
  const auto whole = this->Seal(other, 2);
  EXPECT_EQ(this->Due(2), Numbers({ whole }));
}

TEST_F(AnnouncementsTest, FlushesAreToldAtOnce)
{
  const auto image = this->Create("log.h5", 0);
  this->Telling.Shown(image, ++this->LastSnapshot, this->At(1));
  EXPECT_EQ(this->Due(1), Numbers({ 1 }));
  this->Telling.Ended(image, this->At(2));

  const auto shell = this->Seal(this->Create("plt0.h5", 3), 3);
  const auto again = this->Reopen("plt0.h5", shell, 3.1);
  this->Telling.Shown(again, ++this->LastSnapshot, this->At(4));
  EXPECT_EQ(this->Due(4), Numbers({ this->LastSnapshot })) << "and not the shell";
  this->Telling.Ended(again, this->At(5));
  EXPECT_EQ(this->Due(9), Numbers());
}

TEST_F(AnnouncementsTest, AtTheEndAllAreTold)
{
  this->Output("plt0.h5", 0);
  const auto shell = this->Seal(this->Create("plt1.h5", 10), 10);
  const auto other = this->Seal(this->Create("out.1.h5", 10), 10);
  EXPECT_EQ(this->Telling.TakeAll(), Numbers({ shell, other }));
  EXPECT_EQ(this->Due(20), Numbers());
}

TEST_F(AnnouncementsTest, AFileThatIsOpenedAgainMuchLaterIsNoShell)
{
  this->Output("plt0.h5", 0);
  const auto late = this->Seal(this->Reopen("plt0.h5", 2, 60), 61); // somebody adds to it
  EXPECT_EQ(this->Due(61), Numbers({ late }));
  EXPECT_EQ(this->Output("plt1.h5", 70).Within, Numbers()) << "and teaches nothing";
}

}
