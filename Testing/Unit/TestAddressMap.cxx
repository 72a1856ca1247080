// SPDX-License-Identifier: BSD-3-Clause
#include "Base/Error.h"
#include "Mapping/AddressMap.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace
{

using dsm::AddressMap;
using dsm::MapParameters;

const std::vector<std::string> AllStrategies{ "contiguous", "block cyclic" };

MapParameters RandomParameters(std::mt19937_64& random, std::uint64_t largestHost)
{
  MapParameters p;
  p.Strategy = AllStrategies[random() % AllStrategies.size()];
  p.Hosts = 1 + random() % 9;
  p.HostCapacity = 1 + random() % largestHost;
  p.BlockSize = 1 + random() % p.HostCapacity;
  return p;
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
    std::set<std::pair<std::uint64_t, std::uint64_t>> taken;
    for (std::uint64_t address = 0; address < map.Capacity(); ++address)
    {
      const auto place = map.Locate(address);
      ASSERT_LT(place.Host, p.Hosts);
      ASSERT_LT(place.Offset, p.HostCapacity);
      ASSERT_GE(place.Run, 1u);
      ASSERT_TRUE(taken.emplace(place.Host, place.Offset).second)
        << p.Strategy << " P=" << p.Hosts << " l=" << p.HostCapacity << " s=" << p.BlockSize;
      ASSERT_EQ(map.Address(place.Host, place.Offset), address);
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
    const auto place = map.Locate(begin);
    ASSERT_LE(begin + place.Run, map.Capacity());
    for (std::uint64_t i = 0; i < place.Run; ++i)
    {
      ASSERT_EQ(map.Locate(begin + i).Host, place.Host);
      ASSERT_EQ(map.Locate(begin + i).Offset, place.Offset + i);
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
      const auto place = map.Locate(address);
      ++count[place.Host];
      top[place.Host] = std::max(top[place.Host], place.Offset + 1);
    }
    for (std::uint64_t host = 0; host < p.Hosts; ++host)
    {
      ASSERT_EQ(map.LocalSize(host, fileSize), count[host]) << p.Strategy << " host " << host;
      ASSERT_EQ(top[host], count[host]) << "a host fills from offset 0 without holes";
    }
  }
}

TEST(AddressMap, RandomAddressesOfHugeMapsComeBack)
{
  std::mt19937_64 random(64);
  for (int trial = 0; trial < 20000; ++trial)
  {
    MapParameters p;
    p.Strategy = AllStrategies[random() % AllStrategies.size()];
    p.Hosts = 1 + random() % 4096;
    p.HostCapacity = (UINT64_C(1) << 20) + random() % (UINT64_C(1) << 44);
    p.BlockSize = 1 + random() % (UINT64_C(1) << (1 + random() % 20));
    const AddressMap map(p);
    const std::uint64_t address = random() % map.Capacity();
    const auto place = map.Locate(address);
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
    const auto place = map.Locate(a);
    ASSERT_EQ(place.Host, block % p.Hosts);
    ASSERT_EQ(place.Offset / p.BlockSize, block / p.Hosts);
    ASSERT_EQ(place.Offset % p.BlockSize, a % p.BlockSize);
  }
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
    map.ForEachRun(address, size,
      [&](std::uint64_t host, std::uint64_t offset, std::uint64_t position, std::uint64_t length)
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
  EXPECT_NE(fault({ "contiguous", 8, UINT64_C(1) << 61, 10 }), "");
}

}
