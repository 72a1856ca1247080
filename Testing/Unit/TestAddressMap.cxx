// SPDX-License-Identifier: BSD-3-Clause
#include "Base/Error.h"
#include "Mapping/AddressMap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace
{

using dsm::AddressMap;
using dsm::HostIndex;
using dsm::MapParameters;

using dsm::StrategyKind;

const std::vector<StrategyKind>& AllStrategies = dsm::Strategies();

const StrategyKind& KindOf(const MapParameters& p)
{
  return *std::find_if(AllStrategies.begin(), AllStrategies.end(),
    [&](const StrategyKind& kind) { return kind.Name == p.Strategy; });
}

// Any strategy, odd sizes, cycles shorter and longer than the hosts. Mask works in pages, so that
// its hosts are larger.
MapParameters RandomParameters(std::mt19937_64& random, std::uint64_t largestHost)
{
  MapParameters p;
  p.Strategy = AllStrategies[random() % AllStrategies.size()].Name;
  p.Hosts = 1 + random() % 9;
  p.HostCapacity = 1 + random() % largestHost;
  if (KindOf(p).NeedsExpected)
  {
    p.HostCapacity += random() % 20000;
    p.ExpectedSize = random() % (p.HostCapacity * p.Hosts * 5 / 4);
  }
  p.BlockSize = 1 + random() % p.HostCapacity;
  if (random() % 2)
  {
    p.BlockSize = 1 + p.BlockSize / 8;
  }
  p.BlocksPerCycle = random() % (p.Hosts * (p.HostCapacity / p.BlockSize) + 1);
  p.Seed = random();
  return p;
}

std::string TextOf(const MapParameters& p)
{
  return p.Strategy + " P=" + std::to_string(p.Hosts) + " l=" + std::to_string(p.HostCapacity) +
    " s=" + std::to_string(p.BlockSize) + " B_c=" + std::to_string(p.BlocksPerCycle) +
    " seed=" + std::to_string(p.Seed) + " E=" + std::to_string(p.ExpectedSize);
}

TEST(AddressMap, EveryAddressHasItsOwnPlace)
{
  std::mt19937_64 random(2011);
  for (int trial = 0; trial < 400; ++trial)
  {
    const MapParameters p = RandomParameters(random, 300);
    const AddressMap map(p);
    ASSERT_GT(map.Capacity(), 0u);
    ASSERT_LE(map.Capacity(), p.Hosts * p.HostCapacity);
    std::vector<bool> taken(p.Hosts * p.HostCapacity, false);
    for (std::uint64_t address = 0; address < map.Capacity(); ++address)
    {
      const auto place = map.Locate(dsm::FileOffset(address));
      ASSERT_LT(place.Host, p.Hosts);
      ASSERT_LT(place.Offset, p.HostCapacity);
      ASSERT_GE(place.Run, 1u);
      auto here = taken[place.Host * p.HostCapacity + place.Offset];
      ASSERT_FALSE(here) << TextOf(p);
      here = true;
      ASSERT_EQ(map.Address(place.Host, place.Offset), address) << TextOf(p);
    }
  }
}

TEST(AddressMap, ARunIsConsecutiveInFileAndMemory)
{
  std::mt19937_64 random(5);
  for (int trial = 0; trial < 300; ++trial)
  {
    const MapParameters p = RandomParameters(random, 200);
    const AddressMap map(p);
    const std::uint64_t begin = random() % map.Capacity();
    const auto place = map.Locate(dsm::FileOffset(begin));
    ASSERT_LE(begin + place.Run, map.Capacity());
    for (std::uint64_t i = 0; i < place.Run; ++i)
    {
      ASSERT_EQ(map.Locate(dsm::FileOffset(begin + i)).Host, place.Host);
      ASSERT_EQ(map.Locate(dsm::FileOffset(begin + i)).Offset, place.Offset + i);
    }
  }
}

TEST(AddressMap, LocalSizesAreWhatAFileOccupies)
{
  std::mt19937_64 random(17);
  for (int trial = 0; trial < 300; ++trial)
  {
    const MapParameters p = RandomParameters(random, 120);
    const AddressMap map(p);
    const std::uint64_t fileSize = random() % (map.Capacity() + 1);
    std::vector<std::uint64_t> count(p.Hosts, 0), top(p.Hosts, 0);
    for (std::uint64_t address = 0; address < fileSize; ++address)
    {
      const auto place = map.Locate(dsm::FileOffset(address));
      ++count[place.Host];
      top[place.Host] = std::max(top[place.Host], place.Offset + 1);
    }
    for (HostIndex host = 0; host < p.Hosts; ++host)
    {
      ASSERT_EQ(map.LocalSize(host, fileSize), top[host]) << TextOf(p) << " host " << host;
      if (!KindOf(p).IsRandom)
      {
        ASSERT_EQ(top[host], count[host]) << "a host fills from offset 0 without holes";
      }
    }
  }
}

// What lies before the share on disk is where the strategy has it, and what lies in it is behind
// all memory: each address has a place, and no other has that.
TEST(AddressMap, AFileGoesOnOnDisk)
{
  std::mt19937_64 random(2026);
  constexpr std::uint64_t block = UINT64_C(1) << 20;
  for (int trial = 0; trial < 200; ++trial)
  {
    MapParameters p = RandomParameters(random, 300);
    const AddressMap before(p);
    p.Disk = { 1 + random() % before.Capacity(), 1 << 20, 3 * block };
    const AddressMap map(p);
    ASSERT_EQ(map.Capacity(), p.Disk.From + p.Hosts * 3 * block);
    ASSERT_TRUE(map.ReachesDisk());
    ASSERT_FALSE(map.InMemory().ReachesDisk());
    for (std::uint64_t address = 0; address < p.Disk.From; ++address)
    {
      const auto place = map.Locate(dsm::FileOffset(address));
      ASSERT_EQ(place.Host, before.Locate(dsm::FileOffset(address)).Host);
      ASSERT_EQ(place.Offset, before.Locate(dsm::FileOffset(address)).Offset);
      ASSERT_LE(address + place.Run, p.Disk.From);
      ASSERT_EQ(map.Address(place.Host, place.Offset), address);
    }
    for (std::uint64_t number = 0; number < 3 * p.Hosts; ++number)
    {
      const std::uint64_t begin = p.Disk.From + number * block;
      const auto place = map.Locate(dsm::FileOffset(begin));
      ASSERT_EQ(place.Host, number % p.Hosts);
      ASSERT_EQ(place.Offset, p.Disk.Offset + number / p.Hosts * block);
      ASSERT_GE(place.Run, block);
      ASSERT_EQ(map.Address(place.Host, place.Offset + 5), begin + 5);
      ASSERT_EQ(map.LocalSize(place.Host, begin + 5), place.Offset + 5);
      ASSERT_EQ(map.DiskSize(place.Host, begin + 5), place.Offset + 5 - p.Disk.Offset);
    }
    for (HostIndex host = 0; host < p.Hosts; ++host)
    {
      ASSERT_EQ(map.LocalSize(host, p.Disk.From), before.LocalSize(host, p.Disk.From));
      ASSERT_EQ(map.MemorySize(host, map.Capacity()), before.LocalSize(host, p.Disk.From));
      ASSERT_EQ(map.DiskSize(host, p.Disk.From), 0u);
      ASSERT_EQ(map.DiskSize(host, map.Capacity()), 3 * block);
      const auto inMemory = map.Held(host, 0, map.Capacity());
      ASSERT_EQ(inMemory.Begin, 0u);
      ASSERT_EQ(inMemory.End, before.LocalSize(host, p.Disk.From));
      const auto onDisk = map.Held(host, p.Disk.Offset + 7, map.Capacity());
      ASSERT_EQ(onDisk.Begin, p.Disk.Offset);
      ASSERT_EQ(onDisk.End, p.Disk.Offset + 3 * block);
    }
  }
}

TEST(AddressMap, AShareOnDiskThatCannotBeIsRefused)
{
  MapParameters p;
  p.HostCapacity = 4 << 20;
  p.Disk = { 1 << 20, 4 << 20, 1 << 20 };
  EXPECT_NO_THROW(AddressMap{ p });
  p.Disk.Offset = (4 << 20) - 1; // within memory
  EXPECT_THROW(AddressMap{ p }, dsm::Error);
  p.Disk = { (4 << 20) + 1, 8 << 20, 1 << 20 }; // behind what memory can have
  EXPECT_THROW(AddressMap{ p }, dsm::Error);
  p.Disk = { 1 << 20, 8 << 20, UINT64_C(1) << 63 };
  EXPECT_THROW(AddressMap{ p }, dsm::Error);
}

TEST(AddressMap, RandomAddressesOfHugeMapsComeBack)
{
  std::mt19937_64 random(64);
  for (int trial = 0; trial < 20000; ++trial)
  {
    MapParameters p;
    p.Strategy = AllStrategies[random() % AllStrategies.size()].Name;
    p.Hosts = 1 + random() % 4096;
    p.HostCapacity = (UINT64_C(1) << 20) + random() % (UINT64_C(1) << 44);
    p.BlockSize = 1 + random() % (UINT64_C(1) << (1 + random() % 20));
    p.BlocksPerCycle = random() % 3 * (random() % (4 * p.Hosts));
    p.BlocksPerCycle = std::min(p.BlocksPerCycle, p.Hosts * (p.HostCapacity / p.BlockSize));
    p.ExpectedSize = random() % (UINT64_C(1) << (10 + random() % 50));
    p.Seed = random();
    const AddressMap map(p);
    const std::uint64_t address = random() % map.Capacity();
    const auto place = map.Locate(dsm::FileOffset(address));
    ASSERT_LT(place.Host, p.Hosts);
    ASSERT_LT(place.Offset, p.HostCapacity);
    ASSERT_EQ(map.Address(place.Host, place.Offset), address);
  }
}

TEST(AddressMap, BlockCyclicFollowsThePapersFormula)
{
  std::mt19937_64 random(41);
  for (int trial = 0; trial < 20000; ++trial)
  {
    MapParameters p;
    p.Hosts = 2 + random() % 512;
    p.BlockSize = 1 + random() % 100000;
    p.HostCapacity = p.BlockSize * (1 + random() % 100000) + random() % p.BlockSize;
    const AddressMap map(p);
    const std::uint64_t a = random() % map.Capacity();
    const std::uint64_t block = a / p.BlockSize;
    const auto place = map.Locate(dsm::FileOffset(a));
    ASSERT_EQ(place.Host, block % p.Hosts);
    ASSERT_EQ(place.Offset / p.BlockSize, block / p.Hosts);
    ASSERT_EQ(place.Offset % p.BlockSize, a % p.BlockSize);
  }
}

// Every host count and cycle around it, in full.
TEST(AddressMap, CyclesOfAnyLengthKeepTheirShares)
{
  for (const std::uint64_t hosts : { 1, 2, 3, 4, 7 })
  {
    for (std::uint64_t length = 1; length <= 3 * hosts + 1; ++length)
    {
      for (const std::string strategy : { "block cyclic", "random block" })
      {
        const MapParameters p{ strategy, hosts, 109, 13, length, 2011 };
        const AddressMap map(p);
        const std::uint64_t used = std::min(hosts, length);
        std::vector<std::uint64_t> blocks(hosts, 0);
        for (std::uint64_t block = 0; block < length; ++block)
        {
          ++blocks[map.Locate(dsm::FileOffset(block * 13)).Host];
        }
        for (HostIndex host = 0; host < hosts; ++host)
        {
          ASSERT_EQ(blocks[host], length / hosts + (host < length % hosts ? 1 : 0)) << TextOf(p);
          ASSERT_EQ(map.LocalSize(host, map.Capacity()) > 0, host < used) << TextOf(p);
        }
        if (length % hosts == 0 && strategy == "block cyclic")
        {
          const AddressMap paper({ strategy, hosts, p.HostCapacity, 13 });
          ASSERT_EQ(map.Capacity(), paper.Capacity());
          for (std::uint64_t a = 0; a < map.Capacity(); ++a)
          {
            ASSERT_EQ(map.Locate(dsm::FileOffset(a)).Host, paper.Locate(dsm::FileOffset(a)).Host);
            ASSERT_EQ(
              map.Locate(dsm::FileOffset(a)).Offset, paper.Locate(dsm::FileOffset(a)).Offset);
          }
        }
      }
    }
  }
}

TEST(AddressMap, MaskSpreadsTheExpectedSizeAndGoesOn)
{
  constexpr std::uint64_t Page = 4096;
  const AddressMap map({ "mask", 4, 100 * Page, 1, 0, 0, 9 * Page + 1 });
  EXPECT_EQ(map.Capacity(), 400 * Page);
  for (HostIndex host = 0; host < 4; ++host)
  {
    // A share of 2 pages and a bit takes 3.
    EXPECT_EQ(map.Locate(dsm::FileOffset(3 * host * Page)).Host, host);
    EXPECT_EQ(map.Locate(dsm::FileOffset(3 * host * Page)).Run, 3 * Page);
    // What outgrows it goes on behind.
    EXPECT_EQ(map.Locate(dsm::FileOffset((12 + 97 * host) * Page)).Host, host);
    EXPECT_EQ(map.Locate(dsm::FileOffset((12 + 97 * host) * Page)).Offset, 3 * Page);
  }
  const AddressMap contiguous({ "contiguous", 4, 100 * Page });
  for (const std::uint64_t expected : { UINT64_C(0), 400 * Page, 500 * Page, ~UINT64_C(0) })
  {
    const AddressMap same({ "mask", 4, 100 * Page, 1, 0, 0, expected });
    for (std::uint64_t address = 0; address < same.Capacity(); address += 777)
    {
      ASSERT_EQ(same.Locate(dsm::FileOffset(address)).Host,
        contiguous.Locate(dsm::FileOffset(address)).Host)
        << expected;
      ASSERT_EQ(same.Locate(dsm::FileOffset(address)).Offset,
        contiguous.Locate(dsm::FileOffset(address)).Offset)
        << expected;
    }
  }
}

// Writers whose blocks lie a multiple of P apart meet on one host when blocks are dealt in turn; in
// a random order they meet once in P, and each host gets its part of any writer's blocks.
TEST(AddressMap, RandomBlocksSpreadWhatCyclicOnesPile)
{
  constexpr std::uint64_t Hosts = 8;
  constexpr std::uint64_t Blocks = 80000;
  const std::uint64_t capacity = 10 * Hosts * Blocks;
  const AddressMap cyclic({ "block cyclic", Hosts, capacity, 10 });
  for (const std::uint64_t length : { Hosts, 5 * Hosts })
  {
    const AddressMap random({ "random block", Hosts, capacity, 10, length, 42 });
    std::vector<std::uint64_t> hits(Hosts, 0);
    std::uint64_t meetings = 0;
    for (std::uint64_t block = 0; block < Blocks; ++block)
    {
      const std::uint64_t first = block * Hosts * 10;
      const std::uint64_t second = first + 1000 * length * 10;
      ASSERT_EQ(cyclic.Locate(dsm::FileOffset(first)).Host, 0u);
      ++hits[random.Locate(dsm::FileOffset(first)).Host];
      meetings +=
        random.Locate(dsm::FileOffset(first)).Host == random.Locate(dsm::FileOffset(second)).Host
        ? 1
        : 0;
    }
    const double fair = static_cast<double>(Blocks) / Hosts;
    for (HostIndex host = 0; host < Hosts; ++host)
    {
      EXPECT_NEAR(static_cast<double>(hits[host]), fair, 0.05 * fair) << host;
    }
    EXPECT_NEAR(static_cast<double>(meetings), fair, 0.05 * fair);
  }
}

// A few blocks in a cycle of millions: the server asks this often, and waits for the answer.
TEST(AddressMap, LocalSizesOfHugeCyclesAreQuick)
{
  const std::uint64_t length = UINT64_C(1) << 32;
  const AddressMap map({ "random block", 64, length * 16, 1024, length, 1 });
  const std::uint64_t few = map.LocalSize(63, UINT64_C(5000) * 1024);
  EXPECT_LE(few, map.LocalSize(63, UINT64_C(1) << 34));
  EXPECT_LE(map.LocalSize(63, UINT64_C(1) << 34), length / 64 * 1024);
  EXPECT_GT(few, length / 64 * 512) << "spread over the whole cycle";
}

TEST(AddressMap, ForEachRunCoversARangeInOrder)
{
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 500; ++trial)
  {
    const MapParameters p = RandomParameters(random, 400);
    const AddressMap map(p);
    const std::uint64_t address = random() % map.Capacity();
    const std::uint64_t size = random() % (map.Capacity() - address + 1);
    std::uint64_t expected = 0;
    map.ForEachRun(dsm::FileOffset(address), size,
      [&](HostIndex host, std::uint64_t offset, std::uint64_t position, std::uint64_t length)
      {
        ASSERT_EQ(position, expected);
        ASSERT_GT(length, 0u);
        ASSERT_EQ(map.Address(host, offset), address + position);
        expected += length;
      });
    ASSERT_EQ(expected, size);
  }
}

TEST(AddressMap, RefusesWhatMakesNoSense)
{
  const auto fault = [](const MapParameters& p)
  {
    try
    {
      AddressMap map(p);
    }
    catch (const dsm::Error& error)
    {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(fault({ "spiral", 2, 100, 10 }).find("contiguous"), std::string::npos);
  EXPECT_NE(fault({ "contiguous", 0, 100, 10 }), "");
  EXPECT_NE(fault({ "contiguous", 1, 0, 10 }), "");
  EXPECT_NE(fault({ "block cyclic", 2, 100, 0 }), "");
  EXPECT_NE(fault({ "block cyclic", 2, 100, 101 }), "");
  for (const char* strategy : { "block cyclic", "random block" })
  {
    EXPECT_EQ(fault({ strategy, 2, 100, 10, 20 }), "");
    EXPECT_NE(fault({ strategy, 2, 100, 10, 21 }).find("at most 20"), std::string::npos);
    EXPECT_NE(fault({ strategy, 2, 100, 10, ~UINT64_C(0) }), "");
  }
  EXPECT_EQ(fault({ "block cyclic", 2, UINT64_C(1) << 40, 1, UINT64_C(1) << 33 }), "");
  EXPECT_NE(fault({ "random block", 2, UINT64_C(1) << 40, 1, UINT64_C(1) << 33 }), "");
  EXPECT_NE(fault({ "contiguous", 8, UINT64_C(1) << 61, 10 }), "");
}

}
