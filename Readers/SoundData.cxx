// SPDX-License-Identifier: BSD-3-Clause
#include "SoundData.h"

#include "Base/Error.h"
#include "Describe/Check.h"

#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkCompositeDataIterator.h>
#include <vtkCompositeDataSet.h>
#include <vtkDataArray.h>
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

template <typename Array>
void CheckNumbers(Array* offsets, Array* ids, vtkIdType points)
{
  const vtkIdType count = ids->GetNumberOfValues();
  vtkIdType before = 0;
  for (vtkIdType index = 0; index < offsets->GetNumberOfValues(); ++index)
  {
    const vtkIdType offset = offsets->GetValue(index);
    if (offset < before || offset > count || (index == 0 && offset != 0))
    {
      Throw("the list of cells is wrong: its offsets do not ascend from 0 to {}", count);
    }
    before = offset;
  }
  const auto* id = ids->GetPointer(0);
  for (vtkIdType index = 0; index < count; ++index)
  {
    if (id[index] < 0 || id[index] >= points)
    {
      Throw("the list of cells is wrong: a cell has point {}, and there are {} points", id[index],
        points);
    }
  }
}

void CheckCells(vtkCellArray* cells, vtkIdType points)
{
  if (!cells || cells->GetNumberOfCells() == 0)
  {
    return;
  }
  if (cells->IsStorage64Bit())
  {
    CheckNumbers(cells->GetOffsetsArray64(), cells->GetConnectivityArray64(), points);
  }
  else
  {
    CheckNumbers(cells->GetOffsetsArray32(), cells->GetConnectivityArray32(), points);
  }
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
