// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Geometry.h"
#include "Describe/Hdf5Contents.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace dsm::describe
{

/// The coordinates of a grid, found by the usual names.
struct NamedAxes
{
  std::array<const hdf5::Object*, 3> Along{}; ///< x, y and z; none for those that the grid has not
  std::vector<Role> Roles;                    ///< of the grid's dimensions, slowest first
  bool OfCells = false;                       ///< they are one longer than the data
  bool FitsBackwards = false;                 ///< the lengths also allow the order x, y, z
};

/// For datasets of this shape in this folder: one-dimensional datasets called x, y and z, X, "X
/// [m]", lon, lat, x1f and the like, in the same group, one above, or a group "grid", "mesh",
/// "coordinates" beside those, whose lengths fit: all of them those of points, or of cells' edges.
/// If they only fit in the order x, y, z, the last of which is the fastest, that is the order. If
/// `known` is given, it is the order.
std::optional<NamedAxes> FindNamedAxes(const std::vector<hdf5::Object>& objects,
  const std::string& folder, const std::vector<hsize_t>& shape,
  const std::vector<Role>& known = {});

}
