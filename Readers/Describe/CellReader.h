// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Geometry.h"
#include "Describe/SourceReader.h"

#include <cstdint>
#include <vector>

namespace dsm::describe
{

/// A run of cells, as VTK has them.
struct Cells
{
  std::vector<std::int64_t> Points;  ///< of one cell after the other, counted from 0
  std::vector<std::int64_t> Offsets; ///< into Points, one more than cells
  std::vector<unsigned char> Types;
};

/// Reads these cells. Of MixedCells the whole list is read, since only its beginning tells where a
/// cell lies. Throws dsm::Error, also where a cell has points that the part has not.
Cells ReadCells(SourceReader& reader, const Unstructured& on, const Range& cells);

/// A run of the file's points that is read at once, and how many of them are used.
struct PointRun
{
  Range Points;
  std::uint64_t Used = 0;

  bool operator==(const PointRun&) const = default;
};

/// The points that some cells use: ascending, and in runs. Runs with small gaps between them are
/// one.
struct UsedPoints
{
  std::vector<std::int64_t> Points;
  std::vector<PointRun> Runs;
};

/// The cells' points become places in the list of those that are used.
UsedPoints Renumber(Cells& cells);

}
