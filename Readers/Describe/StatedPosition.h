// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/FileFacts.h"
#include "Describe/Geometry.h"

#include <optional>
#include <string>
#include <vector>

/// The spacing and the origin that attributes state.
namespace dsm::describe
{

/// Numbers for x, y and z from the attributes of a dataset, of its group or of the file.
struct StatedPosition
{
  Position Is{};
  std::string Where = {}; ///< "/u@spacing"
  /// How a list was read: "z, y, x". Empty: the attributes say which axis each number is for.
  std::string Order = {};
  /// The other reading of the list, and its order. Nothing: both are the same.
  std::optional<Position> Otherwise = std::nullopt;
  std::string OtherOrder = {};
  bool OfOneAxis = false; ///< there is a number for x alone, which is taken for all axes
};

/// Returns the spacing of the points of a dataset's grid, whose dimensions run along `axes`, the
/// slowest first. A list with a number for each dimension is in the order of the dimensions
/// ("spacing"). It is in the order of x, y and z if its name says so ("dx") or if it has more
/// numbers than there are dimensions. A single number is for all axes.
std::optional<StatedPosition> StatedSpacing(
  const FileFacts& file, const hdf5::Object& dataset, const std::vector<Role>& axes);

/// Returns the first point of the grid likewise, from "origin", "prob_lo" and others.
std::optional<StatedPosition> StatedOrigin(
  const FileFacts& file, const hdf5::Object& dataset, const std::vector<Role>& axes);

}
