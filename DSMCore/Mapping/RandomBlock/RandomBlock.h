// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Mapping/Cycle.h"
#include "Mapping/RandomBlock/Shuffle.h"

namespace dsm
{

/// Block cyclic, but the blocks of each cycle are distributed in a random order that is a pure
/// function of the seed and the cycle's number (Shuffle). For P = 3, blocks 0 1 2 3 4 5 6 7 8 may
/// stand as
///
///     host 0:  1 3 8
///     host 1:  0 5 6
///     host 2:  2 4 7
///
/// What it is for: writers whose addresses lie a multiple of P blocks apart meet on the same host,
/// block after block, when blocks are distributed in turn; here only by chance, once in P.
///
/// A cycle of P blocks, the default, is enough for that. The hosts of any two cycles are
/// independent of each other, yet each cycle uses every host exactly once, so that P consecutive
/// blocks keep all hosts busy, no host ever has more than one block more than another, and a file
/// occupies no more memory than under block cyclic. A cycle of k * P blocks shuffles wider: also
/// within a cycle neighbours stand apart, and one host may get up to k consecutive blocks. Its
/// price is that a file occupies up to k blocks per host more than it fills, since its last cycle
/// is spread over all of the cycle's places, and that up to k - 1 blocks per host stay idle.
class RandomBlock final : public Strategy
{
public:
  /// Throws Error(Usage) as Cycle does.
  explicit RandomBlock(const MapParameters& parameters);

  std::uint64_t Capacity() const override { return this->Size; }
  Location Locate(FileOffset address) const override;
  FileOffset Address(HostIndex host, std::uint64_t offset) const override;
  std::uint64_t LocalSize(HostIndex host, std::uint64_t fileSize) const override;

private:
  std::uint64_t HighestPlace(
    HostIndex host, std::uint64_t cycle, std::uint64_t blocks, std::uint64_t& holder) const;

  Cycle Layout;
  Shuffle Order;
  std::uint64_t Size = 0;
};

/// For Strategies().
StrategyKind RandomBlockStrategy();

}
