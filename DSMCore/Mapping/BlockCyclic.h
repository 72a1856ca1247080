// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Mapping/AddressMap.h"

namespace dsm
{

/// Blocks of s bytes are dealt to the hosts in turn, as cards to players. With B = floor(a / s) the
/// paper's formula is
///
///     a  ->  host B mod P,  local block floor(B / P),  byte a mod s in it
///
/// so for P = 3 the file's blocks 0 1 2 3 4 5 6 7 stand as
///
///     host 0:  0 3 6
///     host 1:  1 4 7
///     host 2:  2 5
///
/// Only whole blocks are used: a host's last l mod s bytes stay idle.
class BlockCyclic final : public Strategy
{
public:
  /// Throws Error(Usage) when the block size is zero or larger than a host's capacity.
  BlockCyclic(std::uint64_t hosts, std::uint64_t hostCapacity, std::uint64_t blockSize);

  std::uint64_t Capacity() const override;
  Location Locate(std::uint64_t address) const override;
  std::uint64_t Address(std::uint64_t host, std::uint64_t offset) const override;
  std::uint64_t LocalSize(std::uint64_t host, std::uint64_t fileSize) const override;

private:
  std::uint64_t Hosts;
  std::uint64_t BlockSize;
  std::uint64_t BlocksPerHost;
};

}
