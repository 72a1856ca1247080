// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/CellReader.h"

#include "Base/Error.h"

#include <algorithm>
#include <iterator>
#include <optional>

namespace dsm::describe
{

namespace
{
// XDMF's numbers of types, VTK's, and how many points they have; 0: the list says it.
struct XdmfType
{
  std::int64_t Xdmf;
  unsigned char Vtk;
  std::uint64_t Points;
};
constexpr XdmfType XdmfTypes[] = { { 1, 2, 0 }, { 2, 4, 0 }, { 3, 7, 0 }, { 4, 5, 3 }, { 5, 9, 4 },
  { 6, 10, 4 }, { 7, 14, 5 }, { 8, 13, 6 }, { 9, 12, 8 }, { 34, 21, 3 }, { 35, 28, 9 },
  { 36, 22, 6 }, { 37, 23, 8 }, { 38, 24, 10 }, { 39, 27, 13 } };

Window Along(const Range& range)
{
  Window window;
  window.Index = range;
  return window;
}

[[noreturn]] void ThrowCells(const std::string& why)
{
  throw Error(Fault::Usage, "the file's list of cells is wrong: {}", why);
}

void CheckPoints(Cells& cells, const Unstructured& on)
{
  for (std::int64_t& point : cells.Points)
  {
    const std::int64_t counted = point - on.FirstPoint;
    if (counted < 0 || static_cast<std::uint64_t>(counted) >= on.Points)
    {
      ThrowCells(fmt::format("a cell has point {}, and there are {} points", point, on.Points));
    }
    point = counted;
  }
}

Cells ReadSame(SourceReader& reader, const SameCells& by, const Range& run)
{
  const std::uint64_t each = by.PointsPerCell;
  const bool flat = ComponentsOf(by.Connectivity) == 1;
  Cells cells;
  cells.Points = reader.Integers(
    by.Connectivity, Along(flat ? Range{ run.First * each, run.Count * each } : run));
  cells.Types.assign(run.Count, static_cast<unsigned char>(by.Type));
  cells.Offsets.reserve(run.Count + 1);
  for (std::uint64_t cell = 0; cell <= run.Count; ++cell)
  {
    cells.Offsets.push_back(static_cast<std::int64_t>(cell * each));
  }
  if (!by.Order.empty())
  {
    std::vector<std::int64_t> of(each);
    for (std::uint64_t cell = 0; cell < run.Count; ++cell)
    {
      std::int64_t* const points = cells.Points.data() + cell * each;
      std::copy_n(points, each, of.begin());
      for (std::size_t point = 0; point < each; ++point)
      {
        points[point] = of[static_cast<std::size_t>(by.Order[point])];
      }
    }
  }
  return cells;
}

Cells ReadLists(SourceReader& reader, const OffsetCells& by, const Range& run)
{
  Cells cells;
  cells.Offsets = reader.Integers(by.Offsets, Along({ run.First, run.Count + 1 }));
  if (!std::is_sorted(cells.Offsets.begin(), cells.Offsets.end()) || cells.Offsets.front() < 0 ||
    static_cast<std::uint64_t>(cells.Offsets.back()) > by.Length)
  {
    ThrowCells("the offsets do not ascend, or lead beyond it");
  }
  const std::int64_t first = cells.Offsets.front();
  cells.Points = reader.Integers(by.Connectivity,
    Along({ static_cast<std::uint64_t>(first),
      static_cast<std::uint64_t>(cells.Offsets.back() - first) }));
  for (std::int64_t& offset : cells.Offsets)
  {
    offset -= first;
  }
  for (const std::int64_t type : reader.Integers(by.Types, Along(run)))
  {
    if (type < 1 || type > 74)
    {
      ThrowCells(fmt::format("cells of type {} are not known", type));
    }
    cells.Types.push_back(static_cast<unsigned char>(type));
  }
  return cells;
}

// Goes through a mixed list, some of it at a time.
class MixedList
{
public:
  MixedList(SourceReader& reader, const MixedCells& by);
  std::int64_t Next();

private:
  SourceReader& Reader;
  const MixedCells& By;
  std::vector<std::int64_t> Some;
  std::size_t At = 0;
  std::uint64_t Done = 0;
};

MixedList::MixedList(SourceReader& reader, const MixedCells& by)
  : Reader(reader)
  , By(by)
{
}

std::int64_t MixedList::Next()
{
  if (this->At == this->Some.size())
  {
    constexpr std::uint64_t most = std::uint64_t(1) << 20;
    const Range run{ this->Done, std::min(most, this->By.Length - this->Done) };
    if (run.Count == 0)
    {
      ThrowCells("it ends within a cell");
    }
    this->Some = this->Reader.Integers(this->By.List, Along(run));
    this->Done += run.Count;
    this->At = 0;
  }
  return this->Some[this->At++];
}

Cells ReadMixed(SourceReader& reader, const MixedCells& by, const Range& run)
{
  MixedList list(reader, by);
  Cells cells;
  cells.Offsets.push_back(0);
  for (std::uint64_t cell = 0; cell < run.First + run.Count; ++cell)
  {
    const std::int64_t number = list.Next();
    const auto* const type = std::find_if(std::begin(XdmfTypes), std::end(XdmfTypes),
      [&](const XdmfType& one) { return one.Xdmf == number; });
    if (type == std::end(XdmfTypes))
    {
      ThrowCells(fmt::format("cells of XDMF's type {} are not known here", number));
    }
    const std::int64_t points =
      type->Points > 0 ? static_cast<std::int64_t>(type->Points) : list.Next();
    if (points < 0 || static_cast<std::uint64_t>(points) > by.Length)
    {
      ThrowCells(fmt::format("a cell has {} points", points));
    }
    const bool wanted = cell >= run.First;
    for (std::int64_t point = 0; point < points; ++point)
    {
      const std::int64_t next = list.Next();
      if (wanted)
      {
        cells.Points.push_back(next);
      }
    }
    if (wanted)
    {
      // A vertex and a line have types of their own.
      const bool single = (number == 1 && points == 1) || (number == 2 && points == 2);
      cells.Types.push_back(static_cast<unsigned char>(single ? type->Vtk - 1 : type->Vtk));
      cells.Offsets.push_back(static_cast<std::int64_t>(cells.Points.size()));
    }
  }
  return cells;
}
}

Cells ReadCells(SourceReader& reader, const Unstructured& on, const Range& run)
{
  Cells cells;
  if (run.Count == 0)
  {
    cells.Offsets.push_back(0);
    return cells;
  }
  if (const auto* same = std::get_if<SameCells>(&on.By))
  {
    cells = ReadSame(reader, *same, run);
  }
  else if (const auto* mixed = std::get_if<MixedCells>(&on.By))
  {
    cells = ReadMixed(reader, *mixed, run);
  }
  else
  {
    cells = ReadLists(reader, std::get<OffsetCells>(on.By), run);
  }
  CheckPoints(cells, on);
  return cells;
}

UsedPoints Renumber(Cells& cells)
{
  UsedPoints used;
  used.Points = cells.Points;
  std::sort(used.Points.begin(), used.Points.end());
  used.Points.erase(std::unique(used.Points.begin(), used.Points.end()), used.Points.end());
  // Reading one more run costs about as much as that many numbers.
  constexpr std::uint64_t gap = 512;
  for (const std::int64_t signedPoint : used.Points)
  {
    const auto point = static_cast<std::uint64_t>(signedPoint);
    if (used.Runs.empty() ||
      point - used.Runs.back().Points.First - used.Runs.back().Points.Count > gap)
    {
      used.Runs.push_back({ { point, 0 }, 0 });
    }
    PointRun& run = used.Runs.back();
    run.Points.Count = point - run.Points.First + 1;
    ++run.Used;
  }
  for (std::int64_t& point : cells.Points)
  {
    point = std::lower_bound(used.Points.begin(), used.Points.end(), point) - used.Points.begin();
  }
  return used;
}

}
