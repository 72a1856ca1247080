// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Mapping/Cycle.h"

namespace dsm
{

/// Blocks of s bytes are distributed over the hosts in turn (round-robin). With B = floor(a / s)
/// the paper's formula is
///
///     a  ->  host B mod P,  local block floor(B / P),  byte a mod s in it
///
/// so for P = 3 the file's blocks 0 1 2 3 4 5 6 7 stand as
///
///     host 0:  0 3 6
///     host 1:  1 4 7
///     host 2:  2 5
///
/// With a cycle of B_c blocks other than P, position c = B mod B_c of the cycle decides instead of
/// B: see Cycle. A multiple of P is the same as P; B_c < P is the same as that many hosts.
///
/// Only whole blocks are used: a host's last l mod s bytes stay idle.
class BlockCyclic final : public Strategy
{
public:
  /// Throws Error(Usage) as Cycle does.
  explicit BlockCyclic(const MapParameters& parameters);

  std::uint64_t Capacity() const override { return this->Size; }
  Location Locate(FileOffset address) const override;
  FileOffset Address(HostIndex host, std::uint64_t offset) const override;
  std::uint64_t LocalSize(HostIndex host, std::uint64_t fileSize) const override;

private:
  Cycle Layout;
  std::uint64_t ActiveHosts = 0; ///< hosts that take turns without exception; 0: a cycle is uneven
  std::uint64_t Size = 0;
};

/// For Strategies().
StrategyKind BlockCyclicStrategy();

}
