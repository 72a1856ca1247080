// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/PlainGeometry.h"

#include "Base/Error.h"
#include "Describe/NamedAxes.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace dsm::describe
{

using hdf5::Object;

PlainGeometry::PlainGeometry(const FileFacts& file, const std::string& name,
  const std::vector<Object>& objects, DescriptionBuilder& result)
  : File(file)
  , Name(name)
  , Objects(objects)
  , Result(result)
{
}

PlainGrid PlainGeometry::Of(const Shape& shape, const std::vector<Object>& datasets)
{
  const Object& first = datasets.front();
  // A dataset with one dimension may be a coordinate itself.
  const auto axes =
    shape.size() > 1 ? FindNamedAxes(this->Objects, first.Folder(), shape) : std::nullopt;
  if (axes)
  {
    return { this->OnNamed(*axes), axes->Roles, axes->OfCells ? Centring::Cell : Centring::Point };
  }
  return { { this->Spaced(shape, first) },
    { SpatialRoles.rend() - static_cast<std::ptrdiff_t>(shape.size()), SpatialRoles.rend() } };
}

OnAxes PlainGeometry::OnNamed(const NamedAxes& axes)
{
  PerAxis points{ 1, 1, 1 };
  std::array<Source, 3> sources{ Source{ Constant{ 0 } }, Source{ Constant{ 0 } },
    Source{ Constant{ 0 } } };
  std::array<AxisValues, 3> values{ Examine({ 0 }), Examine({ 0 }), Examine({ 0 }) };
  std::vector<std::string> paths;
  for (std::size_t axis = 0; axis < 3; ++axis)
  {
    const Object* const along = axes.Along[axis];
    if (!along)
    {
      continue;
    }
    points[axis] = along->Shape[0];
    sources[axis] = ColumnSource(*along);
    values[axis] = Examine(this->File.Values(sources[axis]));
    sources[axis].Dimensions[0].Is = SpatialRoles.at(axis);
    this->Result.Use(along->Path);
    paths.push_back(along->Path);
  }
  this->Result.Guess(fmt::format("that {} are the coordinates of {}", fmt::join(paths, ", "),
    axes.OfCells ? "the edges of cells" : "points"));
  return PutOnAxes(points, std::move(sources), values);
}

std::optional<Position> PlainGeometry::PositionOf(const Object& dataset, std::size_t dimensions,
  const std::vector<std::string>& names, double absent) const
{
  std::string folder = dataset.Folder();
  folder.pop_back();
  for (const std::string& object :
    { dataset.Path, folder.empty() ? "/" : folder, std::string("/") })
  {
    for (const std::string& name : names)
    {
      const auto found = this->File.Numbers(object, name, 3);
      if (found.empty() || (found.size() != 1 && found.size() < dimensions))
      {
        continue;
      }
      Position position{ absent, absent, absent };
      for (std::size_t axis = 0; axis < std::min<std::size_t>(3, dimensions); ++axis)
      {
        position[axis] = found[found.size() == 1 ? 0 : axis];
      }
      return position;
    }
  }
  return std::nullopt;
}

Uniform PlainGeometry::Spaced(const Shape& shape, const Object& dataset)
{
  Uniform on;
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
  {
    on.Points[axis] = shape[shape.size() - 1 - axis];
    if (on.Points[axis] > static_cast<std::uint64_t>(std::numeric_limits<int>::max()))
    {
      throw Error(Fault::Unsupported,
        "a dataset in {} has {} elements along one dimension, more than VTK can count", this->Name,
        on.Points[axis]);
    }
  }
  const auto spacing = this->PositionOf(dataset, shape.size(),
    { "spacing", "Spacing", "dx", "delta", "gridSpacing", "grid_spacing", "cell_size" }, 1);
  const auto origin = this->PositionOf(
    dataset, shape.size(), { "origin", "Origin", "prob_lo", "gridGlobalOffset", "lower_bound" }, 0);
  const bool valid =
    spacing && std::all_of(spacing->begin(), spacing->end(), [](double step) { return step > 0; });
  on.Spacing = valid ? *spacing : on.Spacing;
  on.Origin = origin.value_or(on.Origin);
  if (!origin)
  {
    this->Result.Assume(Setting::Origin, "that the first point is at 0");
  }
  if (!valid)
  {
    this->Result.Assume(Setting::Spacing, "that the points are at distances of 1");
  }
  this->Result.Assume(Setting::AxisOrder, "that the last dimension runs along x");
  this->Result.Assume(Setting::Centring, "that the values are of points");
  return on;
}

}
