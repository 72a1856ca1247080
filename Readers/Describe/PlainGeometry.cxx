// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/PlainGeometry.h"

#include "Base/Error.h"
#include "Describe/NamedAxes.h"
#include "Describe/StatedPosition.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace dsm::describe
{

using hdf5::Object;

PlainGeometry::PlainGeometry(const FileFacts& file, const std::string& name,
  const std::vector<Object>& objects, bool coordinates, DescriptionBuilder& result)
  : File(file)
  , Name(name)
  , Objects(objects)
  , Coordinates(coordinates)
  , Result(result)
{
}

PlainGrid PlainGeometry::Of(
  const Shape& shape, const std::vector<Object>& datasets, const PlainAxes& axes)
{
  const Object& first = datasets.front();
  // A dataset with one dimension may be a coordinate itself.
  const auto named = this->Coordinates && shape.size() > 1
    ? FindNamedAxes(
        this->Objects, first.Folder(), shape, axes.Known ? axes.Are : std::vector<Role>())
    : std::nullopt;
  if (!named)
  {
    return { { this->Spaced(shape, first, axes) }, axes.Are };
  }
  PlainGrid grid{ this->OnNamed(*named), named->Roles,
    named->OfCells ? Centring::Cell : Centring::Point };
  if (named->FitsBackwards)
  {
    this->AssumeAxes(axes);
  }
  return grid;
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
  this->Result.Assume(Setting::GridCoordinates,
    fmt::format(
      "{} = {}", axes.OfCells ? "Cell edges" : "Point coordinates", fmt::join(paths, ", ")),
    { { Setting::GridCoordinates, "1", "indices" } });
  return PutOnAxes(points, std::move(sources), values);
}

void PlainGeometry::AssumeAxes(const PlainAxes& axes)
{
  this->Result.Assume(Setting::AxisOrder, "Last dimension = x", axes.Others);
}

Uniform PlainGeometry::Spaced(const Shape& shape, const Object& dataset, const PlainAxes& axes)
{
  Uniform on;
  for (std::size_t index = 0; index < shape.size(); ++index)
  {
    std::uint64_t& points = on.Points.at(AxisOf(axes.Are.at(index)));
    points = shape[index];
    if (points > static_cast<std::uint64_t>(std::numeric_limits<int>::max()))
    {
      throw Error(Fault::Unsupported,
        "a dataset in {} has {} elements along one dimension, more than VTK can count", this->Name,
        points);
    }
  }
  on.Origin = this->OriginOf(dataset, axes);
  on.Spacing = this->SpacingOf(dataset, axes);
  if (!axes.Known)
  {
    this->AssumeAxes(axes);
  }
  this->Result.Assume(Setting::Centring, "Point data", { { Setting::Centring, "2", "cells" } });
  return on;
}

Position PlainGeometry::OriginOf(const Object& dataset, const PlainAxes& axes)
{
  const auto stated = StatedOrigin(this->File, dataset, axes.Wanted);
  if (!stated)
  {
    this->Result.Assume(Setting::Origin, "Origin 0 0 0");
    return Uniform().Origin;
  }
  this->AssumeOrder(Setting::Origin, "Origin", *stated);
  return stated->Is;
}

Position PlainGeometry::SpacingOf(const Object& dataset, const PlainAxes& axes)
{
  const Position absent = Uniform().Spacing;
  const auto stated = StatedSpacing(this->File, dataset, axes.Wanted);
  if (!stated)
  {
    this->Result.Assume(Setting::Spacing, "Spacing 1 1 1");
    return absent;
  }
  const Position& spacing = stated->Is;
  if (!std::all_of(spacing.begin(), spacing.end(),
        [](double step) { return std::isfinite(step) && step > 0; }))
  {
    this->Result.Assume(
      Setting::Spacing, fmt::format("Spacing 1 1 1 ({} is not greater than 0)", stated->Where));
    return absent;
  }
  if (stated->OfOneAxis)
  {
    this->Result.Assume(
      Setting::Spacing, fmt::format("Spacing {} along all axes ({})", spacing[0], stated->Where));
  }
  this->AssumeOrder(Setting::Spacing, "Spacing", *stated);
  return spacing;
}

void PlainGeometry::AssumeOrder(Setting setting, const char* what, const StatedPosition& stated)
{
  if (!stated.Otherwise)
  {
    return;
  }
  this->Result.Assume(setting,
    fmt::format(
      "{} {} ({} read as {})", what, fmt::join(stated.Is, " "), stated.Where, stated.Order),
    { { setting, fmt::format("{}", fmt::join(*stated.Otherwise, " ")), stated.OtherOrder } });
}

}
