// SPDX-License-Identifier: BSD-3-Clause
#include "Mapping/BlockCyclic.h"

#include <algorithm>

namespace dsm
{

BlockCyclic::BlockCyclic(const MapParameters& parameters)
  : Deal(parameters)
{
  if (this->Deal.Extra == 0 || this->Deal.Rounds == 0)
  {
    this->Players = std::min(this->Deal.Length, this->Deal.Hosts);
  }
  // Host 0 has the most positions, so its memory ends first, between two turns of all hosts.
  const std::uint64_t most = this->Deal.PositionsOf(0);
  const std::uint64_t cycles = this->Deal.BlocksPerHost / most;
  const std::uint64_t turns = this->Deal.BlocksPerHost % most;
  this->Size = (cycles * this->Deal.Length + turns * this->Deal.Hosts) * this->Deal.BlockSize;
}

Location BlockCyclic::Locate(std::uint64_t address) const
{
  const std::uint64_t size = this->Deal.BlockSize;
  const std::uint64_t block = address / size;
  const std::uint64_t inBlock = address % size;
  if (this->Players == 1)
  {
    // One host holds the blocks in order: they form one run.
    return { 0, address, this->Size - address };
  }
  if (this->Players > 1)
  {
    return { block % this->Players, block / this->Players * size + inBlock, size - inBlock };
  }
  const auto place = this->Deal.PlaceOf(block / this->Deal.Length, block % this->Deal.Length);
  return { place.Host, place.Block * size + inBlock, size - inBlock };
}

std::uint64_t BlockCyclic::Address(std::uint64_t host, std::uint64_t offset) const
{
  const std::uint64_t local = offset / this->Deal.BlockSize;
  const std::uint64_t positions = this->Deal.PositionsOf(host);
  const std::uint64_t block =
    local / positions * this->Deal.Length + local % positions * this->Deal.Hosts + host;
  return block * this->Deal.BlockSize + offset % this->Deal.BlockSize;
}

std::uint64_t BlockCyclic::LocalSize(std::uint64_t host, std::uint64_t fileSize) const
{
  fileSize = std::min(fileSize, this->Size);
  const std::uint64_t fullBlocks = fileSize / this->Deal.BlockSize;
  const std::uint64_t cycles = fullBlocks / this->Deal.Length;
  const std::uint64_t position = fullBlocks % this->Deal.Length; // where the file ends
  const std::uint64_t turns = position / this->Deal.Hosts;
  const std::uint64_t lastHost = position % this->Deal.Hosts;
  const std::uint64_t blocks =
    cycles * this->Deal.PositionsOf(host) + turns + (host < lastHost ? 1 : 0);
  return blocks * this->Deal.BlockSize + (host == lastHost ? fileSize % this->Deal.BlockSize : 0);
}

}
