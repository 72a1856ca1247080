// SPDX-License-Identifier: BSD-3-Clause
#include "Described/FilledPart.h"

#include "Describe/CellReader.h"
#include "Describe/Check.h"
#include "Describe/OwnPart.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>
#include <variant>

namespace dsm::describe
{

namespace
{
NumberBuffer NewNumbers(Number type, std::uint64_t components, const std::vector<Window>& windows)
{
  NumberBuffer made{ type, components, 0, nullptr };
  for (const Window& window : windows)
  {
    made.Tuples += window.Tuples();
  }
  // Not cleared: all of it is read.
  made.Values.reset(new std::byte[made.Tuples * components * SizeOf(type)]);
  return made;
}

void ReadInto(SourceReader& reader, const std::vector<Source>& sources,
  const std::vector<Window>& windows, NumberBuffer& numbers)
{
  std::byte* place = numbers.Values.get();
  for (const Window& window : windows)
  {
    std::uint64_t component = 0;
    for (const Source& source : sources)
    {
      reader.Read(source, window, { place, numbers.Type, numbers.Components, component++ });
    }
    place += window.Tuples() * numbers.Components * SizeOf(numbers.Type);
  }
}

std::uint64_t ComponentsOf(const std::vector<Source>& sources)
{
  return sources.size() == 1 ? ComponentsOf(sources[0]) : sources.size();
}

NumberBuffer Read(
  SourceReader& reader, const std::vector<Source>& sources, const std::vector<Window>& windows)
{
  NumberBuffer made = NewNumbers(reader.TypeOf(sources), ComponentsOf(sources), windows);
  ReadInto(reader, sources, windows, made);
  return made;
}

// Three for each point; those that are not given are 0.
NumberBuffer ReadPoints(
  SourceReader& reader, const Coordinates& at, const std::vector<Window>& windows)
{
  NumberBuffer made = NewNumbers(Common(reader.TypeOf(at), Number::Float32), 3, windows);
  if (ComponentsOf(at) < 3)
  {
    std::fill_n(made.Values.get(), made.Tuples * 3 * SizeOf(made.Type), std::byte(0));
  }
  ReadInto(reader, at, windows, made);
  return made;
}

void AddArrays(SourceReader& reader, const Part& part, const std::vector<Window>& points,
  const std::vector<Window>& cells, FilledPart& filled)
{
  for (const Array& array : part.Arrays)
  {
    const std::vector<Window> windows = array.On == Centring::Field
      ? std::vector{ FieldWindow(array) }
      : array.On == Centring::Point ? points
                                    : cells;
    filled.Arrays.push_back(
      { array.Name, array.On, array.ComponentNames, Read(reader, array.Sources, windows) });
  }
}

void AddGeometry(SourceReader&, const Uniform& on, const Block* block, FilledPart& filled)
{
  filled.Origin = block ? block->Origin : on.Origin;
  filled.Spacing = block ? block->Spacing : on.Spacing;
}

void AddGeometry(
  SourceReader& reader, const Rectilinear& on, const Block* block, FilledPart& filled)
{
  for (std::size_t axis = 0; axis < 3; ++axis)
  {
    Window window;
    window.Block = block ? block->Index : 0;
    (axis == 0 ? window.X : axis == 1 ? window.Y : window.Z) = RangeOf(filled.Points, axis);
    filled.Coordinates.push_back(Read(reader, { on.Axes[axis] }, { window }));
  }
}

void AddGeometry(
  SourceReader& reader, const Curvilinear& on, const Block* block, FilledPart& filled)
{
  Window window = PointWindow(filled.Points);
  window.Block = block ? block->Index : 0;
  filled.Coordinates.push_back(ReadPoints(reader, on.At, { window }));
}

FilledPart FillGrid(
  SourceReader& reader, const Part& part, const Extent& extent, const Block* block)
{
  FilledPart filled{ KindOf(part.On), extent };
  std::visit(
    [&](const auto& on)
    {
      if constexpr (requires { AddGeometry(reader, on, block, filled); })
      {
        AddGeometry(reader, on, block, filled);
      }
    },
    part.On);
  Window points = PointWindow(extent);
  Window cells = CellWindow(extent, CellsOf(part.On));
  points.Block = cells.Block = block ? block->Index : 0;
  AddArrays(reader, part, { points }, { cells }, filled);
  filled.Covered = CoveredCells(block ? block->Covered : part.Covered, cells);
  if (block || part.Level > 0)
  {
    filled.Level = block ? block->Level : part.Level;
  }
  return filled;
}

// Leaves out the points of runs that no cell uses.
void KeepUsed(const UsedPoints& used, NumberBuffer& numbers)
{
  const std::size_t tuple = numbers.Components * SizeOf(numbers.Type);
  std::byte* to = numbers.Values.get();
  const std::byte* from = numbers.Values.get();
  auto point = used.Points.begin();
  for (const PointRun& run : used.Runs)
  {
    for (std::uint64_t index = 0; index < run.Used; ++index, ++point, to += tuple)
    {
      const std::byte* const one =
        from + (static_cast<std::uint64_t>(*point) - run.Points.First) * tuple;
      std::copy_n(one, tuple, to);
    }
    from += run.Points.Count * tuple;
  }
  numbers.Tuples = used.Points.size();
}

FilledPart FillCells(
  SourceReader& reader, const Part& part, const Unstructured& on, const Range& run)
{
  FilledPart filled{ KindOf(part.On) };
  Cells cells = ReadCells(reader, on, run);
  std::vector<Window> windows;
  UsedPoints used;
  const bool all = run.Count == on.Cells && !on.PointsShared;
  if (all)
  {
    // Points that no cell has are shown, too.
    windows.push_back(Along({ 0, on.Points }));
  }
  else
  {
    used = Renumber(cells);
    std::transform(used.Runs.begin(), used.Runs.end(), std::back_inserter(windows),
      [](const PointRun& points) { return Along(points.Points); });
  }
  filled.Coordinates.push_back(ReadPoints(reader, on.At, windows));
  AddArrays(reader, part, windows, { Along(run) }, filled);
  if (!all)
  {
    KeepUsed(used, filled.Coordinates.front());
    for (FilledArray& array : filled.Arrays)
    {
      if (array.On == Centring::Point)
      {
        KeepUsed(used, array.Values);
      }
    }
  }
  filled.Connectivity = std::move(cells.Points);
  filled.Offsets = std::move(cells.Offsets);
  filled.Types = std::move(cells.Types);
  return filled;
}

FilledPart FillOne(SourceReader& reader, const Part& part, const Range& units)
{
  if (const auto* cells = std::get_if<Unstructured>(&part.On))
  {
    return FillCells(reader, part, *cells, units);
  }
  if (IsStructured(part.On))
  {
    return FillGrid(reader, part, ExtentOf(part, units), nullptr);
  }
  FilledPart filled{ KindOf(part.On) };
  if (const auto* vertices = std::get_if<Vertices>(&part.On))
  {
    filled.Coordinates.push_back(ReadPoints(reader, vertices->At, { Along(units) }));
  }
  AddArrays(reader, part, { Along(units) }, { Along(units) }, filled);
  return filled;
}
}

const char* KindOf(const Geometry& geometry)
{
  constexpr std::array kinds = { "table", "image", "rectilinear", "structured", "points", "cells" };
  return kinds.at(geometry.index());
}

std::vector<FilledPart> Fill(SourceReader& reader, const Part& part, const Range& units)
{
  std::vector<FilledPart> filled;
  if (part.Blocks.empty())
  {
    if (units.Count > 0)
    {
      filled.push_back(FillOne(reader, part, units));
    }
    return filled;
  }
  for (std::uint64_t unit = units.First; unit < units.First + units.Count; ++unit)
  {
    Block block = part.Blocks.at(unit);
    if (HasOwnBlocks(part))
    {
      const Part own = OwnPart(part, block);
      block.Index = 0;
      filled.push_back(FillGrid(reader, own, WholeExtentOf(own), &block));
    }
    else
    {
      filled.push_back(FillGrid(reader, part, WholeExtentOf(part), &block));
    }
  }
  return filled;
}

}
