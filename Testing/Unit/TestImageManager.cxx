// SPDX-License-Identifier: BSD-3-Clause
// Who gets room and what goes for it, as tables: what is asked, and what comes of it.
#include "Base/Error.h"
#include "Server/Core/ImageManager.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace
{

using namespace dsm;

constexpr std::uint64_t MiB = UINT64_C(1) << 20;

/// A request and what comes of it.
struct Line
{
  const char* Ask;
  const char* Expected;
};
using Table = std::vector<Line>;

/// An image manager of one host that lends 100 MiB, unless a test says otherwise. Requests are
///
///     begin FILE [copy K]   image N, wait, refused
///     extend N MIB          MIB granted, wait, refused
///     seal N MIB            snapshot K, skipped
///     publish N MIB [MIB]   copy C, wait, skipped (and "again" where it was told before); of the
///                           first so many MiB the snapshot has a copy
///     keep N FROM TO        those that get copies of some of these MiB, each with all that it has;
///                           and "wait" where some do not
///     confirm N C           snapshot K, refused, lost
///     finish N, drop N      done, lost
///     hold K, read K, let-go K (without having read it)
///     hide K                viewers are not told of it yet
///     ring                  the snapshots that are there
///     used                  MiB that images and snapshots have
///     counted               sealed, dropped, skipped, abandoned
class ImageManagerTest : public testing::Test
{
protected:
  void Open(FullRing policy, std::uint64_t maximum = 64, std::uint64_t lent = 100 * MiB,
    std::uint64_t hosts = 1)
  {
    this->Rules.Map.Strategy = "contiguous";
    this->Rules.WhenFull = policy;
    this->Rules.MaximumSnapshots = maximum;
    this->Images =
      std::make_unique<ImageManager>(Ring({ hosts, lent, 2 * maximum + 8 }), this->Rules);
  }

  /// The same with a disk on each host.
  void OpenWithDisk(FullRing policy, std::uint64_t hosts = 1)
  {
    this->Open(policy, 64, 100 * MiB, hosts);
    Ring memory({ hosts, 100 * MiB, 16 });
    memory.OfferDisk(DiskWindows(hosts, 1024 * MiB, DiskWindows::Count * 512 * MiB, 64 * MiB));
    this->Images = std::make_unique<ImageManager>(std::move(memory), this->Rules);
  }

  static ImageManager::Policy AnyNumber()
  {
    ImageManager::Policy policy;
    policy.Map.Strategy = "contiguous";
    policy.MaximumSnapshots = 100000;
    return policy;
  }

  void Run(const Table& table)
  {
    for (const Line& line : table)
    {
      EXPECT_EQ(this->Answer(line.Ask), line.Expected) << "to \"" << line.Ask << "\"";
    }
  }

  std::string Answer(const std::string& ask)
  {
    std::istringstream words(ask);
    std::string what;
    words >> what;
    try
    {
      return what == "begin" ? this->Begin(words) : this->AboutNumber(what, words);
    }
    catch (const Error& error)
    {
      this->Reason = error.what();
      return error.GetFault() == Fault::PeerLost ? "lost" : "refused";
    }
  }

  std::string Begin(std::istringstream& words)
  {
    std::string file;
    std::string copy;
    std::uint64_t source = 0;
    words >> file >> copy >> source;
    const auto granted = this->Images->Begin({ .Owner = "ada",
      .FileName = file,
      .Source = copy.empty() ? std::nullopt : std::optional<SnapshotId>(source) });
    if (!granted)
    {
      return "wait";
    }
    this->LastWork = granted->BeforeWriting;
    return "image " + std::to_string(granted->Image);
  }

  static std::string Entered(const ImageManager::Sealed& sealed)
  {
    return sealed.Number == 0 ? "skipped" : "snapshot " + std::to_string(sealed.Number);
  }

  std::string Keep(ImageId image, ByteRange bytes)
  {
    const auto kept = this->Images->Keep(image, 0, bytes);
    std::vector<std::string> answer;
    for (const auto& one : kept.Snapshots)
    {
      this->LastWork = one.Copying;
      this->Images->ConfirmKept(one.Snapshot);
      if (const auto* snapshot = this->Images->Snapshots().Find(one.Snapshot.Number))
      {
        answer.push_back(
          fmt::format("{} has {}", snapshot->Number, snapshot->Shared->Aside[0].Size() / MiB));
      }
    }
    if (!kept.Complete)
    {
      answer.emplace_back("wait");
    }
    return fmt::format("{}", fmt::join(answer, ", "));
  }

  std::string AboutNumber(const std::string& what, std::istringstream& words)
  {
    std::uint64_t number = 0;
    std::uint64_t size = 0;
    words >> number >> size;
    auto& snapshots = this->Images->Snapshots();
    const ImageId image(number);
    const SnapshotId snapshot(number);
    if (what == "extend")
    {
      const auto extended = this->Images->Extend(image, size * MiB);
      return extended ? std::to_string(extended->Grant / MiB) + " granted" : "wait";
    }
    if (what == "further")
    {
      const auto extended = this->Images->ExtendFurther(image);
      return extended ? std::to_string(extended->Grant / MiB) + " granted" : "enough";
    }
    if (what == "reserved")
    {
      return this->Images->ConfirmGrant(image, size * MiB) ? "done" : "gone";
    }
    if (what == "reached")
    {
      const auto extended = this->Images->ExtendAhead(image, size * MiB);
      this->LastWork = extended ? extended->BeforeWriting : ImageManager::Work{};
      return extended ? std::to_string(extended->Grant / MiB) + " granted" : "enough";
    }
    if (what == "seal")
    {
      return Entered(
        this->Images->Seal({ image, size * MiB, size * MiB, { 1, 0, 0.5, { 1 } }, 7 }));
    }
    if (what == "publish")
    {
      std::uint64_t changing = 0;
      words >> changing;
      const auto published =
        this->Images->Publish(image, size * MiB, { { { 0, changing * MiB } } }, {});
      if (published)
      {
        this->LastWork = published->Copying;
      }
      return !published           ? "wait"
        : published->Copy > 0     ? "copy " + std::to_string(published->Copy)
        : published->FirstSkipped ? "skipped"
                                  : "skipped again";
    }
    if (what == "keep")
    {
      std::uint64_t end = 0;
      words >> end;
      return this->Keep(image, { size * MiB, end * MiB });
    }
    if (what == "confirm")
    {
      return Entered(this->Images->Confirm(image, size, 7));
    }
    if (what == "finish")
    {
      this->Images->Finish(image, 0);
    }
    else if (what == "drop")
    {
      this->Images->Drop(image, "her ranks died");
    }
    else if (what == "hold")
    {
      snapshots.Retain(snapshot);
    }
    else if (what == "read")
    {
      snapshots.Retain(snapshot);
      snapshots.Release(snapshot, true);
    }
    else if (what == "let-go")
    {
      snapshots.Release(snapshot, false);
    }
    else if (what == "hide")
    {
      snapshots.Hide(snapshot);
    }
    else if (what == "used")
    {
      return std::to_string(this->Images->Memory().UsedByAll() / MiB);
    }
    else if (what == "ring")
    {
      std::vector<SnapshotId> numbers;
      for (const auto& one : snapshots.All())
      {
        numbers.push_back(one.Number);
      }
      return fmt::format("{}", fmt::join(numbers, " "));
    }
    else if (what == "counted")
    {
      const ImageCounters& count = this->Images->Counters();
      return fmt::format("{} {} {} {}", count.SnapshotsSealed, count.SnapshotsDropped,
        count.SnapshotsSkipped, count.ImagesAbandoned);
    }
    else
    {
      ADD_FAILURE() << "there is no question \"" << what << "\"";
    }
    return "done";
  }

  /// Files of 30 MiB each, of which three fit, sealed and not read.
  void Fill()
  {
    this->Run({ { "begin a1.h5", "image 1" }, { "seal 1 30", "snapshot 1" },
      { "begin a2.h5", "image 2" }, { "seal 2 30", "snapshot 2" }, { "begin a3.h5", "image 3" },
      { "seal 3 30", "snapshot 3" }, { "used", "90" } });
  }

  ImageManager::Policy Rules;
  std::unique_ptr<ImageManager> Images;
  ImageManager::Work LastWork;
  std::string Reason; ///< of the last refusal
};

// ---- A ring that is full, by its policy.

TEST_F(ImageManagerTest, DropOldestNeverLetsAWriterWait)
{
  this->Open(FullRing::DropOldest);
  this->Fill();
  this->Run({ { "begin a4.h5", "image 4" }, { "ring", "2 3" }, { "seal 4 30", "snapshot 4" },
    { "begin a5.h5", "image 5" }, { "ring", "3 4" }, { "counted", "4 2 0 0" } });
}

TEST_F(ImageManagerTest, DropOldestWaitsForWhoHoldsAll)
{
  this->Open(FullRing::DropOldest);
  this->Fill();
  this->Run({ { "hold 1", "done" }, { "hold 2", "done" }, { "hold 3", "done" },
    { "begin a4.h5", "wait" }, { "ring", "1 2 3" }, { "let-go 2", "done" },
    { "begin a4.h5", "image 4" }, { "ring", "1 3" } });
}

TEST_F(ImageManagerTest, BlockWaitsUntilTheOldestWasRead)
{
  this->Open(FullRing::Block);
  this->Fill();
  this->Run({ { "begin a4.h5", "wait" }, { "ring", "1 2 3" }, { "read 2", "done" },
    { "begin a4.h5", "image 4" }, { "ring", "1 3" }, { "counted", "3 0 0 0" } });
}

TEST_F(ImageManagerTest, BlockWaitsAlsoForOneThatIsBeingRead)
{
  this->Open(FullRing::Block);
  this->Fill();
  this->Run({ { "read 1", "done" }, { "hold 1", "done" }, { "begin a4.h5", "wait" },
    { "let-go 1", "done" }, { "begin a4.h5", "image 4" }, { "ring", "2 3" } });
}

TEST_F(ImageManagerTest, DropNewestKeepsWhatNobodyReadAndSkipsTheNew)
{
  this->Open(FullRing::DropNewest);
  this->Run({ { "begin a1.h5", "image 1" }, { "seal 1 30", "snapshot 1" },
    { "begin a2.h5", "image 2" }, { "seal 2 30", "snapshot 2" }, { "begin a3.h5", "image 3" },
    { "seal 3 30", "skipped" }, { "begin a4.h5", "image 4" }, { "seal 4 30", "skipped" },
    { "ring", "1 2" }, { "read 1", "done" }, { "begin a5.h5", "image 5" },
    { "seal 5 30", "snapshot 3" }, { "counted", "3 0 2 0" } });
}

TEST_F(ImageManagerTest, DropNewestKeepsTheFirstWhateverItsSize)
{
  this->Open(FullRing::DropNewest);
  this->Run({ { "begin a1.h5", "image 1" }, { "extend 1 90", "90 granted" },
    { "seal 1 90", "snapshot 1" }, { "ring", "1" } });
}

// Files that grow may leave no room although each was skipped in time: then the newest goes.
TEST_F(ImageManagerTest, DropNewestGivesUpTheNewestForOneThatOutgrowsTheRest)
{
  this->Open(FullRing::DropNewest);
  this->Run({ { "begin a1.h5", "image 1" }, { "seal 1 20", "snapshot 1" },
    { "begin a2.h5", "image 2" }, { "seal 2 20", "snapshot 2" }, { "begin a3.h5", "image 3" },
    { "extend 3 70", "70 granted" }, { "ring", "1" }, { "counted", "2 1 0 0" } });
}

TEST_F(ImageManagerTest, TheNumberOfSnapshotsIsALimitOfItsOwn)
{
  this->Open(FullRing::DropOldest, 2);
  this->Run({ { "begin a1.h5", "image 1" }, { "seal 1 1", "snapshot 1" },
    { "begin a2.h5", "image 2" }, { "seal 2 1", "snapshot 2" }, { "begin a3.h5", "image 3" },
    { "ring", "2" }, { "begin b1.h5", "image 4" }, { "begin c1.h5", "image 5" }, { "ring", "2" },
    // Those that were open at once come on top until they can go.
    { "seal 3 1", "snapshot 3" }, { "seal 4 1", "snapshot 4" }, { "ring", "3 4" },
    { "hold 3", "done" }, { "hold 4", "done" }, { "seal 5 1", "snapshot 5" }, { "ring", "3 4 5" },
    { "begin a4.h5", "wait" }, { "let-go 3", "done" }, { "begin a4.h5", "image 6" },
    { "ring", "4" } });
  this->Open(FullRing::Block, 2);
  this->Run({ { "begin a1.h5", "image 1" }, { "seal 1 1", "snapshot 1" },
    { "begin a2.h5", "image 2" }, { "seal 2 1", "snapshot 2" }, { "begin a3.h5", "wait" },
    { "read 1", "done" }, { "begin a3.h5", "image 3" } });
}

// ---- Growing.

// What it waits for is one piece; the others come while it writes.
TEST_F(ImageManagerTest, AnUnknownFileGetsALittleAndDoublesItInPieces)
{
  this->Open(FullRing::DropOldest);
  this->Run({ { "begin a1.h5", "image 1" }, { "used", "0" }, { "extend 1 20", "20 granted" },
    { "further 1", "enough" }, { "extend 1 21", "37 granted" }, { "further 1", "40 granted" },
    { "further 1", "enough" }, { "extend 1 41", "57 granted" }, { "further 1", "70 granted" },
    { "extend 1 100", "100 granted" }, { "further 1", "enough" }, { "seal 1 99", "snapshot 1" },
    { "further 1", "enough" }, { "used", "99" } });
  this->Open(FullRing::DropOldest, 64, UINT64_C(1) << 40);
  this->Run({ { "begin a1.h5", "image 1" }, { "used", "4" }, { "extend 1 4000", "4000 granted" },
    { "extend 1 4001", "4017 granted" } });
  for (std::uint64_t piece = 2; piece <= 64; ++piece)
  {
    EXPECT_EQ(this->Images->ExtendFurther(1).value().Grant, (4001 + 16 * piece) * MiB);
  }
  this->Run({ { "further 1", "enough" } });
}

// Half as much again, in pieces, once it has what it asked for; and huge pages, since it is not
// waited for.
TEST_F(ImageManagerTest, AFileThatHasUsedMostGetsMoreBeforeItAsks)
{
  this->Open(FullRing::DropOldest, 64, 1000 * MiB);
  this->Run({ { "begin a1.h5", "image 1" }, { "reached 1 1", "enough" },
    { "extend 1 200", "200 granted" }, { "reached 1 150", "enough" }, { "reserved 1 200", "done" },
    { "reached 1 149", "enough" }, { "reached 1 150", "216 granted" } });
  EXPECT_FALSE(this->LastWork.Plan.InWriting);
  EXPECT_EQ(this->LastWork.Plan.Populate.End, this->LastWork.Plan.Reserve.End);
  EXPECT_FALSE(this->LastWork.Plan.Populate.IsEmpty());
  this->Run(
    { { "reached 1 150", "enough" }, { "reserved 1 216", "done" }, { "reached 1 150", "enough" },
      { "further 1", "232 granted" }, { "extend 1 240", "256 granted" },
      { "further 1", "272 granted" }, { "reached 2 150", "enough" }, { "used", "272" },
      { "seal 1 240", "snapshot 1" }, { "reached 1 240", "enough" }, { "used", "240" } });
}

// Nor does it take anything: snapshots stay, and half of what is left.
TEST_F(ImageManagerTest, AFileThatGetsMoreBeforeItAsksTakesNothingFromOthers)
{
  this->Open(FullRing::DropOldest);
  this->Run(
    { { "begin a1.h5", "image 1" }, { "extend 1 40", "40 granted" }, { "seal 1 40", "snapshot 1" },
      { "begin b1.h5", "image 2" }, { "extend 2 40", "40 granted" }, { "reserved 2 40", "done" },
      { "reached 2 35", "50 granted" }, { "ring", "1" }, { "extend 2 60", "60 granted" },
      { "reserved 2 60", "done" }, { "reached 2 60", "enough" }, { "ring", "1" } });
}

// Others may have the room by then: what is there already stays.
TEST_F(ImageManagerTest, AFileThatGrowsFurtherTakesNothingFromOthers)
{
  this->Open(FullRing::DropOldest);
  this->Run({ { "begin a1.h5", "image 1" }, { "extend 1 20", "20 granted" },
    { "extend 1 21", "37 granted" }, { "begin b1.h5", "image 2" }, { "extend 2 61", "61 granted" },
    { "further 1", "enough" }, { "extend 1 38", "38 granted" }, { "used", "99" } });
}

// One file per rank, all of a step open at once, and nothing is known of them: there is memory for
// as many as there are slots.
TEST_F(ImageManagerTest, AllSlotsMayHaveSmallFilesAtOnce)
{
  this->Images = std::make_unique<ImageManager>(Ring({ 1, 1024 * MiB, 2048 }), AnyNumber());
  for (int rank = 1; rank <= 2048; ++rank)
  {
    const std::string number = std::to_string(rank);
    ASSERT_EQ(this->Answer("begin out_step0_rank" + number + ".h5"), "image " + number);
  }
  this->Run({ { "begin out_step1_rank0.h5", "wait" } });
  EXPECT_NE(this->Images->RoomAdvice().find("slots for: 2048"), std::string::npos)
    << this->Images->RoomAdvice();
  this->Run({ { "seal 9 1", "snapshot 1" }, { "begin out_step1_rank0.h5", "image 2049" } });
}

// A program that opens all its diagnostics at start and keeps them open.
TEST_F(ImageManagerTest, AnyNumberOfSmallFilesMayBeOpenAtOnce)
{
  this->Open(FullRing::DropOldest, 64, 64 * MiB);
  for (int file = 1; file <= 60; ++file)
  {
    const std::string number = std::to_string(file);
    this->Run({ { ("begin diagnostic" + number + ".h5").c_str(), ("image " + number).c_str() } });
  }
  for (int file = 1; file <= 60; ++file)
  {
    const std::string number = std::to_string(file);
    this->Run({ { ("extend " + number + " 1").c_str(), "1 granted" } });
  }
  this->Run({ { "extend 7 10", "wait" } });
  EXPECT_NE(this->Images->FullText().find("60 images being written"), std::string::npos);
  EXPECT_NE(this->Images->FullText().find("diagnostic1.h5: 1 MiB"), std::string::npos)
    << this->Images->FullText();
  EXPECT_NE(this->Images->FullText().find("and 57 more"), std::string::npos);
  EXPECT_NE(this->Images->RoomAdvice().find("write less at once"), std::string::npos);
}

TEST_F(ImageManagerTest, AGrantCountsWhenItsMemoryIsReserved)
{
  this->Open(FullRing::DropOldest);
  this->Run({ { "begin a.h5", "image 1" }, { "extend 1 20", "20 granted" } });
  EXPECT_TRUE(this->Images->ConfirmGrant(1, 20 * MiB));
  this->Run({ { "extend 1 60", "60 granted" }, { "used", "60" } });
  this->Images->WithdrawGrant(1);
  EXPECT_FALSE(this->Images->ConfirmGrant(1, 60 * MiB)) << "another rank's, that was withdrawn too";
  this->Run({ { "used", "20" }, { "extend 1 10", "20 granted" }, { "seal 1 20", "snapshot 1" } });
}

TEST_F(ImageManagerTest, AStreamsNextFileGetsTheLastOnesSizeAndALittle)
{
  this->Open(FullRing::DropOldest);
  this->Run({ { "begin a1.h5", "image 1" }, { "seal 1 16", "snapshot 1" },
    { "begin a2.h5", "image 2" }, { "extend 2 1", "16 granted" }, { "used", "32" } });
  EXPECT_EQ(this->Images->Image(2).Grant, 16 * MiB + MiB / 2);
}

TEST_F(ImageManagerTest, AnImageThatCanNeverFitIsRefused)
{
  this->Open(FullRing::DropOldest);
  this->Run({ { "begin a1.h5", "image 1" }, { "extend 1 101", "refused" } });
  EXPECT_NE(this->Reason.find("Raise the memory per host"), std::string::npos) << this->Reason;
  // Beside another image, which will end, it may come to fit.
  this->Run({ { "extend 1 70", "70 granted" }, { "seal 1 10", "snapshot 1" },
    { "begin b1.h5", "image 2" }, { "extend 2 20", "20 granted" }, { "begin c1.h5", "image 3" },
    { "extend 3 90", "wait" }, { "drop 2", "done" }, { "extend 3 90", "90 granted" } });
}

TEST_F(ImageManagerTest, GrowingTakesSnapshotsAsBeginningDoes)
{
  this->Open(FullRing::Block);
  this->Run(
    { { "begin a1.h5", "image 1" }, { "seal 1 30", "snapshot 1" }, { "begin a2.h5", "image 2" },
      { "seal 2 30", "snapshot 2" }, { "begin a3.h5", "image 3" }, { "extend 3 60", "wait" },
      { "read 1", "done" }, { "extend 3 60", "61 granted" }, { "ring", "2" } });
}

TEST_F(ImageManagerTest, TheFullestHostCounts)
{
  this->Rules.Map.BlockSize = MiB;
  this->Rules.Map.Strategy = "block cyclic";
  this->Rules.WhenFull = FullRing::DropOldest;
  this->Images = std::make_unique<ImageManager>(Ring({ 4, 10 * MiB, 16 }), this->Rules);
  this->Run(
    { { "begin a1.h5", "image 1" }, { "extend 1 37", "37 granted" }, { "seal 1 37", "snapshot 1" },
      { "used", "37" }, { "begin a2.h5", "image 2" }, { "ring", "" } });
}

// A stream's first file has the largest blocks, the next those that fit its size; one that says
// nothing of its size, but of which the server was told, has its own at once.
TEST_F(ImageManagerTest, TheBlockSizeFollowsFromTheLastFile)
{
  this->Rules.Map = {};
  this->Rules.WhenFull = FullRing::DropOldest;
  this->Images = std::make_unique<ImageManager>(Ring({ 4, 400 * MiB, 16 }), this->Rules);
  const auto blocks = [this](ImageId image)
  { return this->Images->OpenImages().at(image).Map.Parameters().BlockSize; };
  this->Run({ { "begin a1.h5", "image 1" }, { "extend 1 64", "64 granted" } });
  EXPECT_EQ(blocks(1), MiB);
  this->Run({ { "seal 1 64", "snapshot 1" }, { "begin a2.h5", "image 2" } });
  EXPECT_EQ(blocks(2), MiB / 8);
  this->Run({ { "begin b1.h5", "image 3" } });
  EXPECT_EQ(blocks(3), MiB) << "another stream";
  this->Rules.ExpectedFileSize = 300 * MiB;
  this->Images->SetPolicy(this->Rules);
  this->Run({ { "begin c1.h5", "image 4" } });
  EXPECT_EQ(blocks(4), MiB / 2);
  EXPECT_EQ(blocks(2), MiB / 8) << "what is being written stays as it is";
}

// ---- Ends without a snapshot.

TEST_F(ImageManagerTest, ALostImageLeavesItsReasonAndNothingElse)
{
  this->Open(FullRing::DropOldest);
  this->Run({ { "begin a1.h5", "image 1" }, { "drop 1", "done" }, { "used", "0" }, { "ring", "" },
    { "counted", "0 0 0 1" }, { "extend 1 1", "lost" } });
  EXPECT_NE(this->Reason.find("her ranks died"), std::string::npos) << this->Reason;
  this->Run({ { "seal 1 1", "lost" }, { "publish 1 1", "lost" }, { "confirm 1 1", "lost" },
    { "finish 1", "lost" }, { "drop 1", "done" }, { "counted", "0 0 0 1" } });
}

// A slot whose writer vanished may still be written by a rank that heard of nothing: it is the last
// to be taken again.
TEST_F(ImageManagerTest, ALostImagesSlotIsTakenLast)
{
  this->Open(FullRing::DropOldest, 2);
  this->Run({ { "begin a1.h5", "image 1" } });
  const std::uint64_t lost = this->Images->Image(1).Slot;
  this->Run({ { "drop 1", "done" } });
  for (int more = 0; more < 3; ++more)
  {
    const auto granted = this->Images->Begin({ .Owner = "ada", .FileName = "a.h5" });
    ASSERT_TRUE(granted);
    EXPECT_NE(granted->BeforeWriting.Slot, lost);
    this->Images->Seal({ .Image = granted->Image, .Size = MiB, .Reach = MiB });
  }
}

TEST_F(ImageManagerTest, WorkComesWithEachEnd)
{
  this->Open(FullRing::DropOldest);
  this->Run({ { "begin a1.h5", "image 1" } });
  EXPECT_TRUE(this->LastWork.Plan.Zero.IsEmpty()) << "a new slot has nothing to clear";
  const auto dropped = this->Images->Drop(1, "");
  ASSERT_EQ(dropped.size(), 1u);
  EXPECT_EQ(dropped[0].Plan.Release.size(), 1u) << "all it may have touched is given back";
  this->Run({ { "begin a2.h5", "image 2" }, { "publish 2 10", "copy 1" } });
  const auto sealed = this->Images->Seal({ .Image = 2, .Size = 10 * MiB, .Reach = 20 * MiB });
  ASSERT_EQ(sealed.Clearing.size(), 1u);
  EXPECT_EQ(sealed.Clearing[0].Plan.Release.at(0).Begin, std::vector<std::uint64_t>{ 20 * MiB })
    << "its writer grew by itself";
  this->Images->Snapshots().Retain(1);
  this->Images->Snapshots().Release(1, true);
}

// ---- Flushes that show a file.

TEST_F(ImageManagerTest, AFlushIsSeenWhenItsWriterConfirmsAndCostsNothing)
{
  this->Open(FullRing::DropOldest);
  this->Run(
    { { "begin a.h5", "image 1" }, { "extend 1 20", "20 granted" }, { "publish 1 10", "copy 1" },
      { "ring", "" }, { "confirm 1 1", "snapshot 1" }, { "confirm 1 1", "refused" },
      { "publish 1 20", "copy 2" }, { "confirm 1 2", "snapshot 2" }, { "used", "20" },
      { "finish 1", "done" }, { "ring", "1 2" }, { "used", "20" }, { "counted", "2 0 0 0" } });
}

// What changes from flush to flush is all that they cost.
TEST_F(ImageManagerTest, AFlushHasItsOwnCopyOfWhatChanges)
{
  this->Open(FullRing::DropOldest);
  this->Run({ { "begin a.h5", "image 1" }, { "extend 1 20", "20 granted" },
    { "publish 1 20 1", "copy 1" } });
  const auto& copy = this->LastWork.Plan.Copy;
  EXPECT_EQ(copy.Slot, this->Images->Image(1).Slot);
  ASSERT_EQ(copy.Bytes.size(), 1u);
  EXPECT_EQ(copy.Bytes[0], (std::vector<AsideBytes::Moved>{ { 0, 0, MiB } }));
  this->Run({ { "confirm 1 1", "snapshot 1" }, { "used", "21" }, { "keep 1 0 1", "" },
    { "used", "21" }, { "keep 1 0 2", "1 has 2" }, { "used", "22" } });
  EXPECT_EQ(
    this->LastWork.Plan.Copy.Bytes[0], (std::vector<AsideBytes::Moved>{ { MiB, MiB, MiB } }))
    << "only what it did not have";
}

TEST_F(ImageManagerTest, AllThatShareBytesKeepThemAndOthersDoNot)
{
  this->Open(FullRing::DropOldest);
  this->Run({ { "begin a.h5", "image 1" }, { "extend 1 20", "20 granted" },
    { "begin b.h5", "image 2" }, { "publish 1 4", "copy 1" }, { "confirm 1 1", "snapshot 1" },
    { "publish 1 20", "copy 2" }, { "confirm 1 2", "snapshot 2" }, { "publish 2 1", "copy 3" },
    { "confirm 2 3", "snapshot 3" }, { "keep 1 2 4", "1 has 2, 2 has 2" },
    { "keep 1 3 6", "2 has 4" }, { "keep 1 6 8", "2 has 6" }, { "keep 2 0 1", "3 has 1" } });
  EXPECT_THROW(this->Images->Keep(1, 5, { 0, MiB }), Error) << "there is no such host";
}

// Each time something moves, the slot is of another generation: who reads it looks again.
TEST_F(ImageManagerTest, WhoReadsFindsOutThatBytesHaveMoved)
{
  this->Open(FullRing::DropOldest);
  this->Run({ { "begin a.h5", "image 1" }, { "extend 1 20", "20 granted" },
    { "publish 1 20", "copy 1" }, { "confirm 1 1", "snapshot 1" } });
  const std::uint64_t before = this->Images->Snapshots().Find(1)->Generation;
  const auto kept = this->Images->Keep(1, 0, { 0, MiB });
  ASSERT_EQ(kept.Snapshots.size(), 1u);
  const auto& raised = kept.Snapshots[0].Copying.Plan.Raise;
  ASSERT_EQ(raised.size(), 1u);
  EXPECT_EQ(raised[0].Number, before + 1);
  EXPECT_EQ(this->Images->Snapshots().Find(1)->Generation, before)
    << "the hosts have not copied it yet";
  this->Images->ConfirmKept(kept.Snapshots[0].Snapshot);
  EXPECT_EQ(this->Images->Snapshots().Find(1)->Generation, before + 1);
}

TEST_F(ImageManagerTest, ASlotStaysAsLongAsSomebodySharesIt)
{
  this->Open(FullRing::DropOldest, 3);
  this->Run({ { "begin a.h5", "image 1" }, { "extend 1 40", "40 granted" },
    { "publish 1 20", "copy 1" }, { "confirm 1 1", "snapshot 1" }, { "publish 1 30", "copy 2" },
    { "confirm 1 2", "snapshot 2" }, { "hold 1", "done" }, { "seal 1 40", "snapshot 3" },
    { "used", "40" }, { "begin b.h5", "image 2" }, { "seal 2 0", "snapshot 4" },
    { "begin b.h5", "image 3" }, { "seal 3 0", "snapshot 5" }, { "ring", "1 4 5" },
    { "used", "40" }, { "let-go 1", "done" }, { "begin b.h5", "image 4" }, { "ring", "4 5" } });
  EXPECT_LT(this->Images->Memory().UsedByAll(), 40 * MiB);
}

TEST_F(ImageManagerTest, WhatAFlushHasShownOutlivesItsWriter)
{
  this->Open(FullRing::DropOldest);
  this->Run(
    { { "begin a.h5", "image 1" }, { "extend 1 40", "40 granted" }, { "publish 1 20", "copy 1" },
      { "confirm 1 1", "snapshot 1" }, { "drop 1", "done" }, { "ring", "1" }, { "used", "20" } });
  this->Run({ { "begin b.h5", "image 2" }, { "extend 2 90", "90 granted" }, { "ring", "" } });
}

// Its writer could not ask: so its snapshots may be anything.
TEST_F(ImageManagerTest, WhoWentOnAloneTakesItsSnapshotsAlong)
{
  this->Open(FullRing::DropOldest);
  this->Run({ { "begin a.h5", "image 1" }, { "extend 1 40", "40 granted" },
    { "publish 1 20", "copy 1" }, { "confirm 1 1", "snapshot 1" } });
  this->Images->Drop(1, "it went on alone", true);
  this->Run({ { "ring", "" }, { "used", "0" } });
}

// A file that is written again and again in the same place, without room for what it was.
TEST_F(ImageManagerTest, SnapshotsGoRatherThanStopAWriter)
{
  this->Open(FullRing::DropOldest);
  this->Run({ { "begin a.h5", "image 1" }, { "extend 1 60", "60 granted" },
    { "publish 1 60", "copy 1" }, { "confirm 1 1", "snapshot 1" }, { "hold 1", "done" },
    { "keep 1 0 30", "1 has 30" }, { "keep 1 30 60", "" }, { "ring", "" } });
  // Who reads it must know before the writer goes on.
  this->Run({ { "publish 1 60", "copy 2" }, { "confirm 1 2", "snapshot 2" } });
  const auto kept = this->Images->Keep(1, 0, { 0, 60 * MiB });
  EXPECT_TRUE(kept.Complete);
  EXPECT_FALSE(kept.Telling.Plan.Raise.empty());
  this->Run({ { "ring", "" } });
}

TEST_F(ImageManagerTest, BlockLetsAWriterWaitForTheReaderOfWhatItWouldChange)
{
  this->Open(FullRing::Block);
  this->Run({ { "begin a.h5", "image 1" }, { "extend 1 60", "60 granted" },
    { "publish 1 60", "copy 1" }, { "confirm 1 1", "snapshot 1" }, { "keep 1 0 60", "wait" },
    { "ring", "1" }, { "read 1", "done" }, { "keep 1 0 60", "" }, { "ring", "" } });
}

TEST_F(ImageManagerTest, AWriterWaitsRatherThanChangeItsOnlyCheckpoint)
{
  this->Rules.Checkpoints = "*.h5";
  this->Open(FullRing::DropOldest);
  this->Run({ { "begin a.h5", "image 1" }, { "extend 1 60", "60 granted" },
    { "publish 1 60", "copy 1" }, { "confirm 1 1", "snapshot 1" }, { "keep 1 0 60", "wait" },
    { "keep 1 0 30", "1 has 30" }, { "ring", "1" } });
}

TEST_F(ImageManagerTest, ACopyThatWasDiscardedIsNotSeen)
{
  this->Open(FullRing::DropOldest);
  this->Run({ { "begin a.h5", "image 1" }, { "publish 1 10", "copy 1" } });
  EXPECT_TRUE(this->Images->IsAwaited(1));
  this->Images->DiscardCopies(1);
  EXPECT_FALSE(this->Images->IsAwaited(1));
  this->Run(
    { { "confirm 1 1", "refused" }, { "publish 1 10", "copy 2" }, { "begin b.h5", "image 2" },
      { "confirm 2 2", "refused" }, { "seal 1 10", "snapshot 1" }, { "confirm 1 2", "lost" } });
}

TEST_F(ImageManagerTest, AFlushWithoutRoomHarmsNobody)
{
  this->Open(FullRing::DropOldest);
  this->Run({ { "begin a.h5", "image 1" }, { "extend 1 60", "60 granted" },
    { "publish 1 60 60", "skipped" }, { "publish 1 60 60", "skipped again" },
    { "seal 1 60", "snapshot 1" } });
}

TEST_F(ImageManagerTest, BlockWaitsForAReaderWhereThatCanHelp)
{
  this->Open(FullRing::Block);
  this->Run({ { "begin a.h5", "image 1" }, { "seal 1 30", "snapshot 1" },
    { "begin a.h5", "image 2" }, { "publish 2 50 50", "wait" }, { "read 1", "done" },
    { "publish 2 50 50", "copy 1" }, { "confirm 2 1", "snapshot 2" }, { "ring", "2" } });
  this->Open(FullRing::Block);
  this->Run({ { "begin a.h5", "image 1" }, { "extend 1 60", "60 granted" },
    { "publish 1 60 60", "skipped" } });
}

// The newest flush of a file may use the place that the file itself has among the snapshots.
TEST_F(ImageManagerTest, AFlushedFileMayHaveOneSnapshotMoreUntilItIsClosed)
{
  this->Open(FullRing::DropOldest, 2);
  this->Run(
    { { "begin a.h5", "image 1" }, { "publish 1 1", "copy 1" }, { "confirm 1 1", "snapshot 1" },
      { "publish 1 1", "copy 2" }, { "ring", "1" }, { "confirm 1 2", "snapshot 2" },
      { "ring", "1 2" }, { "seal 1 1", "snapshot 3" }, { "ring", "2 3" } });
}

// ---- Files that begin as another.

TEST_F(ImageManagerTest, ACopysSourceStays)
{
  this->Open(FullRing::DropOldest);
  this->Run({ { "begin a.h5", "image 1" }, { "seal 1 40", "snapshot 1" }, { "hold 1", "done" },
    { "begin a.h5 copy 1", "image 2" }, { "let-go 1", "done" }, { "extend 2 1", "41 granted" },
    { "begin b.h5", "image 3" }, { "extend 3 30", "wait" }, { "ring", "1" }, { "let-go 1", "done" },
    { "extend 3 30", "30 granted" }, { "ring", "" } });
}

TEST_F(ImageManagerTest, ACopyThatHasToWaitLeavesItsSourceUnread)
{
  this->Open(FullRing::Block);
  this->Run(
    { { "begin a.h5", "image 1" }, { "extend 1 60", "60 granted" }, { "seal 1 60", "snapshot 1" },
      { "hold 1", "done" }, { "begin a.h5 copy 1", "wait" }, { "let-go 1", "done" } });
  EXPECT_FALSE(this->Images->Snapshots().WasRead(1));
  this->Open(FullRing::DropOldest, 64, 100 * MiB, 2);
  this->Run({ { "begin a.h5", "image 1" }, { "extend 1 150", "150 granted" },
    { "seal 1 150", "snapshot 1" } });
  this->Images->SetBudget(60 * MiB);
  this->Run({ { "begin a.h5 copy 1", "refused" } });
}

// ---- Files that are written further in their place.

// A row is appended, and what describes the file changes: that is all it costs.
TEST_F(ImageManagerTest, AFileIsWrittenFurtherInItsPlace)
{
  this->Open(FullRing::DropOldest);
  this->Run({ { "begin a.h5", "image 1" }, { "extend 1 60", "60 granted" } });
  const SlotIndex slot = this->Images->Image(1).Slot;
  const std::uint64_t generation = this->Images->Image(1).Generation;
  this->Run({ { "seal 1 60", "snapshot 1" }, { "begin a.h5 copy 1", "image 2" } });
  EXPECT_EQ(this->Images->Image(2).Slot, slot);
  EXPECT_EQ(this->Images->Image(2).Generation, generation + 1) << "who reads there asks again";
  EXPECT_TRUE(this->LastWork.Plan.Copy.IsEmpty());
  this->Run({ { "ring", "1" }, { "keep 2 0 1", "1 has 1" }, { "keep 2 0 1", "" },
    { "extend 2 62", "78 granted" }, { "seal 2 62", "snapshot 2" }, { "used", "63" },
    { "ring", "1 2" }, { "begin a.h5 copy 2", "image 3" }, { "keep 3 0 1", "2 has 1" },
    { "keep 3 60 61", "2 has 2" }, { "seal 3 63", "snapshot 3" }, { "used", "66" } });
  EXPECT_EQ(this->Images->Snapshots().Find(3)->Slot, slot);
  const SnapshotDescription& first = *this->Images->Snapshots().Find(1);
  ASSERT_TRUE(first.Shared);
  EXPECT_EQ(first.Shared->Slot, slot);
  EXPECT_NE(first.Slot, slot);
}

// However often that is done, the ring has a few bytes for each, and older ones go.
TEST_F(ImageManagerTest, AThousandAppendsCostNoCopy)
{
  this->Open(FullRing::DropOldest, 8);
  this->Run({ { "begin a.h5", "image 1" }, { "extend 1 60", "60 granted" },
    { "seal 1 60", "snapshot 1" } });
  const SlotIndex slot = this->Images->Snapshots().Find(1)->Slot;
  for (std::uint64_t number = 2; number <= 1000; ++number)
  {
    const auto granted =
      this->Images->Begin({ .Owner = "ada", .FileName = "a.h5", .Source = SnapshotId(number - 1) });
    ASSERT_TRUE(granted);
    ASSERT_EQ(granted->BeforeWriting.Slot, slot);
    const auto kept = this->Images->Keep(granted->Image, 0, { 0, 4096 });
    ASSERT_EQ(kept.Snapshots.size(), 1u) << "older ones have it";
    this->Images->ConfirmKept(kept.Snapshots[0].Snapshot);
    const std::uint64_t size = 60 * MiB + number * 4096;
    ASSERT_TRUE(this->Images->Extend(granted->Image, size));
    ASSERT_EQ(
      this->Images->Seal({ granted->Image, size, size, { 8192, 0, 0, { 8192 } }, 7 }).Number,
      number);
    ASSERT_LE(this->Images->Memory().UsedByAll(), size + UINT64_C(9) * 4096);
    ASSERT_FALSE(number > 2 && this->Images->PrepareNext("a.h5")) << "there will be no other";
    ASSERT_TRUE(this->Images->Warm("a.h5").empty());
  }
  this->Run({ { "ring", "993 994 995 996 997 998 999 1000" } });
}

TEST_F(ImageManagerTest, WhatIsOpenIsWrittenFurtherOnACopy)
{
  this->Open(FullRing::DropOldest);
  this->Run({ { "begin a.h5", "image 1" }, { "seal 1 20", "snapshot 1" }, { "hold 1", "done" },
    { "begin a.h5 copy 1", "image 2" }, { "used", "40" } });
  EXPECT_NE(this->Images->Image(2).Slot, this->Images->Snapshots().Find(1)->Slot);
  EXPECT_FALSE(this->Images->Snapshots().Find(1)->Shared);
  // Who follows snapshots and only counts them has none open.
  this->Run({ { "begin b.h5", "image 3" }, { "seal 3 20", "snapshot 2" } });
  this->Images->Snapshots().Take(2);
  this->Run({ { "begin b.h5 copy 2", "image 4" } });
  EXPECT_TRUE(this->Images->Image(4).IsInPlace);
}

// Whatever becomes of its writer, the newest that is whole stays.
TEST_F(ImageManagerTest, ACheckpointIsWrittenFurtherOnACopy)
{
  this->Rules.Checkpoints = "*.chk";
  this->Open(FullRing::DropOldest);
  this->Run({ { "begin a.chk", "image 1" }, { "seal 1 20", "snapshot 1" },
    { "begin a.chk copy 1", "image 2" }, { "let-go 1", "done" }, { "begin a.h5", "image 3" },
    { "seal 3 20", "snapshot 2" }, { "begin a.h5 copy 2", "image 4" } });
  EXPECT_FALSE(this->Images->Image(2).IsInPlace);
  EXPECT_TRUE(this->Images->Image(4).IsInPlace);
}

// Nor what another writes further already.
TEST_F(ImageManagerTest, TwoThatWriteAFileFurtherHaveEachTheirOwn)
{
  this->Open(FullRing::DropOldest);
  this->Run({ { "begin a.h5", "image 1" }, { "seal 1 20", "snapshot 1" },
    { "begin a.h5 copy 1", "image 2" }, { "begin a.h5 copy 1", "image 3" }, { "used", "40" } });
  EXPECT_NE(this->Images->Image(2).Slot, this->Images->Image(3).Slot);
}

TEST_F(ImageManagerTest, ALostWriterLeavesTheSnapshotAsItWas)
{
  this->Open(FullRing::DropOldest);
  this->Run({ { "begin a.h5", "image 1" }, { "seal 1 20", "snapshot 1" },
    { "begin a.h5 copy 1", "image 2" }, { "keep 2 0 1", "1 has 1" }, { "drop 2", "done" },
    { "ring", "1" }, { "used", "21" } });
  const SlotIndex slot = this->Images->Snapshots().Find(1)->Shared->Slot;
  this->Run({ { "begin a.h5 copy 1", "image 3" } });
  EXPECT_NE(this->Images->Image(3).Slot, slot) << "a straggler may still write there";
}

// A program that opens its file for writing and only looks.
TEST_F(ImageManagerTest, WhatWasNotChangedIsWrittenFurtherInItsPlaceAgain)
{
  this->Open(FullRing::DropOldest);
  this->Run({ { "begin a.h5", "image 1" }, { "seal 1 20", "snapshot 1" },
    { "begin a.h5 copy 1", "image 2" }, { "finish 2", "done" }, { "ring", "1" },
    { "used", "20" } });
  const SlotIndex slot = this->Images->Snapshots().Find(1)->Shared->Slot;
  this->Run({ { "begin a.h5 copy 1", "image 3" }, { "keep 3 0 1", "1 has 1" },
    { "seal 3 20", "snapshot 2" } });
  EXPECT_EQ(this->Images->Snapshots().Find(2)->Slot, slot);
  // What its last flush shows is all of it; what one before showed is not.
  this->Run(
    { { "begin b.h5", "image 4" }, { "publish 4 1", "copy 1" }, { "confirm 4 1", "snapshot 3" },
      { "publish 4 1", "copy 2" }, { "confirm 4 2", "snapshot 4" }, { "finish 4", "done" },
      { "begin b.h5 copy 3", "image 5" }, { "begin b.h5 copy 4", "image 6" } });
  const std::uint64_t flushed = this->Images->Snapshots().Find(4)->Shared->Slot;
  EXPECT_NE(this->Images->Image(5).Slot, flushed);
  EXPECT_EQ(this->Images->Image(6).Slot, flushed);
}

// What older snapshots have behind its end is not the file's.
TEST_F(ImageManagerTest, AFileThatBecameShorterIsWrittenFurtherOnACopy)
{
  this->Open(FullRing::DropOldest);
  this->Run({ { "begin a.h5", "image 1" }, { "seal 1 30", "snapshot 1" },
    { "begin a.h5 copy 1", "image 2" }, { "seal 2 20", "snapshot 2" }, { "used", "30" },
    { "begin a.h5 copy 2", "image 3" } });
  EXPECT_NE(this->Images->Image(3).Slot, this->Images->Snapshots().Find(2)->Slot);
}

// Ranks copy a file faster than each asks for what it changes, if that is most of it.
TEST_F(ImageManagerTest, WhatIsWrittenAnewIsWrittenOnACopy)
{
  this->Open(FullRing::DropOldest);
  const auto further = [&](std::uint64_t ranks, std::uint64_t written)
  {
    auto& table = this->Images->Snapshots();
    const SnapshotDescription source = *table.Newest();
    const auto granted = this->Images->Begin(
      { .Owner = "ada", .FileName = "a.h5", .Source = source.Number, .Ranks = ranks });
    const bool inPlace = this->Images->Image(granted->Image).IsInPlace;
    EXPECT_EQ(inPlace, granted->BeforeWriting.Slot == source.Slot);
    EXPECT_NE(inPlace, granted->Source.has_value());
    if (granted->Source)
    {
      table.Release(source.Number, false);
    }
    const std::uint64_t size = source.FileSize + MiB / 2;
    this->Images->Seal({ granted->Image, size, size, { written, 0, 0, { written } }, 7 });
    return inPlace;
  };
  this->Run({ { "begin a.h5", "image 1" }, { "seal 1 8", "snapshot 1" } });
  EXPECT_FALSE(further(2, MiB)) << "nothing is known of it";
  EXPECT_TRUE(further(2, 9 * MiB)) << "it was appended";
  EXPECT_FALSE(further(2, MiB)) << "it was written anew";
  EXPECT_TRUE(further(2, MiB)) << "it was appended";
  EXPECT_TRUE(further(1, 9 * MiB));
  EXPECT_FALSE(further(1, MiB)) << "it was written anew";
}

TEST_F(ImageManagerTest, OtherSettingsCountFromTheNextFileOn)
{
  this->Open(FullRing::DropOldest);
  this->Run({ { "begin a.h5", "image 1" }, { "seal 1 20", "snapshot 1" } });
  auto other = this->Rules;
  other.Map.Strategy = "block cyclic";
  this->Images->SetPolicy(other);
  this->Run({ { "begin a.h5 copy 1", "image 2" }, { "seal 2 20", "snapshot 2" } });
  EXPECT_EQ(this->Images->Snapshots().Find(2)->Map.Strategy, "block cyclic");
}

// The window of a mask is a share of the size that was expected.
TEST_F(ImageManagerTest, AMaskIsMadeAnewWhenTheFileHasDoubled)
{
  this->Rules.Map.Strategy = "mask";
  this->Rules.WhenFull = FullRing::DropOldest;
  this->Images = std::make_unique<ImageManager>(Ring({ 4, 400 * MiB, 32 }), this->Rules);
  this->Run({ { "begin a.h5", "image 1" }, { "seal 1 4", "snapshot 1" },
    { "begin a.h5 copy 1", "image 2" } });
  EXPECT_FALSE(this->Images->Image(2).IsInPlace) << "nothing was expected of it";
  this->Run(
    { { "let-go 1", "done" }, { "seal 2 5", "snapshot 2" }, { "begin a.h5 copy 2", "image 3" } });
  EXPECT_TRUE(this->Images->Image(3).IsInPlace);
  this->Run({ { "seal 3 9", "snapshot 3" }, { "begin a.h5 copy 3", "image 4" } });
  EXPECT_FALSE(this->Images->Image(4).IsInPlace);
}

// As many snapshots as were asked for: the policy says which goes, or who waits.
TEST_F(ImageManagerTest, AFileThatIsWrittenFurtherIsASnapshotMore)
{
  this->Open(FullRing::Block, 2);
  this->Run({ { "begin b.h5", "image 1" }, { "seal 1 1", "snapshot 1" },
    { "begin a.h5", "image 2" }, { "seal 2 1", "snapshot 2" }, { "begin a.h5 copy 2", "wait" },
    { "read 1", "done" }, { "begin a.h5 copy 2", "image 3" }, { "ring", "2" } });
}

// Its memory is granted as another's is, and other files' snapshots go for it, but never its own.
TEST_F(ImageManagerTest, AFileThatIsWrittenFurtherGrowsAsOthersDo)
{
  this->Open(FullRing::DropOldest);
  this->Run({ { "begin b.h5", "image 1" }, { "seal 1 40", "snapshot 1" },
    { "begin a.h5", "image 2" }, { "seal 2 50", "snapshot 2" }, { "begin a.h5 copy 2", "image 3" },
    { "ring", "1 2" }, { "extend 3 80", "90 granted" }, { "ring", "2" },
    { "seal 3 80", "snapshot 3" }, { "used", "80" } });
}

// ---- What is made ready ahead.

// Nobody will be shown it, so nobody would ever read it.
TEST_F(ImageManagerTest, AHiddenSourceThatWasReplacedGoesFirst)
{
  this->Open(FullRing::Block, 3);
  this->Run({ { "begin a1.h5", "image 1" }, { "seal 1 1", "snapshot 1" }, { "hide 1", "done" },
    { "begin b1.h5", "image 2" }, { "seal 2 1", "snapshot 2" }, { "begin a1.h5 copy 1", "image 3" },
    { "let-go 1", "done" }, { "seal 3 1", "snapshot 3" }, { "ring", "1 2 3" },
    { "begin b2.h5", "image 4" }, { "ring", "2 3" }, { "counted", "3 0 0 0" } });
  this->Open(FullRing::DropOldest, 3);
  this->Run({ { "begin b1.h5", "image 1" }, { "seal 1 1", "snapshot 1" },
    { "begin a1.h5", "image 2" }, { "seal 2 1", "snapshot 2" }, { "hide 2", "done" },
    { "begin a1.h5 copy 2", "image 3" }, { "let-go 2", "done" }, { "publish 3 1", "copy 1" },
    { "confirm 3 1", "snapshot 3" }, { "begin b2.h5", "image 4" }, { "ring", "1 3" } });
  // One that was shown is a snapshot like others.
  this->Open(FullRing::Block, 3);
  this->Run({ { "begin a1.h5", "image 1" }, { "seal 1 1", "snapshot 1" },
    { "begin a1.h5 copy 1", "image 2" }, { "let-go 1", "done" }, { "seal 2 1", "snapshot 2" },
    { "begin b1.h5", "image 3" }, { "seal 3 1", "snapshot 3" }, { "begin b2.h5", "wait" } });
}

TEST_F(ImageManagerTest, TheNextFilesSlotIsMadeReady)
{
  this->Open(FullRing::DropOldest);
  this->Fill();
  const auto work = this->Images->PrepareNext("a4.h5");
  ASSERT_TRUE(work);
  EXPECT_EQ(this->Answer("ring"), "2 3") << "what would go then goes now";
  EXPECT_EQ(work->Plan.Zero.End, std::vector<std::uint64_t>{ 30 * MiB });
  this->Run({ { "begin a4.h5", "image 4" } });
  EXPECT_TRUE(this->LastWork.Plan.IsClean());
  EXPECT_EQ(this->LastWork.Slot, work->Slot);
}

TEST_F(ImageManagerTest, PreparingNeverTakesTheNewestNorWhatIsKept)
{
  this->Open(FullRing::DropOldest);
  this->Run({ { "begin a.h5", "image 1" }, { "extend 1 80", "80 granted" },
    { "seal 1 80", "snapshot 1" } });
  EXPECT_FALSE(this->Images->PrepareNext("a.h5"));
  EXPECT_EQ(this->Answer("ring"), "1");
  this->Open(FullRing::Block);
  this->Fill();
  EXPECT_FALSE(this->Images->PrepareNext("a4.h5"));
  EXPECT_EQ(this->Answer("ring"), "1 2 3");
}

TEST_F(ImageManagerTest, MemoryIsMadeReadyBeforeTheFirstFileAndNotWithoutEnd)
{
  this->Open(FullRing::DropOldest, 64, 320 * MiB);
  std::vector<std::uint64_t> ends;
  for (auto pages = this->Images->Warm({}); !pages.empty(); pages = this->Images->Warm({}))
  {
    ASSERT_LT(ends.size(), 1000U);
    ends.push_back(pages.front().End[0]);
  }
  ASSERT_FALSE(ends.empty());
  EXPECT_LE(ends.front(), 8 * MiB) << "in pieces: a host may be wanted for something else";
  EXPECT_EQ(this->Images->Memory().Resident(0), 320 * MiB)
    << "all that is lent, for files of unknown size";
  // The first file has it from its beginning: nothing is to be reserved for it.
  const auto granted = this->Images->Begin({ .Owner = "ada", .FileName = "a.h5" });
  ASSERT_TRUE(granted);
  EXPECT_TRUE(granted->BeforeWriting.Plan.IsClean());
  EXPECT_GE(this->Images->Image(granted->Image).Grant, 80 * MiB) << "it may be a large one";
}

TEST_F(ImageManagerTest, ManyFilesOfUnknownSizeCanBeOpenAtOnce)
{
  for (const std::uint64_t hosts : { 1, 2 })
  {
    this->Open(FullRing::DropOldest, 64, 8 * MiB, hosts);
    const auto warm = [&]
    {
      for (auto pages = this->Images->Warm({}); !pages.empty(); pages = this->Images->Warm({}))
      {
        this->Images->NoteWarm(pages);
      }
    };
    for (int number = 0; number < 60; ++number)
    {
      warm(); // as the server does in between
      const auto begun =
        this->Images->Begin({ .Owner = "ada", .FileName = fmt::format("b{}.h5", number) });
      ASSERT_TRUE(begun) << number << " on " << hosts << " hosts";
    }
  }
}

// ---- Settings that change.

TEST_F(ImageManagerTest, APolicyCountsAtOnceAndAMapFromTheNextImageOn)
{
  this->Open(FullRing::Block);
  this->Fill();
  this->Run({ { "begin a4.h5", "wait" } });
  auto rules = this->Images->GetPolicy();
  rules.WhenFull = FullRing::DropOldest;
  rules.Map.Strategy = "block cyclic";
  this->Images->SetPolicy(rules);
  this->Run({ { "begin a4.h5", "image 4" } });
  EXPECT_EQ(this->Images->Image(4).Map.Parameters().Strategy, "block cyclic");
  EXPECT_EQ(this->Images->Snapshots().Find(3)->Map.Strategy, "contiguous");
  rules.Map.Strategy = "no such thing";
  EXPECT_THROW(this->Images->SetPolicy(rules), Error);
  EXPECT_EQ(this->Images->GetPolicy().Map.Strategy, "block cyclic");
}

TEST_F(ImageManagerTest, LessMemoryTakesWhatNobodyNeeds)
{
  this->Open(FullRing::DropOldest);
  this->Fill();
  this->Run({ { "begin a4.h5", "image 4" }, { "finish 4", "done" }, { "ring", "2 3" } });
  EXPECT_EQ(this->Images->SetBudget(60 * MiB).size(), 1u) << "the pages of the free slot";
  this->Run({ { "ring", "2 3" }, { "begin a5.h5", "image 5" }, { "ring", "3" } });
  EXPECT_TRUE(this->Images->SetBudget(200 * MiB).empty());
  this->Run({ { "begin b.h5", "image 6" }, { "extend 6 100", "100 granted" } });
}

// ---- What is known of a snapshot.

TEST_F(ImageManagerTest, ASnapshotTellsHowItCame)
{
  this->Open(FullRing::DropOldest);
  this->Run({ { "begin out.0012.h5", "image 1" } });
  PeerDescription writer;
  writer.Program = "sim";
  this->Images->EnterStream(1, { "out.#.h5", 1, 12 }, writer);
  this->Run({ { "seal 1 2", "snapshot 1" }, { "begin log.h5", "image 2" },
    { "seal 2 2", "snapshot 2" }, { "begin log.h5", "image 3" }, { "seal 3 2", "snapshot 3" } });
  const auto all = this->Images->Snapshots().All();
  EXPECT_EQ(all[0].Step, 12) << "from its name";
  EXPECT_EQ(all[1].Step, 0) << "counted";
  EXPECT_EQ(all[2].Step, 1);
  EXPECT_EQ(all[0].SealedAt, 7);
  EXPECT_EQ(all[0].FileSize, 2 * MiB);
  EXPECT_EQ(this->Images->Counters().BytesReceived, 3u);
  EXPECT_EQ(this->Images->Counters().BlockedSeconds, 1.5);
  EXPECT_EQ(this->Images->Counters().HostBytes, std::vector<std::uint64_t>{ 3 });
}

TEST_F(ImageManagerTest, ASizeThatNoFileCanHaveIsRefusedAndTheImageGoesOn)
{
  this->Open(FullRing::DropOldest);
  this->Run({ { "begin a.h5", "image 1" }, { "extend 1 10", "10 granted" } });
  constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
  EXPECT_THROW(this->Images->Seal({ .Image = 1, .Size = largest }), Error);
  EXPECT_THROW(this->Images->Seal({ .Image = 1, .Reach = largest }), Error);
  EXPECT_THROW(this->Images->Publish(1, largest, {}, {}), Error);
  EXPECT_THROW(this->Images->Finish(1, largest), Error);
  this->Run({ { "seal 1 10", "snapshot 1" } });
}

TEST_F(ImageManagerTest, OnlyItsOwnerEndsAnImage)
{
  this->Open(FullRing::DropOldest);
  this->Images->Begin({ .Owner = "one", .FileName = "a.h5" });
  EXPECT_NO_THROW(this->Images->RequireOwner(1, "one"));
  EXPECT_THROW(this->Images->RequireOwner(1, "other"), Error);
  EXPECT_THROW(this->Images->RequireOwner(2, "one"), Error);
}

TEST_F(ImageManagerTest, ImagesAreKnownByTheirOwner)
{
  this->Open(FullRing::DropOldest);
  const auto mine = this->Images->Begin({ .Owner = "ada", .FileName = "a.h5" });
  const auto hers = this->Images->Begin({ .Owner = "eve", .FileName = "b.h5" });
  ASSERT_TRUE(mine && hers);
  EXPECT_EQ(this->Images->ImagesOf("eve"), std::vector<ImageId>{ hers->Image });
  EXPECT_TRUE(this->Images->ImagesOf("bob").empty());
}

std::uint64_t SumOf(const CleaningPlan::Range& range)
{
  std::uint64_t sum = 0;
  for (HostIndex host = 0; host < range.End.size(); ++host)
  {
    sum += range.End[host] - (host < range.Begin.size() ? range.Begin[host] : 0);
  }
  return sum;
}

TEST_F(ImageManagerTest, AFileThatMayGoesOnOnDisk)
{
  this->OpenWithDisk(FullRing::DropOldest);
  const auto image =
    this->Images->Begin({ .Owner = "ada", .FileName = "/tmp/run/long.h5", .MayOutgrow = true })
      ->Image;
  const auto mapOf = [&]() -> const AddressMap& { return this->Images->Image(image).Map; };
  EXPECT_FALSE(mapOf().ReachesDisk());
  EXPECT_EQ(mapOf().Capacity(), 86 * MiB) << "an eighth of the memory is left to others";
  EXPECT_EQ(this->Images->Extend(image, 80 * MiB)->BeforeWriting.Plan.Folder, "");
  EXPECT_FALSE(mapOf().ReachesDisk());
  const auto extended = this->Images->Extend(image, 90 * MiB);
  ASSERT_TRUE(extended);
  EXPECT_EQ(extended->Grant, 106 * MiB);
  EXPECT_EQ(mapOf().Parameters().Disk.From, 86 * MiB);
  EXPECT_EQ(SumOf(extended->BeforeWriting.Plan.OnDisk), 20 * MiB);
  EXPECT_EQ(extended->BeforeWriting.Plan.Folder, "/tmp/run");
  EXPECT_EQ(this->Images->Memory().UsedByAll(), 86 * MiB);
  EXPECT_EQ(this->Images->Memory().OnDiskByAll(), 20 * MiB);
  this->Images->ConfirmGrant(image, extended->Grant);
  // The next piece, when the writer has come near the end, and no more.
  EXPECT_EQ(this->Answer("reached 1 89"), "enough");
  EXPECT_EQ(this->Answer("reached 1 91"), "122 granted");
  EXPECT_EQ(SumOf(this->LastWork.Plan.OnDisk), 16 * MiB);
  this->Images->ConfirmGrant(image, 122 * MiB);
  EXPECT_EQ(this->Answer("reached 1 91"), "enough");
  // What is there of the window from an earlier time goes first.
  const auto forgotten = this->Images->TakeForgotten();
  ASSERT_TRUE(forgotten);
  EXPECT_EQ(SumOf(forgotten->Plan.Forget.front()), 512 * MiB);
  // What lies behind the end is given back when it is closed, and all of it with the snapshot.
  EXPECT_EQ(this->Answer("seal 1 100"), "snapshot 1");
  EXPECT_EQ(SumOf(this->Images->TakeForgotten()->Plan.Forget.front()), 22 * MiB);
  EXPECT_EQ(this->Images->Memory().OnDiskByAll(), 14 * MiB);
  EXPECT_FALSE(this->Images->TakeForgotten());
  this->Run({ { "begin b", "image 2" }, { "extend 2 60", "60 granted" }, { "ring", "" } });
  EXPECT_EQ(this->Images->Memory().OnDiskByAll(), 0u);
  EXPECT_EQ(SumOf(this->Images->TakeForgotten()->Plan.Forget.front()), 14 * MiB);
}

TEST_F(ImageManagerTest, WhatMayGoFromMemoryGoesBeforeAFileGoesToDisk)
{
  this->OpenWithDisk(FullRing::DropOldest);
  this->Run(
    { { "begin old", "image 1" }, { "extend 1 50", "50 granted" }, { "seal 1 50", "snapshot 1" } });
  const auto image =
    this->Images->Begin({ .Owner = "ada", .FileName = "/long.h5", .MayOutgrow = true })->Image;
  ASSERT_TRUE(this->Images->Extend(image, 70 * MiB));
  EXPECT_FALSE(this->Images->Image(image).Map.ReachesDisk());
  EXPECT_EQ(this->Answer("ring"), "");
  // And what others have stays.
  this->Run({ { "begin other", "image 3" } });
  const std::uint64_t used = this->Images->Memory().UsedByAll();
  ASSERT_TRUE(this->Images->Extend(image, 95 * MiB));
  EXPECT_TRUE(this->Images->Image(image).Map.ReachesDisk());
  EXPECT_LE(used, this->Images->Memory().UsedByAll());
}

// What a flush has shown is kept, whether it is in memory or on disk.
TEST_F(ImageManagerTest, FlushesKeepWhatChangesOnDisk)
{
  this->OpenWithDisk(FullRing::DropOldest);
  const auto image =
    this->Images->Begin({ .Owner = "ada", .FileName = "/long.h5", .MayOutgrow = true })->Image;
  ASSERT_TRUE(this->Images->Extend(image, 120 * MiB));
  this->Run({ { "publish 1 110 1", "copy 1" }, { "confirm 1 1", "snapshot 1" } });
  const std::uint64_t disk = this->Images->Image(image).Map.Parameters().Disk.Offset;
  const ByteRange changing{ disk + 3 * MiB, disk + 4 * MiB };
  const auto kept = this->Images->Keep(image, 0, changing);
  ASSERT_EQ(kept.Snapshots.size(), 1u);
  const auto& copies = kept.Snapshots[0].Copying.Plan.Copy.Bytes[0];
  ASSERT_EQ(copies.size(), 1u);
  EXPECT_EQ(copies[0].From, changing.Begin);
  EXPECT_EQ(copies[0].Size, MiB);
  this->Images->ConfirmKept(kept.Snapshots[0].Snapshot);
  // Behind its end, nobody shares anything.
  EXPECT_TRUE(this->Images->Keep(image, 0, { disk + 40 * MiB, disk + 41 * MiB }).Snapshots.empty());
  // It is finished, and written further in its place, on disk as well.
  this->Run({ { "finish 1", "done" } });
  const auto further = this->Images->Begin(
    { .Owner = "ada", .FileName = "/long.h5", .Source = 1, .MayOutgrow = true });
  ASSERT_TRUE(further);
  EXPECT_FALSE(further->Source) << "it is copied";
  EXPECT_EQ(SumOf(further->BeforeWriting.Plan.OnDisk) > 0, true);
  EXPECT_EQ(this->Images->Image(further->Image).Map.Parameters().Disk.Offset, disk);
}

TEST_F(ImageManagerTest, OnlySoManyFilesGoOnOnDisk)
{
  this->OpenWithDisk(FullRing::Block, 2);
  const auto first =
    this->Images->Begin({ .Owner = "ada", .FileName = "/a.h5", .MayOutgrow = true })->Image;
  try
  {
    this->Images->Extend(first, 2000 * MiB);
    ADD_FAILURE() << "more than the disks can have";
  }
  catch (const Error& error)
  {
    EXPECT_EQ(error.GetFault(), Fault::RingFull);
    EXPECT_NE(std::string(error.what()).find("on disk"), std::string::npos) << error.what();
  }
  ASSERT_TRUE(this->Images->Extend(first, 900 * MiB));
  EXPECT_GT(this->Images->Memory().OnDiskByAll(), 700 * MiB);
  this->Images->Drop(first, "her ranks died");
  EXPECT_EQ(this->Images->Memory().OnDiskByAll(), 0u);
  // One that may not is refused, as ever.
  this->Run({ { "begin b", "image 2" }, { "extend 2 300", "refused" } });
}

}
