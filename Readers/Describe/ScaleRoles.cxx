// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/ScaleRoles.h"

#include "Describe/AxisMeaning.h"
#include "Describe/CfAttributes.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace dsm::describe
{

using hdf5::Object;

namespace
{
constexpr hsize_t MostComponents = 9;

// Returns the datasets with x, y (and z) along one dimension of a variable.
std::vector<const Object*> AlongOne(
  const ScaledVariable& variable, std::size_t axis, const FileFacts& file)
{
  std::vector<const Object*> found;
  for (const Role role : SpatialRoles)
  {
    for (const Object* named : variable.Coordinates)
    {
      if (named->Shape.size() == 1 && named->Shape[0] == variable.Dataset->Shape[axis] &&
        cf::MeaningOf(file, *named) == role && found.size() == AxisOf(role))
      {
        found.push_back(named);
      }
    }
  }
  return found;
}

// Whether a dimension without a scale is of components. Where others in space have scales, it
// is if it is short. Where only time has one, a short last dimension is, of three or more.
bool IsOfComponents(
  const ScaledVariable& variable, std::size_t axis, const std::vector<bool>& isKnown)
{
  const auto& shape = variable.Dataset->Shape;
  if (variable.Scales[axis] || isKnown[axis] || shape[axis] > MostComponents ||
    variable.Has(Role::Component))
  {
    return false;
  }
  std::size_t others = 0;
  bool isShort = true;
  for (std::size_t other = 0; other < shape.size(); ++other)
  {
    if (other != axis && variable.Dimensions[other].Is != Role::Time)
    {
      if (variable.Scales[other])
      {
        return true;
      }
      ++others;
      isShort = isShort && 2 * shape[axis] <= shape[other];
    }
  }
  return axis + 1 == shape.size() && others > 1 && isShort;
}

// Sets the role Index if coordinates are listed along the one dimension that is left.
bool SetIndex(ScaledVariable& variable, const std::vector<bool>& isKnown, const FileFacts& file)
{
  const auto unknown = std::count(isKnown.begin(), isKnown.end(), false);
  const auto axis =
    static_cast<std::size_t>(std::find(isKnown.begin(), isKnown.end(), false) - isKnown.begin());
  if (unknown != 1 || variable.IsSpatial())
  {
    return false;
  }
  auto along = AlongOne(variable, axis, file);
  if (along.size() < 2)
  {
    return false;
  }
  variable.AlongIndex = std::move(along);
  variable.Dimensions[axis].Is = Role::Index;
  return true;
}
}

void SetRoles(ScaledVariable& variable, const FileFacts& file, DescriptionBuilder& result)
{
  const Object& object = *variable.Dataset;
  const auto& labels = variable.Labels;
  const std::size_t rank = object.Shape.size();
  std::vector<bool> isKnown(rank, false);
  const auto set = [&](std::size_t axis, Role role)
  {
    variable.Dimensions[axis].Is = role;
    isKnown[axis] = true;
  };
  for (std::size_t axis = 0; axis < rank; ++axis)
  {
    variable.Dimensions.push_back({ Role::Fixed, 0, object.Shape[axis] });
  }
  for (std::size_t axis = 0; axis < rank; ++axis)
  {
    const Scale* const scale = variable.Scales[axis];
    auto means = scale ? scale->Means : std::nullopt;
    if (!means && axis < labels.size())
    {
      means = MeaningOf({ labels[axis] });
    }
    if (means && !variable.Has(*means))
    {
      set(axis, *means);
    }
  }
  if (!variable.Has(Role::Time) && rank > 1 && !isKnown[0] && object.Most[0] == H5S_UNLIMITED)
  {
    set(0, Role::Time);
    result.Guess(fmt::format("Time = unlimited dimension of {}", object.Path));
  }
  for (std::size_t axis = 0; axis < rank; ++axis)
  {
    if (IsOfComponents(variable, axis, isKnown))
    {
      set(axis, Role::Component);
      result.Guess(
        fmt::format("Dimension {} of {} = vector components (it has no scale)", axis, object.Path));
    }
  }
  if (SetIndex(variable, isKnown, file))
  {
    return;
  }
  // The last dimension is the fastest: x.
  for (std::size_t axis = rank; axis-- > 0;)
  {
    if (isKnown[axis])
    {
      continue;
    }
    const auto* const unused = std::find_if(
      SpatialRoles.begin(), SpatialRoles.end(), [&](Role role) { return !variable.Has(role); });
    const std::string name =
      variable.Scales[axis] ? variable.Scales[axis]->Name : fmt::format("number {}", axis);
    if (unused != SpatialRoles.end())
    {
      set(axis, *unused);
      result.Guess(fmt::format("Dimension {} = {}", name, "xyz"[AxisOf(*unused)]));
    }
    else
    {
      result.Guess(fmt::format("Dimension {} of {} = its first index", name, object.Path));
    }
  }
}

}
