// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Hdf5Handle.h"

#include <cstddef>
#include <cstdint>

class vtkDataArraySelection;
class vtkOverlappingAMR;

namespace dsm::readers
{

/// Which blocks of refinement are read, and of which step.
struct BlocksAsked
{
  std::size_t Step = 0;
  bool HasSteps = false;
  std::uint64_t Piece = 0, Pieces = 1;
};

/// Reads blocks of refinement from a VTKHDF file of the type OverlappingAMR, as vtkHDFReader does,
/// but only one of several pieces, with as many cells as the others: all boxes are known
/// everywhere, and blocks are where they were read. Levels without blocks at the end are left out;
/// VTK cannot refine into them. Throws dsm::Error.
void ReadRefinedBlocks(hid_t file, const BlocksAsked& asked, vtkDataArraySelection* points,
  vtkDataArraySelection* cells, vtkOverlappingAMR* blocks);

}
