// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Hdf5Contents.h"

#include <array>
#include <string>
#include <vector>

/// Which columns are the coordinates of points.
namespace dsm::describe
{

/// Two or three columns with one component each, or one with all components.
using PointColumns = std::vector<hdf5::Object>;

/// Finds coordinates by their usual names: x, y and z, alone or after "pos_" and the like, in one
/// group; or a column of two or three components called coordinates, positions or points. Returns
/// one for each group and length, in the order of paths.
std::vector<PointColumns> FindPointColumns(const std::vector<hdf5::Object>& columns);

/// Returns the columns with these ends of their paths, or none if all are empty. Throws
/// dsm::Error, which lists the columns of `file`, if there is none, or their lengths differ.
PointColumns PointColumnsNamed(const std::vector<hdf5::Object>& columns,
  const std::array<std::string, 3>& names, const std::string& file);

}
