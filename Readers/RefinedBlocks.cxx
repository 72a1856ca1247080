// SPDX-License-Identifier: BSD-3-Clause
#include "RefinedBlocks.h"

#include "ArraySelections.h"
#include "Base/Error.h"
#include "Describe/Hdf5Attributes.h"
#include "Describe/Hdf5Group.h"
#include "Describe/Shares.h"
#include "Describe/VtkHdfLevels.h"
#include "ReadArrays.h"

#include <vtkAMRBox.h>
#include <vtkAMRInformation.h>
#include <vtkCellData.h>
#include <vtkDataArraySelection.h>
#include <vtkFieldData.h>
#include <vtkNew.h>
#include <vtkOverlappingAMR.h>
#include <vtkPointData.h>
#include <vtkStructuredData.h>
#include <vtkUniformGrid.h>
#include <vtkUnsignedCharArray.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace dsm::readers
{

namespace
{
using describe::VtkHdfLevel;

struct Counts
{
  std::uint64_t Points = 1, Cells = 1;
};

Counts CountsOf(const std::array<int, 6>& box)
{
  Counts counts;
  for (std::size_t axis = 0; axis < 3; ++axis)
  {
    const std::int64_t cells = std::int64_t(box[2 * axis + 1]) - box[2 * axis] + 1;
    counts.Points *= static_cast<std::uint64_t>(cells + 1);
    counts.Cells *= static_cast<std::uint64_t>(std::max<std::int64_t>(1, cells));
  }
  return counts;
}

// A dataset of numbers in one list, with components beside them or not.
struct List
{
  std::string Name;
  std::string Path;
  std::vector<hsize_t> Shape;
  std::uint64_t Begin = 0; ///< of the step
};

std::vector<List> ListsOf(
  hid_t file, const VtkHdfLevel& level, const std::string& kind, std::optional<std::size_t> step)
{
  std::vector<List> lists;
  const std::string folder = fmt::format("{}/{}", level.Path, kind);
  for (const std::string& name : hdf5::MembersOf(file, folder))
  {
    List list{ name, fmt::format("{}/{}", folder, name), {} };
    if (hdf5::WhatIs(file, list.Path) != hdf5::Thing::Dataset)
    {
      continue;
    }
    const hdf5::DatasetHandle dataset(H5Dopen2(file, list.Path.c_str(), H5P_DEFAULT));
    const hdf5::SpaceHandle space(H5Dget_space(dataset));
    list.Shape.resize(static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space))));
    H5Sget_simple_extent_dims(space, list.Shape.data(), nullptr);
    if (list.Shape.empty() || list.Shape.size() > 2)
    {
      throw Error(Fault::Usage, "{} must have one dimension, or two with components", list.Path);
    }
    list.Begin = describe::BeginOf(file, level, kind, name, step);
    lists.push_back(std::move(list));
  }
  return lists;
}

vtkSmartPointer<vtkDataArray> ReadRun(
  describe::SourceReader& reader, const List& list, std::uint64_t first, std::uint64_t count)
{
  if (first > list.Shape[0] || count > list.Shape[0] - first)
  {
    throw Error(Fault::Usage, "{} has {} rows, and {} from {} on are needed", list.Path,
      list.Shape[0], count, first);
  }
  describe::Array array;
  array.Name = list.Name;
  describe::Source source{ describe::Stored{ list.Path } };
  source.Dimensions.push_back({ describe::Role::Index, first, count });
  if (list.Shape.size() == 2)
  {
    source.Dimensions.push_back({ describe::Role::Component, 0, list.Shape[1] });
  }
  array.Sources.push_back(source);
  describe::Window window;
  window.Index.Count = count;
  return ReadArray(reader, array, { window });
}

// What cells of a block are refined further, for VTK to leave them out.
void MarkRefined(vtkOverlappingAMR* blocks, unsigned level, unsigned index, vtkUniformGrid* grid)
{
  vtkNew<vtkUnsignedCharArray> ghosts;
  ghosts->SetName(vtkDataSetAttributes::GhostArrayName());
  ghosts->SetNumberOfValues(grid->GetNumberOfCells());
  ghosts->Fill(0);
  const vtkAMRBox box = blocks->GetAMRBox(level, index);
  unsigned count = 0;
  const unsigned* const children =
    level + 1 < blocks->GetNumberOfLevels() ? blocks->GetChildren(level, index, count) : nullptr;
  for (unsigned child = 0; child < count; ++child)
  {
    vtkAMRBox within;
    if (!blocks->GetAMRInfo()->GetCoarsenedAMRBox(level + 1, children[child], within) ||
      !within.Intersect(box))
    {
      continue;
    }
    const int* const low = within.GetLoCorner();
    int high[3];
    within.GetValidHiCorner(high);
    for (int z = low[2]; z <= high[2]; ++z)
    {
      for (int y = low[1]; y <= high[1]; ++y)
      {
        for (int x = low[0]; x <= high[0]; ++x)
        {
          const vtkIdType cell = vtkAMRBox::GetCellLinearIndex(box, x, y, z, grid->GetDimensions());
          ghosts->SetValue(cell, vtkDataSetAttributes::REFINEDCELL);
        }
      }
    }
  }
  grid->GetCellData()->AddArray(ghosts);
}
}

void ReadRefinedBlocks(hid_t file, const BlocksAsked& asked, vtkDataArraySelection* points,
  vtkDataArraySelection* cells, vtkOverlappingAMR* blocks)
{
  const auto step = asked.HasSteps ? std::optional(asked.Step) : std::nullopt;
  const auto levels = describe::LevelsOf(file, step);
  const auto origin = hdf5::NumbersAttribute(file, "/VTKHDF", "Origin");
  if (levels.empty() || !origin || origin->size() != 3)
  {
    return;
  }
  std::vector<int> counts;
  std::vector<describe::Load> loads;
  for (std::size_t level = 0; level < levels.size(); ++level)
  {
    if (level > 0)
    {
      describe::CheckNested(levels[level - 1], levels[level]);
    }
    counts.push_back(static_cast<int>(levels[level].Boxes.size()));
    for (const auto& box : levels[level].Boxes)
    {
      loads.push_back({ 1, std::max<std::uint64_t>(1, CountsOf(box).Cells) });
    }
  }
  blocks->Initialize(static_cast<int>(levels.size()), counts.data());
  blocks->SetOrigin(origin->data());
  blocks->SetGridDescription(VTK_XYZ_GRID);
  for (unsigned level = 0; level < levels.size(); ++level)
  {
    blocks->SetSpacing(level, levels[level].Spacing.data());
    for (unsigned index = 0; index < levels[level].Boxes.size(); ++index)
    {
      blocks->SetAMRBox(level, index, vtkAMRBox(levels[level].Boxes[index].data()));
    }
  }
  blocks->GenerateParentChildInformation();

  describe::SourceReader reader(file);
  const DisabledArrays pointsOff(points), cellsOff(cells);
  const auto shares = describe::ShareOf(loads, asked.Piece, asked.Pieces);
  auto share = shares.begin();
  for (unsigned level = 0; level < levels.size(); ++level)
  {
    const VtkHdfLevel& what = levels[level];
    auto pointLists = ListsOf(file, what, "PointData", step);
    auto cellLists = ListsOf(file, what, "CellData", step);
    const auto fieldLists = ListsOf(file, what, "FieldData", step);
    const auto isIn = [](const DisabledArrays& disabled)
    { return [&disabled](const List& list) { return disabled.Has(list.Name); }; };
    std::erase_if(pointLists, isIn(pointsOff));
    std::erase_if(cellLists, isIn(cellsOff));
    std::uint64_t point = 0, cell = 0;
    for (unsigned index = 0; index < what.Boxes.size(); ++index, ++share)
    {
      const auto& box = what.Boxes[index];
      const Counts count = CountsOf(box);
      if (share->Count > 0)
      {
        vtkNew<vtkUniformGrid> grid;
        double corner[3];
        int dimensions[3];
        for (std::size_t axis = 0; axis < 3; ++axis)
        {
          corner[axis] = (*origin)[axis] + box[2 * axis] * what.Spacing[axis];
          dimensions[axis] = box[2 * axis + 1] - box[2 * axis] + 2;
        }
        grid->SetOrigin(corner);
        grid->SetSpacing(what.Spacing.data());
        grid->SetDimensions(dimensions);
        for (const List& list : pointLists)
        {
          grid->GetPointData()->AddArray(ReadRun(reader, list, list.Begin + point, count.Points));
        }
        for (const List& list : cellLists)
        {
          grid->GetCellData()->AddArray(ReadRun(reader, list, list.Begin + cell, count.Cells));
        }
        for (const List& list : fieldLists)
        {
          // Each block has as many of them.
          const std::uint64_t each = list.Shape[0] / what.Boxes.size();
          grid->GetFieldData()->AddArray(ReadRun(reader, list, each * index, each));
        }
        MarkRefined(blocks, level, index, grid);
        blocks->SetDataSet(level, index, grid);
      }
      point += count.Points;
      cell += count.Cells;
    }
  }
}

}
