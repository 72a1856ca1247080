// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Mapping/Strategy.h"

#include <cstdint>

namespace dsm
{

/// How blocks of s bytes are distributed over P hosts in cycles of B_c. Position c of a cycle
/// belongs to host c mod P, so host h has n_h positions of each cycle, and position c is block
///
///     cycle * n_h + floor(c / P)
///
/// of that host. For P = 3 and B_c = 5 (n = 2, 2, 1), two cycles of blocks stand as
///
///     host 0:  0 3 | 5 8
///     host 1:  1 4 | 6 9
///     host 2:  2   | 7
///
/// B_c < P leaves hosts out, so that a server can lend more than a simulation's links carry; other
/// B_c that are no multiple of P give the first hosts more than the last.
class Cycle
{
public:
  /// Throws Error(Usage) when no block, or not even one cycle of blocks, fits the hosts.
  explicit Cycle(const MapParameters& parameters);

  struct Place
  {
    HostIndex Host = 0;
    std::uint64_t Block = 0; ///< counted on the host
  };

  Place PlaceOf(std::uint64_t cycle, std::uint64_t position) const
  {
    const HostIndex host(position % this->Hosts);
    return { host, cycle * this->PositionsOf(host) + position / this->Hosts };
  }

  /// n_h
  std::uint64_t PositionsOf(HostIndex host) const
  {
    return this->Rounds + (host < this->Extra ? 1 : 0);
  }

  std::uint64_t Hosts;         ///< P
  std::uint64_t BlockSize;     ///< s
  std::uint64_t Length;        ///< B_c
  std::uint64_t BlocksPerHost; ///< whole blocks that a host's memory holds
  std::uint64_t Rounds;        ///< turns of a cycle in which every host gets a block
  std::uint64_t Extra;         ///< hosts that get one more in the last turn
};

}
