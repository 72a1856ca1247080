// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Description.h"
#include "Describe/Shares.h"
#include "Describe/Window.h"

#include <array>
#include <cstddef>
#include <vector>

/// Finds the numbers of a part that belong to a piece of it.
namespace dsm::describe
{

/// Has the first and last point along x, y and z, as VTK has it.
using Extent = std::array<int, 6>;

/// Returns how a part is cut: layers of cells along the slowest axis of a structured grid (whole
/// blocks, if it has some), rows, points or cells.
Load LoadOf(const Part& part);

/// Returns the extent of a structured part.
Extent WholeExtentOf(const Part& part);

/// Returns the extent of some of its layers.
Extent ExtentOf(const Part& part, const Range& layers);

/// Returns the points of an extent along an axis.
Range RangeOf(const Extent& extent, std::size_t axis);

/// Returns the window of a run of rows, points or cells.
Window Along(const Range& range);

/// Return the values on points that an extent has, and those on cells of a grid with so many.
Window PointWindow(const Extent& extent);
Window CellWindow(const Extent& extent, const PerAxis& cells);

/// Returns the window of an array of the part as a whole.
Window FieldWindow(const Array& array);

/// Returns 1 for each cell of a window that others cover, else 0. Empty if others cover none.
std::vector<unsigned char> CoveredCells(const std::vector<CellRange>& covered, const Window& cells);

}
