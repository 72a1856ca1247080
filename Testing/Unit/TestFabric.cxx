// SPDX-License-Identifier: BSD-3-Clause
// The two sides of the fabric transport in one process: hosts with their threads, and a peer.
#include "Base/Error.h"
#include "Base/NodeIdentity.h"
#include "ControlFixture.h"
#include "Transport/Fabric.h"
#include "Transport/FabricHost.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <list>
#include <random>
#include <vector>

namespace
{

using namespace dsm;
using dsm::testing::Contains;
using dsm::testing::TextOf;

constexpr std::uint64_t MiB = UINT64_C(1) << 20;

class Hosts
{
public:
  Hosts(std::uint64_t count, std::uint64_t size, const std::string& transport)
  {
    this->Server.SlotCount = 1;
    this->Server.SlotSize = size;
    this->Server.Transport = TransportChoice::FromText(transport);
    for (std::uint64_t host = 0; host < count; ++host)
    {
      this->Memory.emplace_back(size, std::byte(0));
      this->Doors.emplace_back(this->Memory.back().data(), size, this->Server.Transport);
      this->Server.Hosts.push_back({ NodeIdentity(), "", "here", NetworkIdentity(),
        this->Doors.back().Addresses() });
      this->All.push_back(host);
    }
  }

  ServerDescription Server;
  std::vector<std::uint64_t> All;
  std::vector<std::vector<std::byte>> Memory;
  std::list<FabricHost> Doors;
};

std::vector<std::byte> Noise(std::size_t size, unsigned seed)
{
  std::mt19937_64 random(seed);
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i + 8 <= size; i += 8)
  {
    const auto value = random();
    std::memcpy(&bytes[i], &value, 8);
  }
  return bytes;
}

class FabricOver : public ::testing::TestWithParam<const char*>
{
};

TEST_P(FabricOver, PutsAndGetsOfAllSizesArrive)
{
  const std::string provider = GetParam();
  const std::uint64_t size = 12 * MiB;
  Hosts hosts(3, size, "fabric/" + provider);
  ASSERT_EQ(hosts.Server.Hosts[2].Fabric.size(), 1u);
  EXPECT_EQ(hosts.Server.Hosts[2].Fabric[0].Provider, provider);
  Fabric mover(hosts.Server, provider, hosts.All);
  EXPECT_EQ(mover.Name(), "fabric/" + provider);
  for (const bool bounce : { false, true })
  {
    if (bounce)
    {
      mover.UseBounceBuffers();
    }
    const auto noise = Noise(size, bounce ? 7 : 8);
    std::mt19937_64 random(5);
    // Odd sizes and offsets, many at once, then one larger than any piece and queue.
    std::uint64_t offset = 3;
    while (offset < 2 * MiB)
    {
      const std::uint64_t length = 1 + random() % 9000;
      for (std::uint64_t host = 0; host < 3; ++host)
      {
        mover.Put(host, offset, &noise[offset + host], length);
      }
      offset += length;
    }
    for (std::uint64_t host = 0; host < 3; ++host)
    {
      mover.Put(host, offset, &noise[offset + host], size - offset - 5);
    }
    mover.Flush();
    for (std::uint64_t host = 0; host < 3; ++host)
    {
      EXPECT_EQ(std::memcmp(&hosts.Memory[host][3], &noise[3 + host], size - 5 - 3), 0)
        << "host " << host << (bounce ? ", bounced" : "");
      EXPECT_EQ(hosts.Memory[host][2], std::byte(0));
      EXPECT_EQ(hosts.Memory[host][size - 5], std::byte(0));
    }
    std::vector<std::byte> back(size - 8);
    mover.Get(1, 3, back.data(), 100);
    mover.Get(1, 103, back.data() + 100, back.size() - 100);
    mover.Flush();
    EXPECT_EQ(std::memcmp(back.data(), &noise[4], back.size()), 0);
  }
  EXPECT_EQ(mover.Direct(0, 0), nullptr);
  mover.Flush(); // nothing is under way
}

INSTANTIATE_TEST_SUITE_P(Providers, FabricOver, ::testing::Values("tcp", "tcp;ofi_rxm", "shm", "sockets"),
  [](const auto& info)
  {
    std::string name = info.param;
    std::replace(name.begin(), name.end(), ';', '_');
    return name;
  });

}
