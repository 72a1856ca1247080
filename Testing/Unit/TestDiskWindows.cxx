// SPDX-License-Identifier: BSD-3-Clause
// What goes on on disk of files that outgrow the memory: windows, the file behind them, and what of
// it is in memory.
#include "Base/Error.h"
#include "Base/NodeIdentity.h"
#include "Memory/DiskWindows.h"
#include "Memory/Segment.h"
#include "Memory/SegmentLayout.h"
#include "Memory/SharedNumber.h"
#include "Server/Host/HostDisk.h"
#include "Transport/SharedMemory/SharedMemory.h"

#include <gtest/gtest.h>

#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <vector>

namespace
{

using namespace dsm;
using Sizes = DiskWindows::Sizes;

constexpr std::uint64_t MiB = UINT64_C(1) << 20;
constexpr std::uint64_t SlotSize = 64 * MiB;
constexpr std::uint64_t Slots = 4;
constexpr std::uint64_t DiskSize = DiskWindows::Count * 256 * MiB;

std::byte Pattern(std::uint64_t place)
{
  return static_cast<std::byte>(place / 4096 * 7 + place);
}

TEST(DiskWindows, SlotsHaveWindowsOfTheirOwn)
{
  DiskWindows windows(2, Slots * SlotSize, DiskSize, SlotSize);
  EXPECT_EQ(windows.Capacity(), 256 * MiB);
  std::set<std::uint64_t> begins;
  for (SlotIndex slot = 0; slot < DiskWindows::Count; ++slot)
  {
    const auto offset = windows.Take(slot);
    ASSERT_TRUE(offset);
    const std::uint64_t begin = slot * SlotSize + *offset;
    EXPECT_GE(begin, Slots * SlotSize);
    EXPECT_LE(begin + windows.Capacity(), Slots * SlotSize + DiskSize);
    EXPECT_EQ((begin - Slots * SlotSize) % windows.Capacity(), 0u);
    EXPECT_TRUE(begins.insert(begin).second) << "two slots have the same";
  }
  EXPECT_FALSE(windows.Take(SlotIndex(DiskWindows::Count)));
  windows.Free(5);
  windows.Free(3);
  const auto next = windows.Take(100);
  ASSERT_TRUE(next);
  EXPECT_EQ(100 * SlotSize + *next, Slots * SlotSize + 3 * windows.Capacity());
}

TEST(DiskWindows, WhatIsFreedIsTakenLast)
{
  DiskWindows windows(1, Slots * SlotSize, DiskSize, SlotSize);
  const auto first = windows.Take(0);
  windows.Free(0);
  for (std::uint64_t take = 1; take < DiskWindows::Count; ++take)
  {
    EXPECT_NE(windows.Take(0), first);
    windows.Free(0);
  }
  EXPECT_EQ(windows.Take(0), first);
}

TEST(DiskWindows, RoomIsTakenAndGivenBackOnce)
{
  DiskWindows windows(2, Slots * SlotSize, DiskSize, SlotSize);
  const std::uint64_t at = *windows.Take(1);
  EXPECT_EQ(windows.Extend(1, { 10, 20 }).End, (Sizes{ at + 10, at + 20 }));
  const auto more = windows.Extend(1, { 30, 5 });
  EXPECT_EQ(more.Begin, (Sizes{ at + 10, at + 20 }));
  EXPECT_EQ(more.End, (Sizes{ at + 30, at + 20 }));
  EXPECT_EQ(windows.Used(0), 30u);
  const auto less = windows.Shrink(1, { 7, 40 });
  EXPECT_EQ(less.Begin, (Sizes{ at + 7, at + 20 }));
  EXPECT_EQ(less.End, (Sizes{ at + 30, at + 20 }));
  EXPECT_EQ(windows.All(1).End, (Sizes{ at + 7, at + 20 }));
  windows.Free(1);
  EXPECT_EQ(windows.Used(0) + windows.Used(1), 0u);
}

/// A host's segment with its disk, and a peer that maps both.
class DiskTest : public testing::Test
{
protected:
  DiskTest()
    : Memory(Segment::Create(this->Layout.Size(), DiskSize))
  {
    const std::string& name = this->Memory.Name();
    this->Server.SlotSize = SlotSize;
    this->Server.SlotCount = Slots;
    this->Server.DiskSize = DiskSize;
    this->Server.Hosts.push_back({ NodeIdentity(), "here", NetworkIdentity(),
      { { "shared-memory", { name.begin(), name.end() } } } });
    this->Memory.Populate(this->Layout.TablesBegin(), 4096);
  }

  void MakeDisk()
  {
    const int made = this->Memory.MakeDisk(std::filesystem::current_path());
    SharedNumber(this->Memory.Data() + this->Layout.Signals.OffsetOf(SegmentLayout::DiskFile))
      .Store(static_cast<std::uint64_t>(made) + 1);
  }

  const SegmentLayout Layout{ SlotSize, Slots };
  const std::uint64_t Begin = Segment::DiskBegin(this->Layout.Size());
  Segment Memory;
  ServerDescription Server;
};

TEST_F(DiskTest, PeersFollowWhenSomethingIsThere)
{
  SharedMemory peer(this->Server, { 0 });
  std::array<std::byte, 8> bytes{};
  EXPECT_THROW(peer.Get(0, this->Begin, bytes.data(), bytes.size()), Error);
  this->MakeDisk();
  this->Memory.Reserve(this->Begin + MiB, MiB);
  std::vector<std::byte> written(MiB);
  for (std::uint64_t place = 0; place < written.size(); ++place)
  {
    written[place] = Pattern(place);
  }
  peer.Put(0, this->Begin + MiB, written.data(), written.size());
  EXPECT_TRUE(std::equal(written.begin(), written.end(), this->Memory.Data() + this->Begin + MiB));
  SharedMemory reader(this->Server, { 0 });
  EXPECT_EQ(reader.Direct(0, this->Begin + MiB)[5], Pattern(5));
}

TEST_F(DiskTest, WhatIsForgottenReadsAsZero)
{
  this->MakeDisk();
  HostDisk disk(this->Memory);
  std::byte* const bytes = this->Memory.Data() + this->Begin;
  disk.Take({ this->Begin, MiB });
  std::fill(bytes, bytes + MiB, std::byte(1));
  disk.Forget({ this->Begin + 5000, MiB - 5000 });
  EXPECT_EQ(bytes[4999], std::byte(1));
  EXPECT_TRUE(
    std::all_of(bytes + 5000, bytes + MiB, [](std::byte b) { return b == std::byte(0); }));
}

// As a file grows, all that lies far behind has left memory, and is read again when it is wanted.
TEST_F(DiskTest, WhatLiesFarBehindLeavesMemory)
{
  struct statfs system = {};
  ASSERT_EQ(statfs(std::filesystem::current_path().c_str(), &system), 0);
  if (system.f_type == TMPFS_MAGIC || system.f_type == OVERLAYFS_SUPER_MAGIC)
  {
    GTEST_SKIP() << "this folder is in memory itself, or in a file system above others";
  }
  this->MakeDisk();
  HostDisk disk(this->Memory);
  std::byte* const bytes = this->Memory.Data() + this->Begin;
  constexpr std::uint64_t piece = 16 * MiB;
  constexpr std::uint64_t size = 12 * piece;
  for (std::uint64_t begin = 0; begin < size; begin += piece)
  {
    disk.Take({ this->Begin + begin, piece });
    for (std::uint64_t place = begin; place < begin + piece; place += 4096)
    {
      bytes[place] = Pattern(place);
    }
  }
  const auto resident = [&](std::uint64_t begin, std::uint64_t length)
  {
    std::vector<unsigned char> pages(length / 4096);
    EXPECT_EQ(mincore(bytes + begin, length, pages.data()), 0);
    return 4096 *
      static_cast<std::uint64_t>(
        std::count_if(pages.begin(), pages.end(), [](unsigned char page) { return page & 1; }));
  };
  EXPECT_LE(resident(0, size), HostDisk::Hot + 2 * piece);
  EXPECT_EQ(resident(size - piece, piece), piece) << "what was written last is in memory";
  for (std::uint64_t place = 0; place < size; place += 4096)
  {
    ASSERT_EQ(bytes[place], Pattern(place)) << place;
  }
}

TEST_F(DiskTest, AFolderThatIsNotThereIsSaid)
{
  try
  {
    this->Memory.MakeDisk("/nowhere/at/all");
    FAIL() << "a file without a folder";
  }
  catch (const Error& error)
  {
    EXPECT_NE(std::string(error.what()).find("/nowhere/at/all"), std::string::npos);
  }
  EXPECT_FALSE(this->Memory.HasDisk());
}

}
