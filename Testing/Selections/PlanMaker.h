// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Plan.h"
#include "Random.h"

#include <cstdint>
#include <string>
#include <vector>

namespace selections
{

/// Makes the cases of a seed. Ranks never write the same element in one step, since nobody says who
/// wins then: where several write, each rank has a region of its own, as far as which it selects
/// what it wants.
class PlanMaker
{
public:
  struct Settings
  {
    std::uint64_t Seed = 1;
    int Hosts = 1;
    int Writers = 1;                      ///< ranks there are, of which each session takes some
    std::vector<std::string> Strategies;  ///< one of them for each case
    std::vector<dsm::TransferMode> Modes; ///< one of them for each transfer
  };

  explicit PlanMaker(const Settings& settings);

  /// The same on each rank.
  Plan Make(std::uint64_t number) const;

private:
  Settings Given;
};

}
