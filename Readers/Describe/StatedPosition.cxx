// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/StatedPosition.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace dsm::describe
{

namespace
{
struct Names
{
  /// Attributes that are lists in the order of dimensions, or single numbers.
  std::vector<const char*> Lists;
  /// Lists in the order of x, y and z, or single numbers.
  std::vector<const char*> Vectors;
  /// Attributes of x, y and z.
  std::vector<std::array<const char*, 3>> Single;
  double Absent; ///< along axes that the grid does not have
};

const Names SpacingNames{ { "spacing", "Spacing", "gridSpacing", "grid_spacing", "cell_size" },
  { "dx", "delta" }, { { "dx", "dy", "dz" }, { "hx", "hy", "hz" } }, 1 };
const Names OriginNames{ { "origin", "Origin", "gridGlobalOffset" }, { "prob_lo", "lower_bound" },
  { { "x0", "y0", "z0" }, { "xmin", "ymin", "zmin" }, { "x_min", "y_min", "z_min" } }, 0 };

// The dataset, its group, and the file.
std::vector<std::string> ObjectsFor(const hdf5::Object& dataset)
{
  std::string folder = dataset.Folder();
  folder.pop_back();
  return { dataset.Path, folder.empty() ? "/" : folder, "/" };
}

std::string TextOf(const std::vector<Role>& axes)
{
  std::string text;
  for (const Role axis : axes)
  {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", "xyz"[AxisOf(axis)]);
  }
  return text;
}

Position Along(const std::vector<Role>& axes, const std::vector<double>& numbers, double absent)
{
  Position position{ absent, absent, absent };
  for (std::size_t index = 0; index < axes.size(); ++index)
  {
    position.at(AxisOf(axes[index])) = numbers.at(index);
  }
  return position;
}

// A list of numbers, for each dimension or for x, y and z.
StatedPosition OfList(
  const std::vector<double>& numbers, const std::vector<Role>& axes, bool asVector, double absent)
{
  // If there are more numbers than dimensions, the dimensions are the last ones of x, y and z.
  std::vector<Role> dimensions = axes;
  std::vector<Role> vector = axes;
  std::sort(vector.begin(), vector.end());
  if (numbers.size() > axes.size())
  {
    dimensions = { SpatialRoles.rbegin(), SpatialRoles.rend() };
    vector = { SpatialRoles.begin(), SpatialRoles.end() };
    asVector = true;
  }
  StatedPosition stated{ Along(asVector ? vector : dimensions, numbers, absent) };
  stated.Order = TextOf(asVector ? vector : dimensions);
  const Position other = Along(asVector ? dimensions : vector, numbers, absent);
  if (other != stated.Is)
  {
    stated.Otherwise = other;
    stated.OtherOrder = TextOf(asVector ? dimensions : vector);
  }
  return stated;
}

// An attribute for each axis of the grid.
std::optional<StatedPosition> OfEach(const FileFacts& file, const std::string& object,
  const std::vector<Role>& axes, const std::array<const char*, 3>& names, double absent)
{
  StatedPosition stated{ { absent, absent, absent }, fmt::format("{}@{}", object, names[0]) };
  for (const Role axis : axes)
  {
    const auto number = file.Number(object, names.at(AxisOf(axis)));
    if (!number)
    {
      return std::nullopt;
    }
    stated.Is.at(AxisOf(axis)) = *number;
  }
  return stated;
}

std::optional<StatedPosition> OfOne(const FileFacts& file, const std::string& object,
  const std::vector<Role>& axes, const char* name, bool asVector, double absent)
{
  const auto numbers = file.Numbers(object, name, 3);
  std::optional<StatedPosition> stated;
  if (numbers.size() == 1)
  {
    stated = { Along(axes, std::vector<double>(axes.size(), numbers.front()), absent) };
    stated->OfOneAxis = std::string(name) == "dx" && axes.size() > 1;
  }
  else if (numbers.size() >= axes.size() && !numbers.empty())
  {
    stated = OfList(numbers, axes, asVector, absent);
  }
  if (stated)
  {
    stated->Where = fmt::format("{}@{}", object, name);
  }
  return stated;
}

std::optional<StatedPosition> Stated(const FileFacts& file, const hdf5::Object& dataset,
  const std::vector<Role>& axes, const Names& names)
{
  for (const std::string& object : ObjectsFor(dataset))
  {
    for (const auto& each : names.Single)
    {
      if (auto stated = OfEach(file, object, axes, each, names.Absent))
      {
        return stated;
      }
    }
    for (const bool asVector : { false, true })
    {
      for (const char* const name : asVector ? names.Vectors : names.Lists)
      {
        if (auto stated = OfOne(file, object, axes, name, asVector, names.Absent))
        {
          return stated;
        }
      }
    }
  }
  return std::nullopt;
}
}

std::optional<StatedPosition> StatedSpacing(
  const FileFacts& file, const hdf5::Object& dataset, const std::vector<Role>& axes)
{
  return Stated(file, dataset, axes, SpacingNames);
}

std::optional<StatedPosition> StatedOrigin(
  const FileFacts& file, const hdf5::Object& dataset, const std::vector<Role>& axes)
{
  return Stated(file, dataset, axes, OriginNames);
}

}
