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
struct StatedPosition;

/// The axes that the dimensions of a grid run along, the slowest first.
struct PlainAxes
{
  std::vector<Role> Are;    ///< in the description
  std::vector<Role> Wanted; ///< by the user's axis order, which Override applies; else as Are
  bool Known = false;       ///< labels in the file say so
  /// The other axis orders that the datasets may have.
  std::vector<Alternative> Others = {};
};

/// A grid, and how the dimensions of its datasets are along it.
struct PlainGrid
{
  OnAxes Placed;
  std::vector<Role> Roles; ///< of the grid's dimensions, slowest first
  Centring On = Centring::Point;
};

/// Finds where a grid is of which only the shape is known: by coordinates with usual names, unless
/// the user sets those aside, else by the distances that attributes state.
class PlainGeometry
{
public:
  /// All must outlive this. `name` is the file's, for messages.
  PlainGeometry(const FileFacts& file, const std::string& name,
    const std::vector<hdf5::Object>& objects, bool coordinates, DescriptionBuilder& result);

  /// Returns the grid of datasets with this shape.
  PlainGrid Of(
    const Shape& shape, const std::vector<hdf5::Object>& datasets, const PlainAxes& axes);

private:
  OnAxes OnNamed(const NamedAxes& axes);
  Uniform Spaced(const Shape& shape, const hdf5::Object& dataset, const PlainAxes& axes);
  Position OriginOf(const hdf5::Object& dataset, const PlainAxes& axes);
  Position SpacingOf(const hdf5::Object& dataset, const PlainAxes& axes);

  // Lists how the numbers of an attribute were read, if they can be read otherwise.
  void AssumeOrder(Setting setting, const char* what, const StatedPosition& stated);
  void AssumeAxes(const PlainAxes& axes);

  const FileFacts& File;
  const std::string& Name;
  const std::vector<hdf5::Object>& Objects;
  bool Coordinates;
  DescriptionBuilder& Result;
};

}
