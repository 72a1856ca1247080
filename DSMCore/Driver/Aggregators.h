// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Mapping/AddressMap.h"

#include <cstdint>

namespace dsm
{

/// Which rank moves which bytes of a file when ranks exchange pieces first (PieceExchange): for
/// each host others, as far as there are enough ranks, so that all move something and each talks to
/// few hosts. Where a host has several, its memory goes round among them in stripes.
///
///     2 hosts, 5 ranks     host 0: ranks 0, 2, 4, 0, 2, …     host 1: ranks 1, 3, 1, 3, …
///     3 hosts, 2 ranks     host 0: rank 0     host 1: rank 1     host 2: rank 0
///
/// Pure arithmetic, the same on all ranks.
class Aggregators
{
public:
  Aggregators(const AddressMap& map, int ranks);

  /// So much of a host follows one another in one rank's hands, where a host has several.
  static constexpr std::uint64_t Stripe = UINT64_C(1) << 20;

  struct Domain
  {
    int Rank = 0;
    std::uint64_t Size = 0; ///< bytes of the file from the address on that are this rank's
  };
  Domain At(FileOffset address) const;

private:
  AddressMap Map; ///< without what is on disk, which not all ranks hear of at the same time
  std::uint64_t Hosts;
  std::uint64_t Ranks;
};

}
