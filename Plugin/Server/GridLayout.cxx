// SPDX-License-Identifier: BSD-3-Clause
#include "GridLayout.h"

#include "Encoding/Encoding.h"
#include "Mpi/Agreement.h"
#include "Mpi/Communicator.h"

#include <vtkBoundingBox.h>
#include <vtkCompositeDataSet.h>
#include <vtkCompositeDataSetRange.h>
#include <vtkDataSet.h>
#include <vtkImageData.h>
#include <vtkMatrix3x3.h>
#include <vtkRectilinearGrid.h>
#include <vtkStructuredGrid.h>
#include <vtkTable.h>

void Describe(dsm::Fields& fields, GridLayout& layout)
{
  fields("What", layout.What);
  fields("Block", layout.Block);
  fields("Bounds", layout.Bounds);
}

GridBlock CellBlock(GridBlock points)
{
  for (std::size_t axis = 0; axis < 3; ++axis)
  {
    points[2 * axis + 1] = std::max(points[2 * axis], points[2 * axis + 1] - 1);
  }
  return points;
}

std::vector<vtkSmartPointer<vtkDataObject>> Leaves(vtkDataObject* data)
{
  std::vector<vtkSmartPointer<vtkDataObject>> leaves;
  const auto add = [&](vtkDataObject* leaf)
  {
    auto* dataSet = vtkDataSet::SafeDownCast(leaf);
    auto* table = vtkTable::SafeDownCast(leaf);
    if ((dataSet && dataSet->GetNumberOfPoints() > 0) || (table && table->GetNumberOfRows() > 0))
    {
      leaves.emplace_back(leaf);
    }
  };
  if (auto* composite = vtkCompositeDataSet::SafeDownCast(data))
  {
    for (vtkDataObject* leaf : vtk::Range(composite))
    {
      add(leaf);
    }
  }
  else
  {
    add(data);
  }
  return leaves;
}

GridLayout LayoutOf(const std::vector<vtkSmartPointer<vtkDataObject>>& leaves)
{
  GridLayout layout;
  vtkBoundingBox box;
  for (const auto& leaf : leaves)
  {
    if (auto* dataSet = vtkDataSet::SafeDownCast(leaf))
    {
      box.AddBounds(dataSet->GetBounds());
    }
  }
  if (box.IsValid())
  {
    layout.Bounds.resize(6);
    box.GetBounds(layout.Bounds.data());
  }
  if (leaves.empty())
  {
    return layout;
  }
  GridLayout::Kind kind = GridLayout::Kind::Other;
  int extent[6] = { 0, -1, 0, -1, 0, -1 };
  if (leaves.size() == 1)
  {
    if (auto* image = vtkImageData::SafeDownCast(leaves.front()))
    {
      image->GetExtent(extent);
      kind = image->GetDirectionMatrix()->IsIdentity() ? GridLayout::Kind::Image
                                                       : GridLayout::Kind::Structured;
    }
    else if (auto* rectilinear = vtkRectilinearGrid::SafeDownCast(leaves.front()))
    {
      rectilinear->GetExtent(extent);
      kind = GridLayout::Kind::Structured;
    }
    else if (auto* structured = vtkStructuredGrid::SafeDownCast(leaves.front()))
    {
      structured->GetExtent(extent);
      kind = GridLayout::Kind::Structured;
    }
  }
  layout.What = static_cast<std::uint64_t>(kind);
  std::ranges::copy(extent, layout.Block.begin());
  return layout;
}

GridLayout LayoutOfAll(const dsm::Communicator& ranks, const GridLayout& mine)
{
  GridLayout all;
  vtkBoundingBox box;
  const GridBlock block = UnionOf(ranks, mine.PointBlock());
  all.Block.assign(block.begin(), block.end());
  for (const GridLayout& each : dsm::GatherAll(ranks, mine))
  {
    all.What = std::max(all.What, each.What);
    all.Holders += each.GetKind() == GridLayout::Kind::Empty ? 0 : 1;
    if (!each.Bounds.empty())
    {
      box.AddBounds(each.Bounds.data());
    }
  }
  if (box.IsValid())
  {
    all.Bounds.resize(6);
    box.GetBounds(all.Bounds.data());
  }
  return all;
}
