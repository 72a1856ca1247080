// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Hdf5Contents.h"
#include "Describe/LoopNest.h"
#include "Describe/Source.h"

#include <cstdint>
#include <vector>

namespace dsm::describe
{

/// A selection of a dataset, which has the same shape in memory, and how many elements at its
/// beginning are not wanted.
struct Selection
{
  std::vector<hsize_t> Start, Stride, Count;
  std::uint64_t Skipped = 0;

  std::uint64_t Size() const;
};

/// A source whose elements are counted through, whatever the dataset's shape.
struct FlatRun
{
  std::uint64_t First = 0, Count = 0;
};

/// Returns the run of elements that loops touch from an element on, and sets the distances in it.
FlatRun FlatRunOf(const Source& source, std::uint64_t from, std::vector<Loop>& loops);

/// Returns what to read of a dataset of this shape, and sets the loops' distances in what is read.
/// Throws dsm::Error if the dataset has less.
Selection SelectionOf(
  const Source& source, const std::vector<hsize_t>& shape, std::vector<Loop>& loops);

}
