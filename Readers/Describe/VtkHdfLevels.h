// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Hdf5Handle.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dsm::describe
{

/// A level of refinement in a VTKHDF file: its blocks in one step.
struct VtkHdfLevel
{
  std::string Path;
  std::string Steps; ///< the group that says where its steps begin; empty: the file has one step
  std::array<double, 3> Spacing{ 1, 1, 1 };
  std::vector<std::array<int, 6>> Boxes; ///< low and high cell along each axis
  bool Short = false; ///< version 2.2 of the format lacks an "s" in the names in Steps
};

/// All levels down to the last that has blocks. Throws dsm::Error.
std::vector<VtkHdfLevel> LevelsOf(hid_t file, std::optional<std::size_t> step);

/// Where an array of a level begins in that step; `kind` is "PointData", "CellData" or "FieldData".
std::uint64_t BeginOf(hid_t file, const VtkHdfLevel& level, const std::string& kind,
  const std::string& name, std::optional<std::size_t> step);

/// Whether VTK can tell which blocks of a level lie in which of the coarser one: it assumes that
/// they are all within the coarser ones' bounds, and writes elsewhere if not. Throws dsm::Error.
void CheckNested(const VtkHdfLevel& coarse, const VtkHdfLevel& fine);

}
