// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Hdf5Contents.h"
#include "Describe/Source.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dsm::describe
{

/// A dimension that datasets share, and its coordinates.
struct Scale
{
  std::string Path;
  std::string Name; ///< by which the program knows it: its dataset may have another
  std::uint64_t Length = 0;
  bool HasValues = false;
  std::optional<Role> Means;
  Source Values;
  std::string Text; ///< "longitude [degrees_east]"
};

/// A dataset whose dimensions have scales.
struct ScaledVariable
{
  const hdf5::Object* Dataset = nullptr;
  std::vector<const Scale*> Scales; ///< of each dimension; none: nullptr
  std::vector<Dimension> Dimensions;
  std::vector<const hdf5::Object*> Coordinates; ///< that the attribute of this name lists

  /// The datasets with x, y (and z) along the dimension with the role Index.
  std::vector<const hdf5::Object*> AlongIndex;

  /// The names of the dimensions: none, or one for each.
  std::vector<std::string> Labels;

  /// Returns the scale of the dimension with this role, or nullptr.
  const Scale* ScaleOf(Role role) const;
  std::uint64_t CountOf(Role role) const;
  bool Has(Role role) const;

  /// Whether a dimension runs along x, y or z, or along points.
  bool IsSpatial() const;
};

}
