// SPDX-License-Identifier: BSD-3-Clause
// The transport to hosts on this node, over segments as large as large hosts have.
#include "Base/NodeIdentity.h"
#include "Memory/Segment.h"
#include "Memory/SegmentLayout.h"
#include "Transport/SharedMemory/SharedMemory.h"

#include <gtest/gtest.h>

#include <malloc.h>

#include <algorithm>
#include <vector>

namespace
{

using namespace dsm;

constexpr std::uint64_t SlotSize = UINT64_C(1) << 40;
constexpr std::uint64_t Slots = 8;
constexpr std::uint64_t Piece = UINT64_C(256) << 10;

ServerDescription ServerOf(const Segment& segment)
{
  ServerDescription server;
  server.SlotSize = SlotSize;
  server.SlotCount = Slots;
  const std::string& name = segment.Name();
  server.Hosts.push_back({ NodeIdentity(), "here", NetworkIdentity(),
    { { "shared-memory", { name.begin(), name.end() } } } });
  return server;
}

// Bytes that this process has from malloc.
std::uint64_t Allocated()
{
  const auto now = mallinfo2();
  return now.uordblks + now.hblkhd;
}

TEST(SharedMemory, KeepsBooksOfWhatItWroteNotOfTheAddressSpace)
{
  const auto segment = Segment::Create(SegmentLayout(SlotSize, Slots).Size());
  const std::vector<std::byte> bytes(Piece, std::byte(7));
  const std::uint64_t before = Allocated();
  SharedMemory memory(ServerOf(segment), { 0 });
  for (SlotIndex slot = 0; slot < Slots; ++slot)
  {
    // At its end, in its middle, and over what is known there.
    for (const std::uint64_t offset : { SlotSize - Piece, SlotSize / 2, SlotSize / 2 - 777 })
    {
      const std::uint64_t at = slot * SlotSize + offset;
      segment.Reserve(at, Piece);
      memory.Put(0, at, bytes.data(), Piece);
      EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), segment.Data() + at)) << slot;
    }
  }
  EXPECT_LT(Allocated() - before, 64u << 10);
}

TEST(SharedMemory, MapsPrivatelyOnlyHostsThatItReaches)
{
  constexpr std::uint64_t Page = 4096;
  const auto segment = Segment::Create(SegmentLayout(SlotSize, Slots).Size());
  segment.Reserve(0, Page);
  segment.Data()[0] = std::byte(7);
  ServerDescription server = ServerOf(segment);
  server.Hosts.push_back({ "elsewhere", "there", "network", {} });
  const SharedMemory memory(server, { 0 });
  alignas(Page) static std::byte place[Page];
  EXPECT_FALSE(memory.MapPrivate(1, 0, place, Page));
  EXPECT_EQ(place[0], std::byte(0));
  EXPECT_TRUE(memory.MapPrivate(0, 0, place, Page));
  EXPECT_EQ(place[0], std::byte(7));
  place[0] = std::byte(8);
  EXPECT_EQ(segment.Data()[0], std::byte(7));
}

// A host touches pages ahead of the writer, who may overtake it anywhere.
TEST(SharedMemory, WritesOverPagesOfWhichSomeWereTouched)
{
  constexpr std::uint64_t Size = UINT64_C(7) << 20;
  constexpr std::uint64_t Around = 12345;
  const auto segment = Segment::Create(SegmentLayout(SlotSize, Slots).Size());
  segment.Reserve(0, Size, Segment::Pages::Small);
  for (const std::uint64_t touched : { UINT64_C(1) << 20, (UINT64_C(9) << 19) + 4096 })
  {
    std::fill_n(segment.Data() + touched, UINT64_C(1) << 20, std::byte(1));
  }
  std::vector<std::byte> bytes(Size - 2 * Around);
  for (std::size_t i = 0; i < bytes.size(); ++i)
  {
    bytes[i] = std::byte(i * 7 + i / 4096);
  }
  SharedMemory memory(ServerOf(segment), { 0 });
  for (int time = 0; time < 2; ++time)
  {
    memory.Put(0, Around, bytes.data(), bytes.size());
    EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), segment.Data() + Around)) << time;
    EXPECT_EQ(segment.Data()[Around - 1], std::byte(0));
    EXPECT_EQ(segment.Data()[Size - Around], std::byte(0));
    std::reverse(bytes.begin(), bytes.end());
  }
}

}
