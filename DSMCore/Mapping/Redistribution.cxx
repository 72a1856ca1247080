// SPDX-License-Identifier: BSD-3-Clause
#include "Mapping/Redistribution.h"

#include "Base/Environment.h"

#include <algorithm>
#include <bit>

namespace dsm
{

namespace
{
constexpr std::uint64_t SmallestBlock = UINT64_C(64) << 10;
constexpr std::uint64_t LargestBlock = UINT64_C(1) << 20;
constexpr std::uint64_t BlocksForEachHost = 128;
// On a single node; a host that has room for fewer of them would waste much of its memory.
constexpr std::uint64_t NodeBlock = UINT64_C(2) << 20;
constexpr std::uint64_t BlocksOfNode = 32;
constexpr const char* Automatic = "automatic";
}

std::uint64_t AutomaticBlockSize(
  std::uint64_t hosts, std::uint64_t hostCapacity, std::uint64_t expectedSize)
{
  const std::uint64_t even = expectedSize / hosts / BlocksForEachHost;
  const std::uint64_t wanted = hosts == 1 || expectedSize == 0
    ? LargestBlock
    : std::clamp(std::bit_floor(even), SmallestBlock, LargestBlock);
  return hostCapacity > 0 ? std::min(wanted, hostCapacity) : wanted;
}

std::uint64_t ParseBlockSize(const std::string& text, const std::string& what)
{
  return text == Automatic ? 0 : environment::ParseBytes(text, what);
}

std::string BlockSizeText(std::uint64_t blockSize)
{
  return blockSize == 0 ? Automatic : environment::FormatBytes(blockSize);
}

Redistribution Redistribution::WithEnvironment() const
{
  Redistribution choice = *this;
  choice.Strategy = environment::Text("DSM_STRATEGY").value_or(choice.Strategy);
  if (const auto size = environment::Text("DSM_BLOCK_SIZE"))
  {
    choice.BlockSize = ParseBlockSize(*size, "DSM_BLOCK_SIZE");
  }
  choice.BlocksPerCycle = environment::CountOr("DSM_BLOCKS_PER_CYCLE", choice.BlocksPerCycle);
  choice.Seed = environment::CountOr("DSM_SEED", choice.Seed);
  return choice;
}

Redistribution Redistribution::OnNodes(std::uint64_t nodes, std::uint64_t hostCapacity) const
{
  Redistribution choice = *this;
  if (choice.BlockSize == 0 && nodes == 1)
  {
    choice.BlockSize = hostCapacity / BlocksOfNode >= NodeBlock ? NodeBlock : LargestBlock;
  }
  return choice;
}

MapParameters Redistribution::Over(
  std::uint64_t hosts, std::uint64_t hostCapacity, std::uint64_t expectedSize) const
{
  MapParameters parameters;
  parameters.Strategy = this->Strategy;
  parameters.Hosts = hosts;
  parameters.HostCapacity = hostCapacity;
  parameters.BlockSize =
    this->BlockSize > 0 ? this->BlockSize : AutomaticBlockSize(hosts, hostCapacity, expectedSize);
  parameters.BlocksPerCycle = this->BlocksPerCycle;
  parameters.Seed = this->Seed;
  parameters.ExpectedSize = expectedSize;
  return parameters;
}

}
