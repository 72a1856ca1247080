// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/OpenPmdParticles.h"

#include "Base/Error.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace dsm::describe
{

namespace
{
std::uint64_t CountOf(const OpenPmdComponent& component)
{
  if (component.Shape.size() != 1)
  {
    throw Error(Fault::Unsupported, "{} has {} dimensions", component.Path, component.Shape.size());
  }
  return component.Shape.front();
}

void AddTo(Source& source, Source added)
{
  const auto* constant = std::get_if<Constant>(&added.From);
  auto* own = std::get_if<Constant>(&source.From);
  if (constant && own)
  {
    own->Value += constant->Value;
  }
  else if (constant)
  {
    source.Offset += constant->Value;
  }
  else
  {
    source.Added.push_back(std::move(added));
  }
}

// Adds positions and offsets: a position is inside a cell, and its offset is the cell's place.
Coordinates PointsOf(
  const OpenPmdRecord& position, const OpenPmdRecord* offset, std::uint64_t count)
{
  Coordinates points(3, Source{ Constant{ 0 } });
  for (const OpenPmdComponent& component : position.Components)
  {
    const auto axis = AxisNamed(component.Name);
    if (!axis || CountOf(component) != count)
    {
      throw Error(
        Fault::Unsupported, "{} is no coordinate of its {} particles", component.Path, count);
    }
    points[*axis] = component.SourceOver({ Role::Index });
    for (const OpenPmdComponent& from :
      offset ? offset->Components : std::vector<OpenPmdComponent>())
    {
      if (from.Name == component.Name)
      {
        if (CountOf(from) != count)
        {
          throw Error(Fault::Unsupported, "{} has {} numbers for {} particles", from.Path,
            CountOf(from), count);
        }
        AddTo(points[*axis], from.SourceOver({ Role::Index }));
      }
    }
  }
  return points;
}
}

bool IsPosition(const OpenPmdRecord& record)
{
  return record.Name == "position" || record.Name == "positionOffset";
}

void AddSpecies(
  const std::string& name, std::vector<OpenPmdRecord> records, DescriptionBuilder& result)
{
  const auto named = [&](const char* wanted)
  {
    return std::find_if(records.begin(), records.end(),
      [&](const OpenPmdRecord& record) { return record.Name == wanted; });
  };
  const auto at = named("position");
  if (at == records.end())
  {
    throw Error(Fault::Unsupported, "its particles have no position");
  }
  const auto offset = named("positionOffset");
  Part part;
  part.Name = name;
  Vertices points;
  points.Count = CountOf(at->Components.front());
  // FBPIC writes the shape 1 for a constant, whatever the number of particles.
  for (OpenPmdRecord& record : records)
  {
    for (OpenPmdComponent& component : record.Components)
    {
      if (component.Constant && component.Shape == std::vector<std::uint64_t>{ 1 })
      {
        component.Shape = { points.Count };
      }
    }
  }
  points.At = PointsOf(*at, offset == records.end() ? nullptr : &*offset, points.Count);
  const auto count = points.Count;
  part.On = std::move(points);
  for (const OpenPmdRecord& record : records)
  {
    if (IsPosition(record))
    {
      continue;
    }
    Array array;
    array.Name = record.Name;
    array.Units = record.Units;
    for (const OpenPmdComponent& component : record.Components)
    {
      if (component.Shape.size() == 1 && component.Shape.front() == count)
      {
        array.Sources.push_back(component.SourceOver({ Role::Index }));
        array.ComponentNames.push_back(component.Name);
      }
      else
      {
        result.LeaveOut(component.Path, "it has not a number for each particle");
      }
    }
    if (array.Sources.size() == 1)
    {
      array.ComponentNames.clear();
    }
    if (!array.Sources.empty())
    {
      part.Arrays.push_back(std::move(array));
    }
  }
  result.AddPart(std::move(part));
}

}
