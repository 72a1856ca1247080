// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Mapping/AddressMap.h"

#include <cstdint>
#include <string>

namespace dsm
{

/// The block size for a file that will likely have `expectedSize` bytes (0: unknown) over `hosts`
/// hosts that have `hostCapacity` bytes each for it: a power of two from 64 KiB to 1 MiB, so that
/// each host gets 128 blocks where the file is large enough. Large blocks cost least; but each of a
/// small file's datasets must have blocks for every host, or few of the links between writers and
/// hosts are busy at a time (Soumagne, Biddiscombe, Esnard 2011, section 4.2). What was measured:
/// Testing/Benchmark/results.
std::uint64_t AutomaticBlockSize(
  std::uint64_t hosts, std::uint64_t hostCapacity, std::uint64_t expectedSize);

/// A block size as people write it: "64 KiB", or "automatic" for 0. Throws Error(Usage) that names
/// `what`.
std::uint64_t ParseBlockSize(const std::string& text, const std::string& what);

/// The inverse, rounded for people.
std::string BlockSizeText(std::uint64_t blockSize);

/// What a user chooses of an address map; the rest of its parameters follows from the hosts and
/// the file at hand.
struct Redistribution
{
  std::string Strategy = "block cyclic"; ///< one of Strategies()
  std::uint64_t BlockSize = 0;           ///< s, bytes, for strategies with blocks; 0: automatic
  std::uint64_t BlocksPerCycle = 0;      ///< B_c; 0: as many as there are hosts
  std::uint64_t Seed = 0;                ///< of the random order of blocks

  /// This choice, but for what DSM_STRATEGY, DSM_BLOCK_SIZE ("64 KiB", "automatic"),
  /// DSM_BLOCKS_PER_CYCLE and DSM_SEED say. Throws Error(Usage) that names the variable.
  Redistribution WithEnvironment() const;

  /// Returns this choice for hosts on so many nodes, which lend so many bytes each. On a single
  /// node, no choice makes more links busy. There, automatic is a huge page, which a viewer maps at
  /// once (StitchedView), or the largest block of several nodes if hosts lend little.
  Redistribution OnNodes(std::uint64_t nodes, std::uint64_t hostCapacity) const;

  /// The built-in defaults with the environment.
  static Redistribution FromEnvironment() { return Redistribution().WithEnvironment(); }

  /// The parameters of the map that this makes for a file over `hosts` hosts; in them the block
  /// size is a number.
  MapParameters Over(
    std::uint64_t hosts, std::uint64_t hostCapacity, std::uint64_t expectedSize = 0) const;

  bool operator==(const Redistribution&) const = default;
};

}
