// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/Check.h"

#include "Base/Error.h"
#include "Describe/OwnPart.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

namespace dsm::describe
{

namespace
{
// More than any file holds, and small enough that products of a few such fit 64 bits.
constexpr std::uint64_t MostElements = std::uint64_t(1) << 44;
constexpr std::uint64_t MostAlongAxis = std::numeric_limits<int>::max();
constexpr std::uint64_t MostComponents = 1024;

template <typename... Args>
[[noreturn]] void Throw(fmt::format_string<Args...> text, Args&&... args)
{
  throw Error(Fault::Usage, "the description of this file is wrong: {}",
    fmt::format(text, std::forward<Args>(args)...));
}

// The counts that sources have along their roles. Without one, the role is none of theirs.
struct Counts
{
  std::optional<PerAxis> Axes;
  std::optional<std::uint64_t> Index;
  std::uint64_t Blocks = 0; ///< the greatest index, and one
};

void CheckSource(const Source& source, const Counts& counts, const std::string& what)
{
  std::set<Role> seen;
  std::uint64_t elements = 1;
  for (const Dimension& dimension : source.Dimensions)
  {
    const bool isFree =
      dimension.Is == Role::Fixed || dimension.Is == Role::Time || dimension.Is == Role::Component;
    if (!isFree && !seen.insert(dimension.Is).second)
    {
      Throw("{} has two dimensions with the same role", what);
    }
    if (dimension.Stride == 0 || dimension.Count == 0)
    {
      Throw("{} has a dimension of nothing", what);
    }
    if (std::max(dimension.Count, dimension.Of) > MostElements ||
      elements > MostElements / dimension.Count)
    {
      Throw("{} has too many elements", what);
    }
    elements *= dimension.Count;
    std::optional<std::uint64_t> needed;
    switch (dimension.Is)
    {
      case Role::X:
      case Role::Y:
      case Role::Z:
        if (!counts.Axes)
        {
          Throw("{} has a dimension along x, y or z, and the part has none", what);
        }
        needed = counts.Axes->at(AxisOf(dimension.Is));
        break;
      case Role::Index:
        if (!counts.Index)
        {
          Throw("{} has a dimension of indices, and the part is a structured grid", what);
        }
        needed = counts.Index;
        break;
      case Role::Block:
        if (dimension.Count < counts.Blocks || counts.Blocks == 0)
        {
          Throw("{} has {} blocks, and the part {}", what, dimension.Count, counts.Blocks);
        }
        break;
      default:
        break;
    }
    if (needed && *needed != dimension.Count)
    {
      Throw(
        "{} has {} elements along a dimension where {} are needed", what, dimension.Count, *needed);
    }
  }
  if (ComponentsOf(source) > MostComponents)
  {
    Throw("{} has {} components", what, ComponentsOf(source));
  }
  for (const Source& added : source.Added)
  {
    if (ComponentsOf(added) != ComponentsOf(source))
    {
      Throw("what is added to {} has another number of components", what);
    }
    CheckSource(added, counts, what);
  }
}

void CheckSources(const std::vector<Source>& sources, const Counts& counts, const std::string& what)
{
  if (sources.empty())
  {
    Throw("{} has no source", what);
  }
  for (const Source& source : sources)
  {
    CheckSource(source, counts, what);
    if (sources.size() > 1 && ComponentsOf(source) != 1)
    {
      Throw("{} has several sources, and one of them several components", what);
    }
  }
}

void CheckCoordinates(const Coordinates& at, const Counts& counts, const std::string& what)
{
  CheckSources(at, counts, what);
  if (at.size() > 3 || (at.size() == 1 && ComponentsOf(at[0]) > 3))
  {
    Throw("{} has more than three components", what);
  }
}

void CheckFinite(const Position& origin, const Position& spacing, const std::string& what)
{
  const auto isFinite = [](double number) { return std::isfinite(number); };
  if (!std::all_of(origin.begin(), origin.end(), isFinite) ||
    !std::all_of(spacing.begin(), spacing.end(), isFinite))
  {
    Throw("where {} lies is not finite", what);
  }
}

void CheckNumber(std::uint64_t count, const std::string& what)
{
  if (count > MostElements)
  {
    Throw("{} has too many elements ({})", what, count);
  }
}

Counts CheckCells(const Unstructured& on, const std::string& what)
{
  CheckNumber(on.Points, what);
  CheckNumber(on.Cells, what);
  CheckCoordinates(on.At, { {}, on.Points }, "the points of " + what);
  if (const auto* same = std::get_if<SameCells>(&on.By))
  {
    const auto points = PointsOfType(same->Type);
    if (same->PointsPerCell == 0 || same->PointsPerCell > MostComponents ||
      points.value_or(same->PointsPerCell) != same->PointsPerCell)
    {
      Throw("cells of type {} in {} have no {} points", same->Type, what, same->PointsPerCell);
    }
    const std::uint64_t components = ComponentsOf(same->Connectivity);
    const bool flat = components == 1;
    CheckSource(same->Connectivity, { {}, flat ? on.Cells * same->PointsPerCell : on.Cells },
      "the cells of " + what);
    auto order = same->Order;
    std::sort(order.begin(), order.end());
    for (std::size_t index = 0; index < order.size(); ++index)
    {
      if (order.size() != same->PointsPerCell || order[index] != static_cast<int>(index))
      {
        Throw("the order of points in the cells of {} is not one of {} points", what,
          same->PointsPerCell);
      }
    }
    if (!flat && components != same->PointsPerCell)
    {
      Throw("the cells of {} have {} points each, and their dataset {}", what, same->PointsPerCell,
        components);
    }
  }
  else if (const auto* mixed = std::get_if<MixedCells>(&on.By))
  {
    CheckNumber(mixed->Length, what);
    CheckSource(mixed->List, { {}, mixed->Length }, "the cells of " + what);
  }
  else
  {
    const auto& lists = std::get<OffsetCells>(on.By);
    CheckNumber(lists.Length, what);
    CheckSource(lists.Connectivity, { {}, lists.Length }, "the cells of " + what);
    CheckSource(lists.Offsets, { {}, on.Cells + 1 }, "the offsets of " + what);
    CheckSource(lists.Types, { {}, on.Cells }, "the types of " + what);
  }
  return { {}, on.Cells };
}

void CheckPoints(const PerAxis& points, const std::string& what)
{
  std::uint64_t all = 1;
  for (const std::uint64_t count : points)
  {
    if (count == 0 || count > MostAlongAxis)
    {
      Throw("{} has {} points along one axis", what, count);
    }
    if (all > MostElements / count)
    {
      Throw("{} has too many points", what);
    }
    all *= count;
  }
}

void CheckOwnBlocks(const Part& part, const std::string& what)
{
  if (!std::holds_alternative<Uniform>(part.On))
  {
    Throw("{} has blocks of sizes of their own, and is not uniform", what);
  }
  for (const Block& block : part.Blocks)
  {
    if (!block.Points)
    {
      Throw("{} has blocks with sizes of their own and others without", what);
    }
    CheckPoints(*block.Points, fmt::format("block {} of {}", block.Index, what));
    CheckNumber(block.FirstElement, what);
  }
  for (const Array& array : part.Arrays)
  {
    for (const Source& source : array.Sources)
    {
      const auto* stored = std::get_if<Stored>(&source.From);
      if (stored && (!stored->FlatFrom || stored->Plane > MostComponents * MostComponents))
      {
        Throw("array {} of {} does not lie in a flat dataset", array.Name, what);
      }
    }
  }
}

// Returns what arrays of points and of cells need.
std::pair<Counts, Counts> CheckGeometry(const Part& part, const std::string& what)
{
  if (IsStructured(part.On))
  {
    Counts points{ PointsOf(part.On), {} }, cells{ CellsOf(part.On), {} };
    CheckPoints(*points.Axes, what);
    if (HasOwnBlocks(part))
    {
      CheckOwnBlocks(part, what);
    }
    if (const auto* uniform = std::get_if<Uniform>(&part.On))
    {
      CheckFinite(uniform->Origin, uniform->Spacing, what);
    }
    for (const Block& block : part.Blocks)
    {
      CheckFinite(block.Origin, block.Spacing, what);
      if (!HasOwnBlocks(part))
      {
        points.Blocks = std::max(points.Blocks, block.Index + 1);
      }
    }
    cells.Blocks = points.Blocks;
    if (const auto* rectilinear = std::get_if<Rectilinear>(&part.On))
    {
      for (const Source& axis : rectilinear->Axes)
      {
        CheckSource(axis, points, "an axis of " + what);
        if (ComponentsOf(axis) != 1)
        {
          Throw("an axis of {} has several components", what);
        }
      }
    }
    else if (const auto* curvilinear = std::get_if<Curvilinear>(&part.On))
    {
      CheckCoordinates(curvilinear->At, points, "the points of " + what);
    }
    return { points, cells };
  }
  if (!part.Blocks.empty())
  {
    Throw("{} has blocks, and is no structured grid", what);
  }
  if (const auto* rows = std::get_if<Rows>(&part.On))
  {
    CheckNumber(rows->Count, what);
    return { { {}, rows->Count }, {} };
  }
  if (const auto* vertices = std::get_if<Vertices>(&part.On))
  {
    CheckNumber(vertices->Count, what);
    CheckCoordinates(vertices->At, { {}, vertices->Count }, "the points of " + what);
    return { { {}, vertices->Count }, { {}, vertices->Count } };
  }
  const auto& cells = std::get<Unstructured>(part.On);
  return { { {}, cells.Points }, CheckCells(cells, what) };
}
}

std::optional<std::uint64_t> PointsOfType(int type)
{
  struct Entry
  {
    int Type;
    std::uint64_t Points;
  };
  constexpr Entry entries[] = { { 1, 1 }, { 3, 2 }, { 5, 3 }, { 8, 4 }, { 9, 4 }, { 10, 4 },
    { 11, 8 }, { 12, 8 }, { 13, 6 }, { 14, 5 }, { 15, 10 }, { 16, 12 }, { 21, 3 }, { 22, 6 },
    { 23, 8 }, { 24, 10 }, { 25, 20 }, { 26, 15 }, { 27, 13 }, { 28, 9 }, { 29, 27 }, { 30, 6 },
    { 31, 12 }, { 32, 18 }, { 33, 24 }, { 34, 7 }, { 35, 4 }, { 37, 19 } };
  for (const Entry& entry : entries)
  {
    if (entry.Type == type)
    {
      return entry.Points;
    }
  }
  constexpr int any[] = { 2, 4, 6, 7, 68, 69, 70, 71, 72, 73, 74 };
  if (std::find(std::begin(any), std::end(any), type) == std::end(any))
  {
    Throw("cells of type {} are not known", type);
  }
  return std::nullopt;
}

PerAxis PointsOf(const Geometry& geometry)
{
  if (const auto* uniform = std::get_if<Uniform>(&geometry))
  {
    return uniform->Points;
  }
  if (const auto* rectilinear = std::get_if<Rectilinear>(&geometry))
  {
    return rectilinear->Points;
  }
  const auto* curvilinear = std::get_if<Curvilinear>(&geometry);
  return curvilinear ? curvilinear->Points : PerAxis{ 0, 0, 0 };
}

PerAxis CellsOf(const Geometry& geometry)
{
  PerAxis cells = PointsOf(geometry);
  for (std::uint64_t& count : cells)
  {
    count = count > 1 ? count - 1 : count;
  }
  return cells;
}

bool IsStructured(const Geometry& geometry)
{
  return std::holds_alternative<Uniform>(geometry) ||
    std::holds_alternative<Rectilinear>(geometry) || std::holds_alternative<Curvilinear>(geometry);
}

void Check(const Description& description)
{
  if (description.Parts.empty() && !description.Empty)
  {
    Throw("it has no parts");
  }
  if (description.Times.size() > 1 && description.Step >= description.Times.size())
  {
    Throw("it is of step {} of {}", description.Step, description.Times.size());
  }
  for (const Part& part : description.Parts)
  {
    const std::string what = "part " + part.Name;
    if (std::holds_alternative<Rows>(part.On) && description.Parts.size() > 1)
    {
      Throw("{} is a table, and not the only part", what);
    }
    const auto [points, cells] = CheckGeometry(part, what);
    std::set<std::pair<Centring, std::string>> names;
    for (const Array& array : part.Arrays)
    {
      const std::string named = fmt::format("array {} of {}", array.Name, what);
      if (array.Name.empty() || !names.emplace(array.On, array.Name).second)
      {
        Throw("{} has no name of its own", named);
      }
      if (array.On == Centring::Field)
      {
        // As long as it likes to be.
        Counts own;
        for (const Source& source : array.Sources)
        {
          for (const Dimension& dimension : source.Dimensions)
          {
            own.Index = dimension.Is == Role::Index ? dimension.Count : own.Index;
          }
        }
        CheckSources(array.Sources, own, named);
        continue;
      }
      CheckSources(array.Sources, array.On == Centring::Point ? points : cells, named);
      std::uint64_t components = array.Sources.size();
      if (components == 1)
      {
        components = ComponentsOf(array.Sources[0]);
      }
      if (!array.ComponentNames.empty() && array.ComponentNames.size() != components)
      {
        Throw("{} has {} components and {} names for them", named, components,
          array.ComponentNames.size());
      }
    }
  }
}

}
