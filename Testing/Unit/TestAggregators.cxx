// SPDX-License-Identifier: BSD-3-Clause
// Which rank moves which bytes of a file.
#include "Driver/Aggregators.h"

#include <gtest/gtest.h>

#include <set>

namespace
{

using namespace dsm;

AddressMap MapOver(std::uint64_t hosts, const std::string& strategy, std::uint64_t block)
{
  MapParameters parameters;
  parameters.Strategy = strategy;
  parameters.Hosts = hosts;
  parameters.HostCapacity = 16 << 20;
  parameters.BlockSize = block;
  parameters.ExpectedSize = parameters.HostCapacity * hosts;
  return AddressMap(parameters);
}

// Every byte is one rank's, all ranks have some, and a host is as few ranks' as can be.
TEST(Aggregators, ShareTheFile)
{
  for (const StrategyKind& kind : Strategies())
  {
    for (const std::uint64_t hosts : { 1, 2, 3 })
    {
      const AddressMap map = MapOver(hosts, kind.Name, 64 << 10);
      for (const int ranks : { 1, 2, 3, 5, 7 })
      {
        const Aggregators owners(map, ranks);
        std::set<int> used;
        std::vector<std::set<int>> ofHost(hosts);
        for (std::uint64_t address = 0; address < map.Capacity();)
        {
          const Aggregators::Domain domain = owners.At(FileOffset(address));
          ASSERT_LT(domain.Rank, ranks);
          ASSERT_GT(domain.Size, 0u);
          const Location place = map.Locate(FileOffset(address));
          ASSERT_LE(domain.Size, place.Run) << "a domain is on one host";
          ASSERT_EQ(domain.Rank, owners.At(FileOffset(address + domain.Size - 1)).Rank);
          used.insert(domain.Rank);
          ofHost[place.Host].insert(domain.Rank);
          address += domain.Size;
        }
        const std::string what = kind.Name + std::to_string(hosts) + "x" + std::to_string(ranks);
        EXPECT_EQ(std::min<std::size_t>(static_cast<std::size_t>(ranks), 16 * hosts), used.size())
          << what;
        for (HostIndex host = 0; host < hosts; ++host)
        {
          const auto all = static_cast<std::uint64_t>(ranks);
          EXPECT_LE(ofHost[host].size(), std::max<std::uint64_t>(1, (all + hosts - 1) / hosts))
            << what;
        }
      }
    }
  }
}

// All ranks agree whose that is, whether they know that the file goes on on disk or not.
TEST(Aggregators, WhatIsBehindMemoryGoesRound)
{
  const AddressMap map = MapOver(2, "contiguous", 4096);
  MapParameters onDisk = map.Parameters();
  onDisk.Disk = { 5 << 20, 1 << 30, 1 << 30 };
  const Aggregators owners(map, 3);
  const Aggregators others(AddressMap(onDisk), 3);
  const std::uint64_t end = map.Capacity();
  for (std::uint64_t stripe = 0; stripe < 7; ++stripe)
  {
    const std::uint64_t address = end + stripe * Aggregators::Stripe;
    EXPECT_EQ(owners.At(FileOffset(address)).Rank, static_cast<int>(stripe % 3));
    EXPECT_EQ(owners.At(FileOffset(address + 5)).Size, Aggregators::Stripe - 5);
  }
  for (std::uint64_t address = 0; address < end + (8 << 20); address += 1 << 20)
  {
    EXPECT_EQ(owners.At(FileOffset(address)).Rank, others.At(FileOffset(address)).Rank) << address;
  }
}

}
