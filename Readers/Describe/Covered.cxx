// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/Covered.h"

#include <algorithm>

namespace dsm::describe
{

namespace
{
bool IsEmpty(const CellBox& box)
{
  return box.High[0] < box.Low[0] || box.High[1] < box.Low[1] || box.High[2] < box.Low[2];
}

std::int64_t FloorOf(std::int64_t value, std::int64_t by)
{
  return value >= 0 ? value / by : -((-value + by - 1) / by);
}
}

CellBox Coarsened(const CellBox& box, const std::array<std::int64_t, 3>& ratio)
{
  CellBox coarse;
  for (std::size_t axis = 0; axis < 3; ++axis)
  {
    coarse.Low[axis] = -FloorOf(-box.Low[axis], ratio[axis]);
    coarse.High[axis] = FloorOf(box.High[axis] + 1, ratio[axis]) - 1;
  }
  return coarse;
}

std::vector<std::vector<CellRange>> CoveredCells(
  const std::vector<CellBox>& boxes, std::vector<CellBox> others)
{
  // Sorted along x, only those are looked at that may reach a box: with thousands of boxes each
  // against each would take seconds.
  std::erase_if(others, IsEmpty);
  std::sort(
    others.begin(), others.end(), [](const CellBox& a, const CellBox& b) { return a.Low < b.Low; });
  std::int64_t longest = 0;
  for (const CellBox& other : others)
  {
    longest = std::max(longest, other.High[0] - other.Low[0]);
  }
  std::vector<std::vector<CellRange>> covered(boxes.size());
  for (std::size_t index = 0; index < boxes.size(); ++index)
  {
    const CellBox& box = boxes[index];
    auto other = std::lower_bound(others.begin(), others.end(), box.Low[0] - longest,
      [](const CellBox& one, std::int64_t low) { return one.Low[0] < low; });
    for (; other != others.end() && other->Low[0] <= box.High[0]; ++other)
    {
      CellBox both;
      CellRange range;
      for (std::size_t axis = 0; axis < 3; ++axis)
      {
        both.Low[axis] = std::max(box.Low[axis], other->Low[axis]);
        both.High[axis] = std::min(box.High[axis], other->High[axis]);
        range.First[axis] = static_cast<std::uint64_t>(both.Low[axis] - box.Low[axis]);
        range.Count[axis] = static_cast<std::uint64_t>(both.High[axis] - both.Low[axis] + 1);
      }
      if (!IsEmpty(both))
      {
        covered[index].push_back(range);
      }
    }
  }
  return covered;
}

}
