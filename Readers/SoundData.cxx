// SPDX-License-Identifier: BSD-3-Clause
#include "SoundData.h"

#include "Base/Error.h"
#include "Describe/Check.h"

#include <vtkAOSDataArrayTemplate.h>
#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkCompositeDataIterator.h>
#include <vtkCompositeDataSet.h>
#include <vtkDataArray.h>
#include <vtkDataArrayRange.h>
#include <vtkDataSet.h>
#include <vtkPointData.h>
#include <vtkPolyData.h>
#include <vtkSmartPointer.h>
#include <vtkUnsignedCharArray.h>
#include <vtkUnstructuredGrid.h>

namespace dsm::readers
{

namespace
{
template <typename... Args>
[[noreturn]] void Throw(fmt::format_string<Args...> text, Args&&... args)
{
  throw Error(Fault::Usage, "{}", fmt::format(text, std::forward<Args>(args)...));
}

// Offsets ascend from 0 to the number of ids.
template <typename Offsets>
void CheckOffsets(const Offsets& offsets, vtkIdType count)
{
  vtkIdType before = 0;
  vtkIdType most = 0; // of the first
  for (const auto value : offsets)
  {
    const auto offset = static_cast<vtkIdType>(value);
    if (offset < before || offset > most)
    {
      Throw("the list of cells is wrong: its offsets do not ascend from 0 to {}", count);
    }
    before = offset;
    most = count;
  }
}

template <typename Ids>
void CheckIds(const Ids& ids, vtkIdType points)
{
  for (const auto value : ids)
  {
    const auto id = static_cast<vtkIdType>(value);
    if (id < 0 || id >= points)
    {
      Throw("the list of cells is wrong: a cell has point {}, and there are {} points", id, points);
    }
  }
}

// Visits the values of an array. From VTK 9.6 on the offsets of cells may be computed: any other
// array than those of the usual types is visited value by value.
template <typename Visit>
void WithValues(vtkDataArray* array, const Visit& visit)
{
  if (auto* const wide = vtkArrayDownCast<vtkAOSDataArrayTemplate<vtkTypeInt64>>(array))
  {
    visit(vtk::DataArrayValueRange<1>(wide));
  }
  else if (auto* const narrow = vtkArrayDownCast<vtkAOSDataArrayTemplate<vtkTypeInt32>>(array))
  {
    visit(vtk::DataArrayValueRange<1>(narrow));
  }
  else
  {
    visit(vtk::DataArrayValueRange<1>(array));
  }
}

void CheckCells(vtkCellArray* cells, vtkIdType points)
{
  if (!cells || cells->GetNumberOfCells() == 0)
  {
    return;
  }
  vtkDataArray* const connectivity = cells->GetConnectivityArray();
  WithValues(cells->GetOffsetsArray(),
    [&](const auto& offsets) { CheckOffsets(offsets, connectivity->GetNumberOfValues()); });
  WithValues(connectivity, [&](const auto& ids) { CheckIds(ids, points); });
}

void CheckTypes(vtkUnstructuredGrid* grid)
{
  vtkCellArray* const cells = grid->GetCells();
  vtkUnsignedCharArray* const types = grid->GetCellTypesArray();
  const vtkIdType count = cells ? cells->GetNumberOfCells() : 0;
  if ((types ? types->GetNumberOfValues() : 0) != count)
  {
    Throw(
      "there are {} cells, and {} types of cells", count, types ? types->GetNumberOfValues() : 0);
  }
  for (vtkIdType cell = 0; cell < count; ++cell)
  {
    const auto needed = describe::PointsOfType(types->GetValue(cell));
    const auto has = static_cast<std::uint64_t>(cells->GetCellSize(cell));
    if (has == 0 || has != needed.value_or(has))
    {
      Throw(
        "the list of cells is wrong: a cell of type {} has {} points", types->GetValue(cell), has);
    }
  }
}

void CheckArrays(vtkFieldData* arrays, vtkIdType count, const char* of)
{
  for (int index = 0; index < arrays->GetNumberOfArrays(); ++index)
  {
    auto* const array = arrays->GetAbstractArray(index);
    if (array && array->GetNumberOfTuples() != count)
    {
      Throw("the array {} has {} values, and there are {} {}",
        array->GetName() ? array->GetName() : "", array->GetNumberOfTuples(), count, of);
    }
  }
}

void CheckDataSet(vtkDataSet* data)
{
  const vtkIdType points = data->GetNumberOfPoints();
  if (auto* const grid = vtkUnstructuredGrid::SafeDownCast(data))
  {
    CheckCells(grid->GetCells(), points);
    CheckTypes(grid);
  }
  if (auto* const surface = vtkPolyData::SafeDownCast(data))
  {
    for (vtkCellArray* cells :
      { surface->GetVerts(), surface->GetLines(), surface->GetPolys(), surface->GetStrips() })
    {
      CheckCells(cells, points);
    }
  }
  CheckArrays(data->GetPointData(), points, "points");
  CheckArrays(data->GetCellData(), data->GetNumberOfCells(), "cells");
}
}

void CheckSound(vtkDataObject* data)
{
  if (auto* const one = vtkDataSet::SafeDownCast(data))
  {
    CheckDataSet(one);
  }
  else if (auto* const composite = vtkCompositeDataSet::SafeDownCast(data))
  {
    auto leaves = vtk::TakeSmartPointer(composite->NewIterator());
    for (leaves->InitTraversal(); !leaves->IsDoneWithTraversal(); leaves->GoToNextItem())
    {
      if (auto* const leaf = vtkDataSet::SafeDownCast(leaves->GetCurrentDataObject()))
      {
        CheckDataSet(leaf);
      }
    }
  }
}

}
