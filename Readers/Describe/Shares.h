// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Window.h"

#include <cstdint>
#include <vector>

namespace dsm::describe
{

/// How much there is to read of a part: units that are not cut (layers of a grid, cells, points,
/// blocks), and what each costs.
struct Load
{
  std::uint64_t Units = 0;
  std::uint64_t Cost = 1;
};

/// The units of each part that one of `pieces` readers gets. Together they get each unit once, in
/// runs, and each about the same to read, whether there are many small parts or one large one.
std::vector<Range> ShareOf(
  const std::vector<Load>& parts, std::uint64_t piece, std::uint64_t pieces);

}
