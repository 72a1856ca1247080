// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Host/ShareWriter.h"

#include "Base/Deadline.h"
#include "Base/FileDescriptor.h"
#include "Base/FileMark.h"
#include "Mapping/AddressMap.h"
#include "Memory/SegmentLayout.h"
#include "Memory/SharedNumber.h"
#include "Memory/SlotEnding.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <numeric>
#include <optional>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>

namespace
{

using namespace dsm;
namespace fs = std::filesystem;

constexpr std::uint64_t SlotSize = 4096;
constexpr std::uint64_t Slots = 3;
constexpr SlotIndex Slot = 1;
constexpr std::uint64_t Generation = 5;
constexpr std::uint64_t BlockSize = 16;
constexpr std::uint64_t FileSize = 333;

// One host of two, whose second slot has a snapshot; and files that it writes its share into.
struct ShareWriterTest : testing::Test
{
  ShareWriterTest()
  {
    std::string folder = (fs::temp_directory_path() / "dsm-share-XXXXXX").string();
    EXPECT_NE(mkdtemp(folder.data()), nullptr);
    this->Folder = folder;
    for (std::size_t i = 0; i < this->Memory.size(); ++i)
    {
      this->Memory[i] = static_cast<std::byte>(i * 7 + i / 256);
    }
    this->Number(Layout.Generations.OffsetOf(Slot)).Store(Generation);
    this->Writer.emplace(this->Memory.data(), SlotSize, Slots,
      [this](const ShareWritten& report)
      {
        const std::lock_guard lock(this->Guard);
        this->Reports.push_back(report);
        this->Changed.notify_all();
      });
  }
  ~ShareWriterTest() override
  {
    this->Writer.reset();
    fs::remove_all(this->Folder);
  }

  static MapParameters Map() { return { "block cyclic", 2, 1024, BlockSize }; }

  FileOnDisk Make(const std::string& name) const
  {
    const fs::path path = this->Folder / name;
    std::ofstream(path).put('x');
    return Existing(path);
  }

  static FileOnDisk Existing(const fs::path& path)
  {
    struct stat status = {};
    EXPECT_EQ(stat(path.c_str(), &status), 0) << path;
    return { path.string(), std::uint64_t{ status.st_ino } };
  }

  WriteShare Share(std::uint64_t ticket, const std::vector<FileOnDisk>& files,
    std::uint64_t stripe = 0, HostIndex host = 1) const
  {
    WriteShare share;
    share.Ticket = ticket;
    share.Host = host;
    share.Snapshot.FileSize = FileSize;
    share.Snapshot.Slot = Slot;
    share.Snapshot.Generation = Generation;
    share.End = FileSize;
    share.Snapshot.Map = Map();
    share.StripeSize = stripe;
    share.Files = files;
    return share;
  }

  // What the host says last of a ticket.
  ShareWritten Await(std::uint64_t ticket)
  {
    ShareWritten last;
    std::unique_lock lock(this->Guard);
    const bool done = this->Changed.wait_for(lock, Seconds(20),
      [&]
      {
        for (const ShareWritten& report : this->Reports)
        {
          if (report.Ticket == ticket && report.Done)
          {
            last = report;
            return true;
          }
        }
        return false;
      });
    EXPECT_TRUE(done) << "ticket " << ticket;
    return last;
  }

  static std::string Contents(const FileOnDisk& file)
  {
    std::ifstream stream(file.Path, std::ios::binary);
    return std::string((std::istreambuf_iterator<char>(stream)), {});
  }

  // The byte that the host has for an address; none where another host has it.
  std::optional<char> ByteOf(std::uint64_t address) const
  {
    const Location place = AddressMap(Map()).Locate(FileOffset(address));
    return place.Host == 1
      ? std::optional(static_cast<char>(this->Memory[Slot * SlotSize + place.Offset]))
      : std::nullopt;
  }

  SharedNumber Number(std::uint64_t offset) { return SharedNumber(&this->Memory[offset]); }

  fs::path Folder;
  const SegmentLayout Layout{ SlotSize, Slots };
  std::vector<std::byte> Memory = std::vector<std::byte>(Layout.Mailboxes);
  std::mutex Guard;
  std::condition_variable Changed;
  std::vector<ShareWritten> Reports;
  std::optional<ShareWriter> Writer;
};

TEST_F(ShareWriterTest, WritesWhatItHasAtItsPlaces)
{
  const FileOnDisk file = this->Make("one");
  this->Writer->Add(this->Share(5, { file }));
  const auto report = this->Await(5);
  EXPECT_EQ(report.Failure, "");
  const std::string found = Contents(file);
  std::uint64_t its = 0;
  for (std::uint64_t address = 0; address < FileSize; ++address)
  {
    if (const auto byte = this->ByteOf(address))
    {
      ++its;
      ASSERT_EQ(found.at(address), *byte) << address;
    }
  }
  EXPECT_EQ(report.Bytes, its);
  EXPECT_EQ(found[0], 'x') << "the other host's bytes are left alone";
}

TEST_F(ShareWriterTest, StripesOfItsOwnBlocksAreItsMemory)
{
  const std::vector<FileOnDisk> files{ this->Make("a"), this->Make("b") };
  this->Writer->Add(this->Share(1, files, BlockSize));
  const auto report = this->Await(1);
  EXPECT_EQ(report.Failure, "");
  const std::string found = Contents(files[1]);
  ASSERT_EQ(found.size(), AddressMap(Map()).LocalSize(1, FileSize));
  for (std::size_t i = 0; i < found.size(); ++i)
  {
    ASSERT_EQ(found[i], static_cast<char>(this->Memory[Slot * SlotSize + i])) << i;
  }
  EXPECT_EQ(Contents(files[0]), "x");
}

TEST_F(ShareWriterTest, StripesOfOtherSizesAreFilledByAll)
{
  const std::vector<FileOnDisk> files{ this->Make("a"), this->Make("b"), this->Make("c") };
  const std::uint64_t stripe = 10;
  this->Writer->Add(this->Share(1, files, stripe));
  EXPECT_EQ(this->Await(1).Failure, "");
  for (std::uint64_t address = 0; address < FileSize; ++address)
  {
    if (const auto byte = this->ByteOf(address))
    {
      const std::uint64_t number = address / stripe;
      ASSERT_EQ(Contents(files[number % 3]).at(number / 3 * stripe + address % stripe), *byte);
    }
  }
}

TEST_F(ShareWriterTest, WritesAPartOfTheFile)
{
  const FileOnDisk file = this->Make("part");
  WriteShare share = this->Share(1, { file });
  share.Begin = 37;
  share.End = 101;
  this->Writer->Add(share);
  const auto report = this->Await(1);
  EXPECT_EQ(report.Failure, "");
  const std::string found = Contents(file);
  std::uint64_t its = 0;
  for (std::uint64_t address = share.Begin; address < share.End; ++address)
  {
    if (const auto byte = this->ByteOf(address))
    {
      ++its;
      ASSERT_EQ(found.at(address), *byte) << address;
    }
  }
  EXPECT_EQ(report.Bytes, its);
  EXPECT_LE(found.size(), share.End);
}

TEST_F(ShareWriterTest, WhatHasMovedIsReported)
{
  const FileOnDisk file = this->Make("moved");
  this->Writer->Add(this->Share(1, { file }));
  EXPECT_FALSE(this->Await(1).HasMoved);
  this->Number(this->Layout.Generations.OffsetOf(Slot)).Raise(Generation + 1);
  this->Writer->Add(this->Share(2, { file }));
  const auto moved = this->Await(2);
  EXPECT_TRUE(moved.HasMoved);
  EXPECT_EQ(moved.Failure, "");
}

// What a flush has shown; who changes it without asking says so in the memory of host 0.
TEST_F(ShareWriterTest, WhatIsWrittenWithoutTheServerIsLost)
{
  WriteShare share = this->Share(1, { this->Make("shared") }, 0, 0);
  share.Snapshot.Shared = SharedBytes{ 2, 9, std::vector<AsideBytes>(2) };
  const SlotEnding ending(this->Number(this->Layout.Endings.OffsetOf(2)));
  this->Number(this->Layout.Endings.OffsetOf(2)).Store(0); // none has ended
  this->Writer->Add(share);
  EXPECT_EQ(this->Await(1).Failure, "");
  ending.GoAlone(9);
  share.Ticket = 2;
  this->Writer->Add(share);
  EXPECT_NE(this->Await(2).Failure.find("changed further"), std::string::npos);
  share.Ticket = 3;
  share.Host = 1;
  this->Writer->Add(share);
  EXPECT_EQ(this->Await(3).Failure, "") << "only host 0 is told";
}

TEST_F(ShareWriterTest, AFileThatIsNotHereIsElsewhere)
{
  this->Writer->Add(this->Share(1, { { (this->Folder / "none").string(), 7 } }));
  const auto missing = this->Await(1);
  EXPECT_TRUE(missing.IsElsewhere);
  EXPECT_NE(missing.Failure, "");
  // Nor is another one of that name it.
  FileOnDisk other = this->Make("other");
  ++other.Inode;
  this->Writer->Add(this->Share(2, { other }));
  EXPECT_TRUE(this->Await(2).IsElsewhere);
  EXPECT_EQ(Contents(other), "x");
}

TEST_F(ShareWriterTest, ADiskWithoutRoomIsSaid)
{
  this->Writer->Add(this->Share(1, { Existing("/dev/full") }));
  const auto report = this->Await(1);
  EXPECT_FALSE(report.IsElsewhere);
  EXPECT_NE(report.Failure.find("No space left"), std::string::npos) << report.Failure;
  // And the next is written.
  const FileOnDisk file = this->Make("next");
  this->Writer->Add(this->Share(2, { file }));
  EXPECT_EQ(this->Await(2).Failure, "");
}

TEST_F(ShareWriterTest, WhatIsCancelledIsReportedAndNotWritten)
{
  // The first one gets to a pipe, and nobody reads from that.
  const fs::path pipe = this->Folder / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const FileOnDisk begun = this->Make("begun");
  const FileOnDisk file = this->Make("later");
  this->Writer->Add(this->Share(1, { Existing(pipe), begun }, 10));
  this->Writer->Add(this->Share(2, { file }));
  const Deadline deadline(Seconds(20));
  while (Contents(begun) == "x" && !deadline.Expired())
  {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  this->Writer->Cancel(2);
  EXPECT_EQ(this->Await(2).Bytes, 0U);
  EXPECT_EQ(Contents(file), "x");
  // With somebody to read from it, the first one goes on, and finds that it is not wanted.
  this->Writer->Cancel(1);
  const FileDescriptor reader(open(pipe.c_str(), O_RDWR | O_CLOEXEC));
  EXPECT_EQ(this->Await(1).Failure, "it was given up");
}

TEST_F(ShareWriterTest, ItsEndEndsWhatIsUnderWay)
{
  const FileOnDisk file = this->Make("later");
  this->Writer->End();
  this->Writer->Add(this->Share(1, { file }));
  this->Writer.reset();
  EXPECT_TRUE(this->Reports.empty());
  EXPECT_EQ(Contents(file), "x");
}

}
