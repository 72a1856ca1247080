// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/NamedAxes.h"

#include "Describe/Text.h"

#include <algorithm>

namespace dsm::describe
{

using hdf5::Object;

namespace
{
// The axis that a dataset's name stands for: "X [m]" is x.
std::optional<std::size_t> AxisOfName(const std::string& name)
{
  constexpr std::array<std::array<const char*, 11>, 3> names{ {
    { "x", "xc", "x_c", "xf", "x_coord", "coord_x", "xcoord", "x_coordinates", "x1f", "lon",
      "longitude" },
    { "y", "yc", "y_c", "yf", "y_coord", "coord_y", "ycoord", "y_coordinates", "x2f", "lat",
      "latitude" },
    { "z", "zc", "z_c", "zf", "z_coord", "coord_z", "zcoord", "z_coordinates", "x3f", "lev",
      "depth" },
  } };
  const std::string lower = LowerCase(name);
  const std::string word = lower.substr(0, lower.find(" ["));
  for (std::size_t axis = 0; axis < names.size(); ++axis)
  {
    if (std::find(names[axis].begin(), names[axis].end(), word) != names[axis].end())
    {
      return axis;
    }
  }
  return std::nullopt;
}

// The folder itself, those above, and those with coordinates in them.
std::vector<std::string> FoldersFor(const std::vector<Object>& objects, const std::string& folder)
{
  std::vector<std::string> folders;
  for (std::string at = folder;; at.erase(at.rfind('/', at.size() - 2) + 1))
  {
    folders.push_back(at);
    for (const Object& object : objects)
    {
      constexpr std::array words = { "grid", "mesh", "coordinates", "coords", "axes", "geometry" };
      if (!object.Dataset && object.Folder() == at &&
        std::find(words.begin(), words.end(), LowerCase(object.Name())) != words.end())
      {
        folders.push_back(object.Path + "/");
      }
    }
    if (at == "/")
    {
      return folders;
    }
  }
}

std::optional<NamedAxes> Fit(const std::vector<Object>& objects, const std::string& folder,
  const std::vector<hsize_t>& shape, const std::vector<Role>& roles, hsize_t longer)
{
  NamedAxes found;
  found.Roles = roles;
  found.OfCells = longer == 1;
  std::size_t fits = 0;
  for (const Object& object : objects)
  {
    if (!object.Numbers || object.Shape.size() != 1 || object.Folder() != folder)
    {
      continue;
    }
    const auto axis = AxisOfName(object.Name());
    for (std::size_t dimension = 0; axis && dimension < roles.size(); ++dimension)
    {
      const std::size_t place = AxisOf(roles[dimension]);
      if (place == *axis && object.Shape[0] == shape[dimension] + longer && !found.Along[place])
      {
        found.Along[place] = &object;
        ++fits;
      }
    }
  }
  return fits == roles.size() ? std::optional(found) : std::nullopt;
}
}

std::optional<NamedAxes> FindNamedAxes(const std::vector<Object>& objects,
  const std::string& folder, const std::vector<hsize_t>& shape, const std::vector<Role>& known)
{
  if (shape.empty() || shape.size() > SpatialRoles.size())
  {
    return std::nullopt;
  }
  const std::vector<Role> backwards(
    SpatialRoles.begin(), SpatialRoles.begin() + static_cast<long>(shape.size()));
  const std::vector<Role> usual(backwards.rbegin(), backwards.rend());
  std::vector<std::vector<Role>> orders{ usual, backwards };
  if (!known.empty())
  {
    orders = { known };
  }
  for (const std::string& place : FoldersFor(objects, folder))
  {
    for (const auto& roles : orders)
    {
      for (const hsize_t longer : { 0, 1 })
      {
        if (auto found = Fit(objects, place, shape, roles, longer))
        {
          found->FitsBackwards = known.empty() && roles == usual &&
            Fit(objects, place, shape, backwards, longer).has_value();
          return found;
        }
      }
    }
  }
  return std::nullopt;
}

}
