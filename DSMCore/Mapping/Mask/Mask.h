// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Mapping/Strategy.h"

namespace dsm
{

/// Contiguous, as if each host lent only what a file of the expected size E needs: w = E / P bytes,
/// rounded up to whole pages. So a file much smaller than the memory keeps all hosts busy as well.
/// Nothing is reallocated, and nothing is lost when the file outgrows E: it continues in the rest
/// of the segments, contiguously again.
///
///     address   0 ... w ... 2w ... 3w ........... 3w + (l-w) ........... 3w + 2(l-w) ...
///     host       0     1      2           0                     1                  2
///     offset    0..w  0..w   0..w        w..l                  w..l               w..l
///
/// Without an expected size, w = l and the strategy is contiguous.
class Mask final : public Strategy
{
public:
  Mask(std::uint64_t hosts, std::uint64_t hostCapacity, std::uint64_t expectedSize);

  std::uint64_t Capacity() const override;
  Location Locate(FileOffset address) const override;
  FileOffset Address(HostIndex host, std::uint64_t offset) const override;
  std::uint64_t LocalSize(HostIndex host, std::uint64_t fileSize) const override;

private:
  std::uint64_t Hosts;
  std::uint64_t HostCapacity;
  std::uint64_t Window; ///< w
};

/// For Strategies().
StrategyKind MaskStrategy();

}
