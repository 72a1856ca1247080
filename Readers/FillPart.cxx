// SPDX-License-Identifier: BSD-3-Clause
#include "FillPart.h"

#include "Describe/CellReader.h"
#include "Describe/Check.h"
#include "Describe/OwnPart.h"
#include "Describe/PartWindows.h"
#include "ReadArrays.h"

#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkDoubleArray.h>
#include <vtkFieldData.h>
#include <vtkIdList.h>
#include <vtkImageData.h>
#include <vtkIntArray.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkRectilinearGrid.h>
#include <vtkStructuredGrid.h>
#include <vtkTable.h>
#include <vtkTypeInt64Array.h>
#include <vtkUniformGrid.h>
#include <vtkUnsignedCharArray.h>
#include <vtkUnstructuredGrid.h>

#include <algorithm>
#include <numeric>

namespace dsm::readers
{

using describe::Along;
using describe::Array;
using describe::Block;
using describe::CellWindow;
using describe::Centring;
using describe::Extent;
using describe::Part;
using describe::PointWindow;
using describe::Range;
using describe::RangeOf;
using describe::SourceReader;
using describe::Window;

namespace
{
void AddFields(SourceReader& reader, const Part& part, vtkDataObject* data)
{
  for (const Array& array : part.Arrays)
  {
    if (array.On != Centring::Field)
    {
      continue;
    }
    data->GetFieldData()->AddArray(ReadArray(reader, array, { describe::FieldWindow(array) }));
  }
}

void AddArrays(SourceReader& reader, const Part& part, const std::vector<Window>& points,
  const std::vector<Window>& cells, const ArrayWanted& wanted, vtkDataSet* data)
{
  for (const Array& array : part.Arrays)
  {
    if (array.On == Centring::Field || !wanted(array))
    {
      continue;
    }
    const bool onPoints = array.On == Centring::Point;
    auto* attributes =
      onPoints ? static_cast<vtkDataSetAttributes*>(data->GetPointData()) : data->GetCellData();
    const auto made = ReadArray(reader, array, onPoints ? points : cells);
    attributes->AddArray(made);
    if (attributes->GetNumberOfArrays() == 1)
    {
      attributes->SetActiveScalars(made->GetName());
    }
  }
  AddFields(reader, part, data);
}

vtkSmartPointer<vtkDataSet> Grid(SourceReader&, const describe::Uniform&, const Extent& extent,
  const describe::Position& origin, const describe::Position& spacing, std::uint64_t)
{
  auto image = vtkSmartPointer<vtkImageData>::New();
  image->SetOrigin(origin[0], origin[1], origin[2]);
  image->SetSpacing(spacing[0], spacing[1], spacing[2]);
  image->SetExtent(extent[0], extent[1], extent[2], extent[3], extent[4], extent[5]);
  return image;
}

vtkSmartPointer<vtkDataSet> Grid(SourceReader& reader, const describe::Rectilinear& on,
  const Extent& extent, const describe::Position&, const describe::Position&, std::uint64_t block)
{
  auto grid = vtkSmartPointer<vtkRectilinearGrid>::New();
  grid->SetExtent(extent[0], extent[1], extent[2], extent[3], extent[4], extent[5]);
  for (std::size_t axis = 0; axis < 3; ++axis)
  {
    Window window;
    window.Block = block;
    (axis == 0 ? window.X : axis == 1 ? window.Y : window.Z) = RangeOf(extent, axis);
    const auto at = ReadSources(reader, { on.Axes[axis] }, { window });
    switch (axis)
    {
      case 0:
        grid->SetXCoordinates(at);
        break;
      case 1:
        grid->SetYCoordinates(at);
        break;
      default:
        grid->SetZCoordinates(at);
    }
  }
  return grid;
}

vtkSmartPointer<vtkPoints> Points(vtkDataArray* data)
{
  auto points = vtkSmartPointer<vtkPoints>::New();
  points->SetData(data);
  return points;
}

vtkSmartPointer<vtkDataSet> Grid(SourceReader& reader, const describe::Curvilinear& on,
  const Extent& extent, const describe::Position&, const describe::Position&, std::uint64_t block)
{
  auto grid = vtkSmartPointer<vtkStructuredGrid>::New();
  grid->SetExtent(extent[0], extent[1], extent[2], extent[3], extent[4], extent[5]);
  Window window = PointWindow(extent);
  window.Block = block;
  grid->SetPoints(Points(ReadPoints(reader, on.At, { window })));
  return grid;
}

// Cells of an extent that others cover stay, and are not shown.
void HideCovered(const std::vector<describe::CellRange>& covered, const Window& cells,
  vtkSmartPointer<vtkDataSet>& data)
{
  const auto hidden = describe::CoveredCells(covered, cells);
  if (hidden.empty())
  {
    return;
  }
  if (auto* image = vtkImageData::SafeDownCast(data))
  {
    // Not all filters look for hidden cells in an image.
    auto grid = vtkSmartPointer<vtkUniformGrid>::New();
    grid->ShallowCopy(image);
    data = grid;
  }
  vtkNew<vtkUnsignedCharArray> ghosts;
  ghosts->SetName(vtkDataSetAttributes::GhostArrayName());
  ghosts->SetNumberOfValues(static_cast<vtkIdType>(hidden.size()));
  std::transform(hidden.begin(), hidden.end(), ghosts->GetPointer(0),
    [](unsigned char covered) { return covered ? vtkDataSetAttributes::REFINEDCELL : 0; });
  data->GetCellData()->AddArray(ghosts);
}

// One grid of a structured part; of a block, if that is given.
vtkSmartPointer<vtkDataSet> FillGrid(SourceReader& reader, const Part& part, const Extent& extent,
  const Block* block, const ArrayWanted& wanted)
{
  const auto* uniform = std::get_if<describe::Uniform>(&part.On);
  const describe::Position none{};
  const auto& origin = block ? block->Origin : uniform ? uniform->Origin : none;
  const auto& spacing = block ? block->Spacing : uniform ? uniform->Spacing : none;
  const std::uint64_t index = block ? block->Index : 0;
  auto data = std::visit(
    [&](const auto& on) -> vtkSmartPointer<vtkDataSet>
    {
      if constexpr (requires { Grid(reader, on, extent, origin, spacing, index); })
      {
        return Grid(reader, on, extent, origin, spacing, index);
      }
      else
      {
        return nullptr;
      }
    },
    part.On);
  Window points = PointWindow(extent);
  Window cells = CellWindow(extent, describe::CellsOf(part.On));
  points.Block = cells.Block = index;
  AddArrays(reader, part, { points }, { cells }, wanted, data);
  HideCovered(block ? block->Covered : part.Covered, cells, data);
  if (block || part.Level > 0)
  {
    vtkNew<vtkIntArray> level;
    level->SetName("Level");
    level->InsertNextValue(block ? block->Level : part.Level);
    data->GetFieldData()->AddArray(level);
  }
  return data;
}

vtkSmartPointer<vtkDataObject> FillRows(
  SourceReader& reader, const Part& part, const Range& rows, const ArrayWanted& wanted)
{
  auto table = vtkSmartPointer<vtkTable>::New();
  for (const Array& array : part.Arrays)
  {
    if (array.On == Centring::Point && wanted(array))
    {
      table->AddColumn(ReadArray(reader, array, { Along(rows) }));
    }
  }
  AddFields(reader, part, table);
  return table;
}

// Coordinates that are arrays as well are not read twice.
vtkSmartPointer<vtkDataArray> PointsAmong(
  const Part& part, const describe::Coordinates& at, vtkDataSetAttributes* read)
{
  std::vector<vtkDataArray*> found;
  for (const describe::Source& source : at)
  {
    for (const Array& array : part.Arrays)
    {
      auto* const same = array.On == Centring::Point && array.Sources == std::vector{ source }
        ? read->GetArray(array.Name.c_str())
        : nullptr;
      if (same)
      {
        found.push_back(same);
        break;
      }
    }
  }
  if (found.size() != at.size() || found.empty())
  {
    return nullptr;
  }
  const auto isReal = [](vtkDataArray* one)
  { return one->GetDataType() == VTK_FLOAT || one->GetDataType() == VTK_DOUBLE; };
  if (found.size() == 1 && found[0]->GetNumberOfComponents() == 3 && isReal(found[0]))
  {
    return found[0];
  }
  const bool isFloat = std::all_of(
    found.begin(), found.end(), [](vtkDataArray* one) { return one->GetDataType() == VTK_FLOAT; });
  auto points =
    vtk::TakeSmartPointer(vtkDataArray::CreateDataArray(isFloat ? VTK_FLOAT : VTK_DOUBLE));
  points->SetNumberOfComponents(3);
  points->SetNumberOfTuples(found[0]->GetNumberOfTuples());
  points->Fill(0);
  int component = 0;
  for (vtkDataArray* one : found)
  {
    for (int index = 0; index < one->GetNumberOfComponents() && component < 3; ++index)
    {
      points->CopyComponent(component++, one, index);
    }
  }
  return points;
}

vtkSmartPointer<vtkDataObject> FillVertices(SourceReader& reader, const Part& part,
  const describe::Vertices& on, const Range& run, const ArrayWanted& wanted)
{
  auto points = vtkSmartPointer<vtkPolyData>::New();
  AddArrays(reader, part, { Along(run) }, { Along(run) }, wanted, points);
  auto at = PointsAmong(part, on.At, points->GetPointData());
  points->SetPoints(Points(at ? at : ReadPoints(reader, on.At, { Along(run) })));
  vtkNew<vtkTypeInt64Array> each;
  each->SetNumberOfValues(static_cast<vtkIdType>(run.Count));
  std::iota(each->GetPointer(0), each->GetPointer(0) + run.Count, 0);
  vtkNew<vtkCellArray> vertices;
  vertices->SetData(1, each);
  points->SetVerts(vertices);
  return points;
}

vtkSmartPointer<vtkTypeInt64Array> ArrayOf(const std::vector<std::int64_t>& values)
{
  auto array = vtkSmartPointer<vtkTypeInt64Array>::New();
  array->SetNumberOfValues(static_cast<vtkIdType>(values.size()));
  std::copy(values.begin(), values.end(), array->GetPointer(0));
  return array;
}

// Leaves out the points of runs that no cell uses.
vtkSmartPointer<vtkDataArray> WithoutUnused(vtkDataArray* read, const describe::UsedPoints& used)
{
  auto kept = vtk::TakeSmartPointer(read->NewInstance());
  kept->SetNumberOfComponents(read->GetNumberOfComponents());
  kept->SetNumberOfTuples(static_cast<vtkIdType>(used.Points.size()));
  kept->SetName(read->GetName());
  kept->CopyComponentNames(read);
  vtkIdType from = 0, to = 0;
  for (const describe::PointRun& run : used.Runs)
  {
    if (run.Used == run.Points.Count)
    {
      kept->InsertTuples(to, static_cast<vtkIdType>(run.Used), from, read);
      to += static_cast<vtkIdType>(run.Used);
    }
    else
    {
      for (std::uint64_t index = 0; index < run.Used; ++index, ++to)
      {
        const auto point = used.Points[static_cast<std::size_t>(to)];
        kept->SetTuple(to,
          from + static_cast<vtkIdType>(point) - static_cast<vtkIdType>(run.Points.First), read);
      }
    }
    from += static_cast<vtkIdType>(run.Points.Count);
  }
  return kept;
}

vtkSmartPointer<vtkDataObject> FillCells(SourceReader& reader, const Part& part,
  const describe::Unstructured& on, const Range& run, const ArrayWanted& wanted)
{
  describe::Cells cells = describe::ReadCells(reader, on, run);
  std::vector<Window> windows;
  describe::UsedPoints used;
  bool gaps = false;
  if (run.Count == on.Cells && !on.PointsShared)
  {
    // All points, also those that no cell has.
    windows.push_back(Along({ 0, on.Points }));
  }
  else
  {
    used = describe::Renumber(cells);
    for (const describe::PointRun& points : used.Runs)
    {
      windows.push_back(Along(points.Points));
      gaps = gaps || points.Used != points.Points.Count;
    }
  }
  auto grid = vtkSmartPointer<vtkUnstructuredGrid>::New();
  auto at = ReadPoints(reader, on.At, windows);
  grid->SetPoints(Points(gaps ? WithoutUnused(at, used) : at));
  vtkNew<vtkCellArray> connectivity;
  connectivity->SetData(ArrayOf(cells.Offsets), ArrayOf(cells.Points));
  vtkNew<vtkUnsignedCharArray> types;
  types->SetNumberOfValues(static_cast<vtkIdType>(cells.Types.size()));
  std::copy(cells.Types.begin(), cells.Types.end(), types->GetPointer(0));
  grid->SetCells(types, connectivity);
  AddArrays(reader, part, windows, { Along(run) }, wanted, grid);
  if (gaps)
  {
    auto* attributes = grid->GetPointData();
    for (int index = 0; index < attributes->GetNumberOfArrays(); ++index)
    {
      attributes->AddArray(WithoutUnused(attributes->GetArray(index), used));
    }
  }
  return grid;
}
}

const char* DataClassOf(const Part& part)
{
  constexpr std::array classes = { "vtkTable", "vtkImageData", "vtkRectilinearGrid",
    "vtkStructuredGrid", "vtkPolyData", "vtkUnstructuredGrid" };
  return classes.at(part.On.index());
}

vtkSmartPointer<vtkDataObject> FillExtent(
  SourceReader& reader, const Part& part, const Extent& extent, const ArrayWanted& wanted)
{
  return FillGrid(reader, part, extent, nullptr, wanted);
}

vtkSmartPointer<vtkDataObject> FillOne(
  SourceReader& reader, const Part& part, const Range& units, const ArrayWanted& wanted)
{
  if (std::holds_alternative<describe::Rows>(part.On))
  {
    return FillRows(reader, part, units, wanted);
  }
  if (const auto* vertices = std::get_if<describe::Vertices>(&part.On))
  {
    return FillVertices(reader, part, *vertices, units, wanted);
  }
  if (const auto* cells = std::get_if<describe::Unstructured>(&part.On))
  {
    return FillCells(reader, part, *cells, units, wanted);
  }
  return FillGrid(reader, part, describe::ExtentOf(part, units), nullptr, wanted);
}

std::vector<vtkSmartPointer<vtkDataObject>> FillUnits(
  SourceReader& reader, const Part& part, const Range& units, const ArrayWanted& wanted)
{
  std::vector<vtkSmartPointer<vtkDataObject>> filled;
  if (part.Blocks.empty())
  {
    if (units.Count > 0)
    {
      filled.push_back(FillOne(reader, part, units, wanted));
    }
    return filled;
  }
  for (std::uint64_t unit = units.First; unit < units.First + units.Count; ++unit)
  {
    Block block = part.Blocks[unit];
    if (describe::HasOwnBlocks(part))
    {
      const Part own = describe::OwnPart(part, block);
      block.Index = 0;
      filled.emplace_back(FillGrid(reader, own, describe::WholeExtentOf(own), &block, wanted));
    }
    else
    {
      filled.emplace_back(FillGrid(reader, part, describe::WholeExtentOf(part), &block, wanted));
    }
  }
  return filled;
}

}
