// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Mapping/AddressMap.h"

#include <cstdint>
#include <string>

namespace dsm
{

/// What a user chooses of an address map; the rest of its parameters follows from the hosts and
/// the file at hand.
struct Redistribution
{
  std::string Strategy = "block cyclic"; ///< one of Strategies()
  std::uint64_t BlockSize = 1 << 20;     ///< s, bytes; for strategies with blocks
  std::uint64_t BlocksPerCycle = 0;      ///< B_c; 0: as many as there are hosts
  std::uint64_t Seed = 0;                ///< of the random order of blocks

  /// This choice, but for what DSM_STRATEGY, DSM_BLOCK_SIZE ("64 KiB"), DSM_BLOCKS_PER_CYCLE and
  /// DSM_SEED say. Throws Error(Usage) that names the variable.
  Redistribution WithEnvironment() const;

  /// The built-in defaults with the environment.
  static Redistribution FromEnvironment() { return Redistribution().WithEnvironment(); }

  /// The parameters of the map that this makes for a file over `hosts` hosts.
  MapParameters Over(
    std::uint64_t hosts, std::uint64_t hostCapacity, std::uint64_t expectedSize = 0) const;

  bool operator==(const Redistribution&) const = default;
};

}
