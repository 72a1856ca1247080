// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/DescriptionBuilder.h"
#include "Describe/FileFacts.h"
#include "Describe/OnAxes.h"
#include "Describe/PlainShapes.h"

#include <array>
#include <vector>

namespace dsm::describe
{

struct NamedAxes;

/// A grid, and how the dimensions of its datasets are along it.
struct PlainGrid
{
  OnAxes Placed;
  std::vector<Role> Roles; ///< of the grid's dimensions, slowest first
  Centring On = Centring::Point;
};

/// Finds where a grid is of which only the shape is known: by coordinates with usual names, else by
/// the distances that attributes state.
class PlainGeometry
{
public:
  /// All must outlive this. `name` is the file's, for messages.
  PlainGeometry(const FileFacts& file, const std::string& name,
    const std::vector<hdf5::Object>& objects, DescriptionBuilder& result);

  /// Returns the grid of datasets with this shape.
  PlainGrid Of(const Shape& shape, const std::vector<hdf5::Object>& datasets);

private:
  OnAxes OnNamed(const NamedAxes& axes);

  // Reads a number for each axis, or one for all, from the first of these attributes of the
  // dataset, of its group or of the file.
  std::optional<Position> PositionOf(const hdf5::Object& dataset, std::size_t dimensions,
    const std::vector<std::string>& names, double absent) const;
  Uniform Spaced(const Shape& shape, const hdf5::Object& dataset);

  const FileFacts& File;
  const std::string& Name;
  const std::vector<hdf5::Object>& Objects;
  DescriptionBuilder& Result;
};

}
