// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/PartWindows.h"

#include "Describe/Check.h"
#include "Describe/OwnPart.h"

#include <algorithm>
#include <variant>

namespace dsm::describe
{

namespace
{
// The axis along which a structured part is cut: the slowest that has several points.
std::size_t SlowestAxis(const Part& part)
{
  const auto points = PointsOf(part.On);
  return points[2] > 1 ? 2 : points[1] > 1 ? 1 : 0;
}
}

Window Along(const Range& range)
{
  Window window;
  window.Index = range;
  return window;
}

Range RangeOf(const Extent& extent, std::size_t axis)
{
  return { static_cast<std::uint64_t>(extent[2 * axis]),
    static_cast<std::uint64_t>(std::max(0, extent[2 * axis + 1] - extent[2 * axis] + 1)) };
}

Window PointWindow(const Extent& extent)
{
  Window window;
  window.X = RangeOf(extent, 0);
  window.Y = RangeOf(extent, 1);
  window.Z = RangeOf(extent, 2);
  return window;
}

// VTK counts one cell along an axis with one point: of the grid's only layer, or of some layer if
// the extent is a face of it.
Window CellWindow(const Extent& extent, const PerAxis& cells)
{
  Window window = PointWindow(extent);
  const std::array<Range*, 3> ranges{ &window.X, &window.Y, &window.Z };
  for (std::size_t axis = 0; axis < 3; ++axis)
  {
    Range& range = *ranges[axis];
    if (range.Count > 0)
    {
      range.First = std::min(range.First, cells[axis] - 1);
      range.Count = std::max<std::uint64_t>(1, range.Count - 1);
    }
  }
  return window;
}

Load LoadOf(const Part& part)
{
  std::uint64_t arrays = 1;
  for (const Array& array : part.Arrays)
  {
    arrays += array.Sources.size() == 1 ? ComponentsOf(array.Sources[0]) : array.Sources.size();
  }
  if (const auto* rows = std::get_if<Rows>(&part.On))
  {
    return { rows->Count, arrays };
  }
  if (const auto* vertices = std::get_if<Vertices>(&part.On))
  {
    return { vertices->Count, arrays };
  }
  if (const auto* cells = std::get_if<Unstructured>(&part.On))
  {
    return { cells->Cells, arrays };
  }
  const auto cells = CellsOf(part.On);
  const std::uint64_t all = cells[0] * cells[1] * cells[2];
  if (HasOwnBlocks(part))
  {
    std::uint64_t together = 0;
    for (const Block& block : part.Blocks)
    {
      const auto points = block.Points.value_or(PerAxis{ 1, 1, 1 });
      together += points[0] * points[1] * points[2];
    }
    return { part.Blocks.size(),
      arrays * std::max<std::uint64_t>(1, together / part.Blocks.size()) };
  }
  if (!part.Blocks.empty())
  {
    return { part.Blocks.size(), arrays * all };
  }
  const std::uint64_t layers = cells[SlowestAxis(part)];
  return { layers, arrays * (all / layers) };
}

Extent WholeExtentOf(const Part& part)
{
  const auto points = PointsOf(part.On);
  return { 0, static_cast<int>(points[0]) - 1, 0, static_cast<int>(points[1]) - 1, 0,
    static_cast<int>(points[2]) - 1 };
}

Extent ExtentOf(const Part& part, const Range& layers)
{
  Extent extent = WholeExtentOf(part);
  const std::size_t axis = SlowestAxis(part);
  extent[2 * axis] = static_cast<int>(layers.First);
  extent[2 * axis + 1] =
    std::min(extent[2 * axis + 1], static_cast<int>(layers.First + layers.Count));
  return extent;
}

Window FieldWindow(const Array& array)
{
  Window window;
  for (const auto& dimension : array.Sources.front().Dimensions)
  {
    if (dimension.Is == Role::Index)
    {
      window.Index.Count = dimension.Count;
    }
  }
  return window;
}

std::vector<unsigned char> CoveredCells(const std::vector<CellRange>& covered, const Window& cells)
{
  std::vector<unsigned char> hidden(cells.Tuples(), 0);
  const std::array<const Range*, 3> extent{ &cells.X, &cells.Y, &cells.Z };
  bool any = false;
  for (const auto& range : covered)
  {
    // The run goes from `from` to before `to` in the extent.
    std::array<std::uint64_t, 3> from{}, to{};
    for (std::size_t axis = 0; axis < 3; ++axis)
    {
      const Range& here = *extent[axis];
      from[axis] = std::max(range.First[axis], here.First);
      to[axis] = std::min(range.First[axis] + range.Count[axis], here.First + here.Count);
    }
    for (std::uint64_t z = from[2]; z < to[2]; ++z)
    {
      for (std::uint64_t y = from[1]; y < to[1]; ++y)
      {
        const std::uint64_t row =
          ((z - cells.Z.First) * cells.Y.Count + (y - cells.Y.First)) * cells.X.Count;
        for (std::uint64_t x = from[0]; x < to[0]; ++x)
        {
          hidden[row + x - cells.X.First] = 1;
          any = true;
        }
      }
    }
  }
  if (!any)
  {
    hidden.clear();
  }
  return hidden;
}

}
