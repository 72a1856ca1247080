// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Description.h"
#include "Describe/Shares.h"
#include "Describe/Window.h"

#include <array>
#include <cstddef>
#include <vector>

/// Which numbers of a part belong to a piece of it.
namespace dsm::describe
{

/// The first and last point along x, y and z, as VTK has it.
using Extent = std::array<int, 6>;

/// How a part is cut: layers of cells along the slowest axis of a structured grid (whole blocks, if
/// it has some), rows, points or cells.
Load LoadOf(const Part& part);

/// The extent of a structured part.
Extent WholeExtentOf(const Part& part);

/// The extent of some of its layers.
Extent ExtentOf(const Part& part, const Range& layers);

/// The points of an extent along an axis.
Range RangeOf(const Extent& extent, std::size_t axis);

/// A run of rows, points or cells.
Window Along(const Range& range);

/// What an extent has of values on points, and of those on cells of a grid with so many.
Window PointWindow(const Extent& extent);
Window CellWindow(const Extent& extent, const PerAxis& cells);

/// What is read of an array of the part as a whole.
Window FieldWindow(const Array& array);

/// Which cells of a window others cover: 1 for each of them, else 0. Empty: none.
std::vector<unsigned char> CoveredCells(const std::vector<CellRange>& covered, const Window& cells);

}
