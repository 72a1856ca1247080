// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/PointColumns.h"

#include "Base/Error.h"
#include "Describe/Text.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace dsm::describe
{

using hdf5::Object;

namespace
{
bool EndsWith(const std::string& path, const std::string& name)
{
  const std::string wanted = name.front() == '/' ? name : "/" + name;
  return path.size() >= wanted.size() &&
    path.compare(path.size() - wanted.size(), wanted.size(), wanted) == 0;
}
}

std::vector<PointColumns> FindPointColumns(const std::vector<Object>& columns)
{
  // By length, and the path before the axis: "/atoms/pos_" -> x, y, z.
  std::map<std::pair<std::string, hsize_t>, std::array<const Object*, 3>> byPlace;
  for (const Object& column : columns)
  {
    const std::string name = LowerCase(column.Name());
    const auto axis = std::string("xyz").find(name.back());
    const std::string before = name.substr(0, name.size() - 1);
    constexpr std::array prefixes = { "", "pos_", "position_", "coord_", "r" };
    if (column.Numbers && column.Shape.size() == 1 && axis != std::string::npos &&
      std::find(prefixes.begin(), prefixes.end(), before) != prefixes.end())
    {
      byPlace[{ column.Folder() + before, column.Shape[0] }][axis] = &column;
    }
  }
  std::vector<PointColumns> found;
  std::set<std::pair<std::string, hsize_t>> folders; // one set of coordinates for each
  for (const auto& [place, axes] : byPlace)
  {
    if (axes[0] && axes[1] && folders.insert({ axes[0]->Folder(), place.second }).second)
    {
      found.push_back({ *axes[0], *axes[1] });
      if (axes[2])
      {
        found.back().push_back(*axes[2]);
      }
    }
  }
  constexpr std::array names = { "coordinates", "coords", "positions", "position", "pos",
    "points" };
  for (const Object& column : columns)
  {
    if (column.Numbers && column.Shape.size() == 2 &&
      (column.Shape[1] == 2 || column.Shape[1] == 3) &&
      std::find(names.begin(), names.end(), LowerCase(column.Name())) != names.end() &&
      folders.insert({ column.Folder(), column.Shape[0] }).second)
    {
      found.push_back({ column });
    }
  }
  return found;
}

PointColumns PointColumnsNamed(const std::vector<Object>& columns,
  const std::array<std::string, 3>& names, const std::string& file)
{
  PointColumns axes;
  for (const std::string& name : names)
  {
    if (name.empty())
    {
      continue;
    }
    const auto found = std::find_if(columns.begin(), columns.end(),
      [&](const Object& column) { return EndsWith(column.Path, name); });
    if (found == columns.end())
    {
      std::vector<std::string> list;
      list.reserve(columns.size());
      std::transform(columns.begin(), columns.end(), std::back_inserter(list),
        [](const Object& column) { return column.Path.substr(1); });
      throw Error(Fault::Usage,
        "{} has no column \"{}\" for the coordinates: choose among {}, or leave the choice empty",
        file, name, fmt::join(list, ", "));
    }
    if (!axes.empty() && axes.front().Shape[0] != found->Shape[0])
    {
      throw Error(Fault::Usage,
        "the columns {} and {} of {} are to be coordinates, and have {} and {} rows: choose "
        "columns "
        "of one length",
        axes.front().Path, found->Path, file, axes.front().Shape[0], found->Shape[0]);
    }
    axes.push_back(*found);
  }
  return axes;
}

}
