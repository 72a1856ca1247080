// SPDX-License-Identifier: BSD-3-Clause
#include "Mapping/BlockCyclic/BlockCyclic.h"

#include <algorithm>

namespace dsm
{

BlockCyclic::BlockCyclic(const MapParameters& parameters)
  : Layout(parameters)
{
  if (this->Layout.Extra == 0 || this->Layout.Rounds == 0)
  {
    this->ActiveHosts = std::min(this->Layout.Length, this->Layout.Hosts);
  }
  // Host 0 has the most positions, so its memory ends first, between two turns of all hosts.
  const std::uint64_t most = this->Layout.PositionsOf(0);
  const std::uint64_t cycles = this->Layout.BlocksPerHost / most;
  const std::uint64_t turns = this->Layout.BlocksPerHost % most;
  this->Size = (cycles * this->Layout.Length + turns * this->Layout.Hosts) * this->Layout.BlockSize;
}

Location BlockCyclic::Locate(FileOffset address) const
{
  const std::uint64_t size = this->Layout.BlockSize;
  const std::uint64_t block = address / size;
  const std::uint64_t inBlock = address % size;
  if (this->ActiveHosts == 1)
  {
    // One host holds the blocks in order: they form one run.
    return { 0, address, this->Size - address };
  }
  if (this->ActiveHosts > 1)
  {
    return { HostIndex(block % this->ActiveHosts), block / this->ActiveHosts * size + inBlock,
      size - inBlock };
  }
  const auto place = this->Layout.PlaceOf(block / this->Layout.Length, block % this->Layout.Length);
  return { place.Host, place.Block * size + inBlock, size - inBlock };
}

FileOffset BlockCyclic::Address(HostIndex host, std::uint64_t offset) const
{
  const std::uint64_t local = offset / this->Layout.BlockSize;
  const std::uint64_t positions = this->Layout.PositionsOf(host);
  const std::uint64_t block =
    local / positions * this->Layout.Length + local % positions * this->Layout.Hosts + host;
  return FileOffset(block * this->Layout.BlockSize + offset % this->Layout.BlockSize);
}

std::uint64_t BlockCyclic::LocalSize(HostIndex host, std::uint64_t fileSize) const
{
  fileSize = std::min(fileSize, this->Size);
  const std::uint64_t fullBlocks = fileSize / this->Layout.BlockSize;
  const std::uint64_t cycles = fullBlocks / this->Layout.Length;
  const std::uint64_t position = fullBlocks % this->Layout.Length; // where the file ends
  const std::uint64_t turns = position / this->Layout.Hosts;
  const std::uint64_t lastHost = position % this->Layout.Hosts;
  const std::uint64_t blocks =
    cycles * this->Layout.PositionsOf(host) + turns + (host < lastHost ? 1 : 0);
  return blocks * this->Layout.BlockSize +
    (host == lastHost ? fileSize % this->Layout.BlockSize : 0);
}

StrategyKind BlockCyclicStrategy()
{
  return { "block cyclic", "distributes blocks over the hosts in turn: good in most cases", true,
    false, false, [](const MapParameters& p) -> std::shared_ptr<const Strategy>
    { return std::make_shared<BlockCyclic>(p); } };
}

}
