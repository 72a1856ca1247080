// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "ArrayParts.h"

#include <vtkDataObject.h>
#include <vtkSmartPointer.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace dsm
{
class Communicator;
class Fields;
}

/// Describes the part of a data set that a rank has, or that all ranks have together.
struct GridLayout
{
  /// Says how points lie. The order matters: the highest of several ranks' kinds is the kind of all
  /// together.
  enum class Kind : std::uint64_t
  {
    Empty,
    Image,      ///< even, along the axes
    Structured, ///< in rows, but not even
    Other
  };

  std::uint64_t What = static_cast<std::uint64_t>(Kind::Empty);
  std::vector<std::int64_t> Block = { 0, -1, 0, -1, 0, -1 }; ///< of points; not of kind Other
  std::vector<double> Bounds;                                ///< empty: no points
  std::uint64_t Holders = 0;                                 ///< ranks that have any

  Kind GetKind() const { return static_cast<Kind>(this->What); }
  bool InRows() const
  {
    return this->GetKind() == Kind::Image || this->GetKind() == Kind::Structured;
  }
  GridBlock PointBlock() const
  {
    GridBlock block;
    std::ranges::copy(this->Block, block.begin());
    return block;
  }
};

void Describe(dsm::Fields& fields, GridLayout& layout);

/// Returns the block of the cells of a grid with such points. Along an axis with one point there is
/// one.
GridBlock CellBlock(GridBlock points);

/// Returns the data sets of a data object that have points or rows, on this rank.
std::vector<vtkSmartPointer<vtkDataObject>> Leaves(vtkDataObject* data);

/// Returns the layout of this rank's part.
GridLayout LayoutOf(const std::vector<vtkSmartPointer<vtkDataObject>>& leaves);

/// Returns the layout of all ranks' parts together. Collective.
GridLayout LayoutOfAll(const dsm::Communicator& ranks, const GridLayout& mine);
