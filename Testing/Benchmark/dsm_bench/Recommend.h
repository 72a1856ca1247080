// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Cell.h"

#include <optional>
#include <string>
#include <vector>

namespace bench
{

/// What a server can be told, and how well it did.
struct Recommendation
{
  std::string Strategy;
  std::uint64_t BlockSize = 0; ///< 0: automatic, or the strategy has none
  std::string Transport;
  /// Rate relative to the best choice of each situation: the geometric mean over all situations.
  double Score = 0;
  int Situations = 0; ///< combinations of hosts, writers, datasets, size, mode and direction
};

/// The choice that does best over all situations that were measured. Only choices measured in every
/// one of them count. Among those within 3 % of the best, the first measured wins: differences that
/// small are noise, and lists begin with what one prefers.
std::optional<Recommendation> Recommend(const std::vector<Outcome>& outcomes);

}
