// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/OpenPmdMeshes.h"

#include "Base/Error.h"
#include "Describe/OpenPmdRecords.h"
#include "Describe/Text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace dsm::describe
{

namespace
{
// A component's points, and what its dimensions run along.
struct Grid
{
  Uniform On;
  std::vector<Role> Roles;
  std::array<std::string, 3> AxisNames;
};

// Returns the numbers of an attribute, one for each axis: all the same if it has one or none.
std::vector<double> Along(
  std::vector<double> numbers, const char* attribute, std::size_t axes, double otherwise)
{
  if (numbers.empty())
  {
    numbers.assign(axes, otherwise);
  }
  if (numbers.size() == 1)
  {
    numbers.resize(axes, numbers.front());
  }
  if (numbers.size() != axes)
  {
    throw Error(Fault::Usage, "its {} has {} numbers for {} axes", attribute, numbers.size(), axes);
  }
  return numbers;
}

// Places each axis on x, y or z by its label. Without labels, the last axis is x.
std::vector<std::size_t> PlacesOf(const std::vector<std::string>& labels, std::size_t axes,
  bool modes, std::array<std::string, 3>& names)
{
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < axes && labels.size() == axes; ++i)
  {
    const auto axis =
      modes && labels[i] == "r" ? std::optional<std::size_t>(0) : AxisNamed(labels[i]);
    if (axis && std::find(places.begin(), places.end(), *axis) == places.end())
    {
      places.push_back(*axis);
    }
  }
  const bool known = places.size() == axes;
  if (!known)
  {
    places.clear();
  }
  for (std::size_t i = 0; i < axes; ++i)
  {
    if (!known)
    {
      places.push_back(axes - 1 - i);
    }
    if (labels.size() == axes && (!known || modes))
    {
      names[places[i]] = labels[i] + " [m]";
    }
  }
  return places;
}

Grid GridOf(const FileFacts& file, const OpenPmdRecord& record, const OpenPmdComponent& component)
{
  const std::string geometry = LowerCase(file.TextOr(record.Path, "geometry", "cartesian"));
  const bool modes = geometry == "thetamode";
  if (!modes && geometry != "cartesian")
  {
    throw Error(Fault::Unsupported, "the geometry {} is not supported", geometry);
  }
  const std::size_t first = modes ? 1 : 0;
  if (component.Shape.size() < first + 1 || component.Shape.size() > first + (modes ? 2 : 3))
  {
    throw Error(Fault::Unsupported, "it has {} dimensions", component.Shape.size());
  }
  const std::size_t axes = component.Shape.size() - first;
  // Attributes list the axes in the writer's order, datasets in that of C.
  const bool reversed = LowerCase(file.Text(record.Path, "dataOrder")) == "f";
  const auto inOrder = [&](auto list)
  {
    if (reversed)
    {
      std::reverse(list.begin(), list.end());
    }
    return list;
  };
  auto labels = file.Texts(record.Path, "axisLabels");
  // Split labels that are one text: "xyz".
  if (labels.size() == 1 && axes > 1 && labels.front().size() == axes)
  {
    const std::string all = labels.front();
    labels.clear();
    for (const char label : all)
    {
      labels.emplace_back(1, label);
    }
  }
  labels = inOrder(labels);
  const auto along = [&](const char* attribute, double otherwise)
  { return inOrder(Along(file.Numbers(record.Path, attribute), attribute, axes, otherwise)); };
  const auto spacing = along("gridSpacing", 1);
  const auto offset = along("gridGlobalOffset", 0);
  const auto unit = along("gridUnitSI", 1);
  auto position = component.Position;
  position.resize(axes, 0);
  position = inOrder(position);
  Grid grid;
  grid.Roles.assign(first, Role::Fixed);
  const auto places = PlacesOf(labels, axes, modes, grid.AxisNames);
  for (std::size_t i = 0; i < axes; ++i)
  {
    const std::size_t axis = places[i];
    grid.On.Points[axis] = component.Shape[first + i];
    grid.On.Origin[axis] = (offset[i] + position[i] * spacing[i]) * unit[i];
    grid.On.Spacing[axis] = spacing[i] * unit[i];
    // NaN is not equal to itself, so parts could not be compared.
    if (!std::isfinite(grid.On.Origin[axis]) || !std::isfinite(grid.On.Spacing[axis]))
    {
      throw Error(Fault::Usage, "where its grid lies is not finite");
    }
    grid.Roles.push_back(SpatialRoles.at(axis));
  }
  return grid;
}

Part& PartOn(const Grid& grid, DescriptionBuilder& result)
{
  for (Part& part : result.Parts())
  {
    if (const auto* on = std::get_if<Uniform>(&part.On);
      on && *on == grid.On && part.AxisNames == grid.AxisNames)
    {
      return part;
    }
  }
  Part part;
  part.Name =
    result.Parts().empty() ? "meshes" : fmt::format("meshes {}", result.Parts().size() + 1);
  part.On = grid.On;
  part.AxisNames = grid.AxisNames;
  result.AddPart(std::move(part));
  return result.Parts().back();
}
}

void AddMesh(const FileFacts& file, const OpenPmdRecord& record, DescriptionBuilder& result)
{
  if (LowerCase(file.Text(record.Path, "geometry")) == "thetamode")
  {
    result.Guess(record.Path + " = the average over the angle (first mode), over r and z");
  }
  std::vector<Grid> grids;
  grids.reserve(record.Components.size());
  for (const OpenPmdComponent& component : record.Components)
  {
    grids.push_back(GridOf(file, record, component));
  }
  const bool together = std::all_of(grids.begin(), grids.end(), [&](const Grid& grid)
    { return grid.On == grids.front().On && grid.Roles == grids.front().Roles; });
  for (std::size_t i = 0; i < grids.size(); ++i)
  {
    const OpenPmdComponent& component = record.Components[i];
    if (i == 0 || !together)
    {
      Array array;
      array.Name =
        together || component.Name.empty() ? record.Name : record.Name + "_" + component.Name;
      array.Units = record.Units;
      PartOn(grids[i], result).Arrays.push_back(std::move(array));
    }
    Array& array = PartOn(grids[i], result).Arrays.back();
    array.Sources.push_back(component.SourceOver(grids[i].Roles));
    if (together && record.Components.size() > 1)
    {
      array.ComponentNames.push_back(component.Name);
    }
  }
}

}
