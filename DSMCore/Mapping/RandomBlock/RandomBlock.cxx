// SPDX-License-Identifier: BSD-3-Clause
#include "Mapping/RandomBlock/RandomBlock.h"

#include "Base/Error.h"

#include <algorithm>

namespace dsm
{

RandomBlock::RandomBlock(const MapParameters& parameters)
  : Layout(parameters)
  , Order(this->Layout.Length, parameters.Seed)
{
  if (this->Layout.Length > Shuffle::LargestSize)
  {
    throw Error(Fault::Usage, "a cycle of {} blocks is too long to be shuffled: choose at most {}",
      this->Layout.Length, Shuffle::LargestSize);
  }
  // Whole cycles only: the places of a last cycle could be anywhere in it.
  const std::uint64_t cycles = this->Layout.BlocksPerHost / this->Layout.PositionsOf(0);
  this->Size = cycles * this->Layout.Length * this->Layout.BlockSize;
}

Location RandomBlock::Locate(FileOffset address) const
{
  if (this->Layout.Length == 1)
  {
    // One block per cycle: host 0 holds them in order, and they form one run.
    return { 0, address, this->Size - address };
  }
  const std::uint64_t size = this->Layout.BlockSize;
  const std::uint64_t block = address / size;
  const std::uint64_t inBlock = address % size;
  const std::uint64_t cycle = block / this->Layout.Length;
  const auto place =
    this->Layout.PlaceOf(cycle, this->Order.At(cycle, block % this->Layout.Length));
  return { place.Host, place.Block * size + inBlock, size - inBlock };
}

FileOffset RandomBlock::Address(HostIndex host, std::uint64_t offset) const
{
  const std::uint64_t local = offset / this->Layout.BlockSize;
  const std::uint64_t positions = this->Layout.PositionsOf(host);
  const std::uint64_t cycle = local / positions;
  const std::uint64_t position = local % positions * this->Layout.Hosts + host;
  const std::uint64_t block = cycle * this->Layout.Length + this->Order.PositionOf(cycle, position);
  return FileOffset(block * this->Layout.BlockSize + offset % this->Layout.BlockSize);
}

// Of the host's places in a cycle, one more than the highest that one of the cycle's first `blocks`
// blocks has; `holder` tells which. 0: none has any.
std::uint64_t RandomBlock::HighestPlace(
  HostIndex host, std::uint64_t cycle, std::uint64_t blocks, std::uint64_t& holder) const
{
  const std::uint64_t places = this->Layout.PositionsOf(host);
  std::uint64_t highest = 0;
  if (blocks < std::min(places, this->Layout.Length / blocks))
  {
    // Few blocks in a long cycle: looking at each is less work than at the free places above them.
    for (std::uint64_t block = 0; block < blocks; ++block)
    {
      const std::uint64_t position = this->Order.At(cycle, block);
      if (position % this->Layout.Hosts == host && position / this->Layout.Hosts + 1 > highest)
      {
        highest = position / this->Layout.Hosts + 1;
        holder = block;
      }
    }
    return highest;
  }
  for (highest = places; highest > 0; --highest)
  {
    holder = this->Order.PositionOf(cycle, (highest - 1) * this->Layout.Hosts + host);
    if (holder < blocks)
    {
      break;
    }
  }
  return highest;
}

std::uint64_t RandomBlock::LocalSize(HostIndex host, std::uint64_t fileSize) const
{
  fileSize = std::min(fileSize, this->Size);
  const std::uint64_t size = this->Layout.BlockSize;
  const std::uint64_t tail = fileSize % size;
  const std::uint64_t blocks = fileSize / size + (tail != 0 ? 1 : 0);
  const std::uint64_t cycle = blocks / this->Layout.Length;
  const std::uint64_t inCycle = blocks % this->Layout.Length;
  const std::uint64_t positions = this->Layout.PositionsOf(host);

  // The last block counts only as far as it is filled, if it stands highest.
  const auto local = [&](std::uint64_t lastCycle, std::uint64_t first)
  {
    std::uint64_t holder = 0;
    const std::uint64_t highest = this->HighestPlace(host, lastCycle, first, holder);
    const bool unfilled = tail != 0 && highest > 0 && holder + 1 == first;
    return (lastCycle * positions + highest) * size - (unfilled ? size - tail : 0);
  };
  if (inCycle > 0)
  {
    return local(cycle, inCycle);
  }
  return cycle == 0 ? 0 : local(cycle - 1, this->Layout.Length);
}

StrategyKind RandomBlockStrategy()
{
  return { "random block",
    "distributes blocks in a random order: for many datasets whose sizes fall in step with the "
    "number of "
    "hosts",
    true, true, false, [](const MapParameters& p) -> std::shared_ptr<const Strategy>
    { return std::make_shared<RandomBlock>(p); } };
}

}
