// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Description.h"

#include <array>
#include <cstdint>
#include <vector>

namespace dsm::describe
{

/// Cells of a level, counted from anywhere; both ends are included. Empty where High is below Low.
struct CellBox
{
  std::array<std::int64_t, 3> Low{ 0, 0, 0 };
  std::array<std::int64_t, 3> High{ 0, 0, 0 };

  bool operator==(const CellBox&) const = default;
};

/// The cells of a level `ratio` times as coarse that lie in a box as a whole.
CellBox Coarsened(const CellBox& box, const std::array<std::int64_t, 3>& ratio);

/// Which cells of each box lie in one of the others, counted from the box's own first.
std::vector<std::vector<CellRange>> CoveredCells(
  const std::vector<CellBox>& boxes, std::vector<CellBox> others);

}
