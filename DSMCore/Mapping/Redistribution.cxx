// SPDX-License-Identifier: BSD-3-Clause
#include "Mapping/Redistribution.h"

#include "Base/Environment.h"

namespace dsm
{

Redistribution Redistribution::WithEnvironment() const
{
  Redistribution choice = *this;
  choice.Strategy = environment::Text("DSM_STRATEGY").value_or(choice.Strategy);
  if (const auto size = environment::Text("DSM_BLOCK_SIZE"))
  {
    choice.BlockSize = environment::ParseBytes(*size, "DSM_BLOCK_SIZE");
  }
  choice.BlocksPerCycle = environment::CountOr("DSM_BLOCKS_PER_CYCLE", choice.BlocksPerCycle);
  choice.Seed = environment::CountOr("DSM_SEED", choice.Seed);
  return choice;
}

MapParameters Redistribution::Over(
  std::uint64_t hosts, std::uint64_t hostCapacity, std::uint64_t expectedSize) const
{
  MapParameters parameters;
  parameters.Strategy = this->Strategy;
  parameters.Hosts = hosts;
  parameters.HostCapacity = hostCapacity;
  parameters.BlockSize = this->BlockSize;
  parameters.BlocksPerCycle = this->BlocksPerCycle;
  parameters.Seed = this->Seed;
  parameters.ExpectedSize = expectedSize;
  return parameters;
}

}
