// SPDX-License-Identifier: BSD-3-Clause
#include "ArraySampler.h"

#include "ArrayElements.h"
#include "Base/Error.h"
#include "Mpi/Agreement.h"
#include "Mpi/Communicator.h"

#include <vtkCellCenters.h>
#include <vtkDataArray.h>
#include <vtkDataSet.h>
#include <vtkDataSetAttributes.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkPResampleToImage.h>
#include <vtkPResampleWithDataSet.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkStructuredGrid.h>
#include <vtkTable.h>

#include <algorithm>
#include <iterator>
#include <utility>

using dsm::Error;
using dsm::Fault;

namespace
{
using Plan = ArraySampler::Plan;
using Sizes = std::vector<std::uint64_t>;
using Sizes3 = std::array<std::uint64_t, 3>;

Sizes WithoutOnes(const Sizes& sizes)
{
  Sizes kept;
  std::ranges::copy_if(
    sizes, std::back_inserter(kept), [](std::uint64_t size) { return size != 1; });
  return kept;
}

// Tells whether a grid of these sizes along x, y and z has that shape. The last size of a shape is
// the one along x.
bool Fits(const Sizes3& sizes, const Sizes& shape)
{
  return WithoutOnes({ sizes.rbegin(), sizes.rend() }) == WithoutOnes(shape);
}

std::uint64_t Product(const Sizes& sizes)
{
  std::uint64_t product = 1;
  for (const std::uint64_t size : sizes)
  {
    product *= size;
  }
  return product;
}

// Returns places for an array of that shape that are spread evenly over bounds. The sizes go, the
// last one first, to the axes along which the bounds are not flat. Along the other axes there is
// one place, in the middle.
Plan OverBounds(const std::vector<double>& bounds, const Sizes& shape)
{
  const Sizes sizes = WithoutOnes(shape);
  std::vector<std::size_t> axes;
  for (const bool flat : { false, true })
  {
    for (std::size_t axis = 0; axis < 3; ++axis)
    {
      if ((bounds[2 * axis + 1] <= bounds[2 * axis]) == flat)
      {
        axes.push_back(axis);
      }
    }
  }
  if (sizes.size() > axes.size())
  {
    throw Error(Fault::Refused,
      "an array with {} indices cannot be resampled: the source's grid must have its sizes",
      sizes.size());
  }
  // x before y before z.
  axes.resize(sizes.size());
  std::ranges::sort(axes);
  Plan plan;
  plan.How = "bounds";
  for (std::size_t axis = 0; axis < 3; ++axis)
  {
    const auto found = std::ranges::find(axes, axis);
    const auto size = found == axes.end()
      ? 1
      : static_cast<std::int64_t>(
          sizes[sizes.size() - 1 - static_cast<std::size_t>(found - axes.begin())]);
    const double middle = (bounds[2 * axis] + bounds[2 * axis + 1]) / 2;
    plan.Whole[2 * axis] = 0;
    plan.Whole[2 * axis + 1] = size - 1;
    plan.Bounds[2 * axis] = size == 1 ? middle : bounds[2 * axis];
    plan.Bounds[2 * axis + 1] = size == 1 ? middle : bounds[2 * axis + 1];
  }
  return plan;
}

// Returns the bounds of the centres of an even grid's cells.
std::array<double, 6> Centres(const std::vector<double>& bounds, const Sizes3& cells)
{
  std::array<double, 6> centres{};
  for (std::size_t axis = 0; axis < 3; ++axis)
  {
    const double half =
      (bounds[2 * axis + 1] - bounds[2 * axis]) / static_cast<double>(cells[axis]) / 2;
    centres[2 * axis] = bounds[2 * axis] + half;
    centres[2 * axis + 1] = bounds[2 * axis + 1] - half;
  }
  return centres;
}
}

vtkDataArray* ArraySampler::Source::Find(vtkDataObject* leaf) const
{
  auto* attributes = leaf->GetAttributes(
    vtkTable::SafeDownCast(leaf) ? static_cast<int>(vtkDataObject::ROW) : this->Association);
  return attributes ? attributes->GetArray(this->Name.c_str()) : nullptr;
}

ArraySampler::ArraySampler(
  const dsm::Communicator& ranks, dsm::ArrayShape shape, Source source, bool coverage)
  : Ranks(ranks)
  , Shape(std::move(shape))
  , From(std::move(source))
  , Coverage(coverage)
{
}

ArrayPart ArraySampler::Take(vtkDataObject* data, vtkDataObject* grid, Plan& plan) const
{
  const auto leaves = Leaves(data);
  const GridLayout mine = LayoutOf(leaves);
  const GridLayout all = LayoutOfAll(this->Ranks, mine);
  if (all.Holders == 0)
  {
    throw Error(Fault::Refused, "the source has no data");
  }
  const std::uint64_t components = this->Coverage ? 1 : this->FindComponents(leaves);
  if (!this->Coverage && this->AsItIs(leaves, all, components, plan))
  {
    return this->JoinAsItIs(leaves, mine, plan);
  }
  if (components > 1)
  {
    throw Error(Fault::Refused,
      "the array \"{}\" has {} components, and cannot be resampled: take one of them first (the "
      "filter Calculator)",
      this->From.Name, components);
  }
  const auto places = Leaves(grid ? grid : data);
  const GridLayout placesMine = LayoutOf(places);
  plan = this->Places(LayoutOfAll(this->Ranks, placesMine));
  return plan.IsEven ? this->OnEvenGrid(data, plan)
                     : this->AtPlaces(data, places, placesMine, plan);
}

std::uint64_t ArraySampler::FindComponents(const DataObjects& leaves) const
{
  std::uint64_t most = 0;
  std::uint64_t least = UINT64_MAX;
  for (const auto& leaf : leaves)
  {
    if (const auto* array = this->From.Find(leaf))
    {
      const auto components = static_cast<std::uint64_t>(array->GetNumberOfComponents());
      most = std::max(most, components);
      least = std::min(least, components);
    }
  }
  const std::uint64_t mostOfAll = this->Ranks.Max(most);
  const std::uint64_t leastOfAll = UINT64_MAX - this->Ranks.Max(UINT64_MAX - least);
  if (mostOfAll == 0)
  {
    throw Error(
      Fault::Refused, "the source has no array of numbers called \"{}\"", this->From.Name);
  }
  if (mostOfAll != leastOfAll)
  {
    throw Error(Fault::Refused,
      "the array \"{}\" has {} components in one part of the source and {} in another",
      this->From.Name, leastOfAll, mostOfAll);
  }
  return mostOfAll;
}

// Tells whether the values can be taken as they are, and how.
bool ArraySampler::AsItIs(
  const DataObjects& leaves, const GridLayout& all, std::uint64_t components, Plan& plan) const
{
  Sizes shape = this->Shape.Sizes;
  if (components > 1)
  {
    if (shape.empty() || shape.back() != components)
    {
      return false;
    }
    shape.pop_back();
  }
  plan.Components = components;
  const bool ofPoints = this->From.Association == vtkDataObject::POINT;
  if (all.InRows())
  {
    plan.Whole = ofPoints ? all.PointBlock() : CellBlock(all.PointBlock());
    plan.How = ofPoints ? "points" : "cells";
    return Fits(SizesOf(plan.Whole), shape);
  }
  std::uint64_t tuples = 0;
  for (const auto& leaf : leaves)
  {
    const auto* array = this->From.Find(leaf);
    tuples += array ? static_cast<std::uint64_t>(array->GetNumberOfTuples()) : 0;
  }
  tuples = this->Ranks.Sum(tuples);
  plan.Whole = { 0, static_cast<std::int64_t>(tuples) - 1, 0, 0, 0, 0 };
  plan.How = "order";
  if (tuples != Product(shape))
  {
    return false;
  }
  if (all.Holders > 1)
  {
    throw Error(Fault::Refused,
      "the values of \"{}\" are spread over {} processes, in an order that is not the "
      "simulation's: use a source in rows, such as an image",
      this->From.Name, all.Holders);
  }
  return true;
}

ArrayPart ArraySampler::JoinAsItIs(
  const DataObjects& leaves, const GridLayout& mine, const Plan& plan) const
{
  ArrayPart part;
  dsm::Agree(this->Ranks,
    [&]
    {
      for (const auto& leaf : leaves)
      {
        if (auto* array = this->From.Find(leaf))
        {
          const auto elements = ElementsOf(*array, this->Shape.Element);
          part.Elements.insert(part.Elements.end(), elements.begin(), elements.end());
        }
      }
      if (part.Elements.empty())
      {
        return;
      }
      part.Block = plan.How == "order" ? plan.Whole
        : plan.How == "points"         ? mine.PointBlock()
                                       : CellBlock(mine.PointBlock());
      part.Known.assign(part.Points(), 1);
      const auto bytes = part.Points() * plan.Components * this->Shape.ElementBytes();
      if (part.Elements.size() != bytes)
      {
        throw Error(Fault::Refused, "the array \"{}\" has {} bytes for {} places of the source",
          this->From.Name, part.Elements.size(), part.Points());
      }
    });
  return Join(this->Ranks, part, plan.Whole, plan.Components * this->Shape.ElementBytes(),
    Overlap::MustAgree);
}

ArraySampler::Plan ArraySampler::Places(const GridLayout& grid) const
{
  if (grid.Bounds.empty())
  {
    throw Error(Fault::Refused, "the data that gives the places has no points");
  }
  if (grid.InRows())
  {
    for (const bool ofPoints : { true, false })
    {
      Plan plan;
      plan.Whole = ofPoints ? grid.PointBlock() : CellBlock(grid.PointBlock());
      plan.How = ofPoints ? "grid points" : "grid cells";
      plan.IsEven = grid.GetKind() == GridLayout::Kind::Image;
      const auto sizes = SizesOf(plan.Whole);
      if (Fits(sizes, this->Shape.Sizes))
      {
        std::ranges::copy(grid.Bounds, plan.Bounds.begin());
        plan.Bounds = ofPoints ? plan.Bounds : Centres(grid.Bounds, sizes);
        return plan;
      }
    }
  }
  return OverBounds(grid.Bounds, this->Shape.Sizes);
}

// Returns the resampled values of the points of a block, in its order.
ArrayPart ArraySampler::PartOf(vtkDataSet* sampled, const GridBlock& block) const
{
  ArrayPart part;
  part.Block = block;
  const std::uint64_t points = part.Points();
  part.Known.assign(points, 0);
  auto* valid = sampled->GetPointData()->GetArray("vtkValidPointMask");
  auto* values = sampled->GetPointData()->GetArray(this->From.Name.c_str());
  if (points > 0 && valid && static_cast<std::uint64_t>(valid->GetNumberOfTuples()) == points)
  {
    for (std::uint64_t index = 0; index < points; ++index)
    {
      part.Known[index] = valid->GetTuple1(static_cast<vtkIdType>(index)) != 0 ? 1 : 0;
    }
  }
  if (this->Coverage)
  {
    const auto one = ElementOf(1, this->Shape.Element);
    for (std::uint64_t index = 0; index < points; ++index)
    {
      part.Elements.insert(part.Elements.end(), one.begin(), one.end());
    }
  }
  else if (values && static_cast<std::uint64_t>(values->GetNumberOfTuples()) == points)
  {
    // A value without data need not fit.
    for (std::uint64_t index = 0; index < points; ++index)
    {
      if (!part.Known[index])
      {
        values->SetTuple1(static_cast<vtkIdType>(index), 0);
      }
    }
    part.Elements = ElementsOf(*values, this->Shape.Element);
  }
  else
  {
    part.Known.assign(points, 0);
    part.Elements.resize(points * this->Shape.ElementBytes());
  }
  return part;
}

ArrayPart ArraySampler::OnEvenGrid(vtkDataObject* data, const Plan& plan) const
{
  vtkNew<vtkPResampleToImage> filter;
  filter->SetInputDataObject(data);
  filter->SetUseInputBounds(false);
  const auto sizes = SizesOf(plan.Whole);
  filter->SetSamplingDimensions(
    static_cast<int>(sizes[0]), static_cast<int>(sizes[1]), static_cast<int>(sizes[2]));
  auto bounds = plan.Bounds;
  filter->SetSamplingBounds(bounds.data());
  filter->UpdatePiece(this->Ranks.Rank(), this->Ranks.Size(), 0);
  GridBlock whole;
  for (std::size_t axis = 0; axis < 3; ++axis)
  {
    whole[2 * axis] = 0;
    whole[2 * axis + 1] = static_cast<std::int64_t>(sizes[axis]) - 1;
  }
  ArrayPart part;
  dsm::Agree(this->Ranks,
    [&]
    {
      auto* image = vtkImageData::SafeDownCast(filter->GetOutputDataObject(0));
      GridBlock block = { 0, -1, 0, -1, 0, -1 };
      if (image && image->GetNumberOfPoints() > 0)
      {
        std::copy_n(image->GetExtent(), block.size(), block.begin());
        part = this->PartOf(image, block);
      }
    });
  return Join(this->Ranks, part, whole, this->Shape.ElementBytes(), Overlap::FirstCounts);
}

ArrayPart ArraySampler::AtPlaces(
  vtkDataObject* data, const DataObjects& places, const GridLayout& mine, const Plan& plan) const
{
  // In rows: the filter crashes on points that no cell has.
  vtkNew<vtkStructuredGrid> line;
  vtkNew<vtkPoints> points;
  points->SetDataTypeToDouble();
  line->SetPoints(points);
  GridBlock block = { 0, -1, 0, -1, 0, -1 };
  if (!places.empty())
  {
    auto* grid = vtkDataSet::SafeDownCast(places.front());
    block = plan.How == "grid points" ? mine.PointBlock() : CellBlock(mine.PointBlock());
    if (plan.How == "grid points")
    {
      points->SetNumberOfPoints(grid->GetNumberOfPoints());
      for (vtkIdType index = 0; index < grid->GetNumberOfPoints(); ++index)
      {
        points->SetPoint(index, grid->GetPoint(index));
      }
    }
    else
    {
      vtkNew<vtkCellCenters> centres;
      centres->SetInputData(grid);
      centres->SetVertexCells(false);
      centres->Update();
      line->SetPoints(centres->GetOutput()->GetPoints());
    }
    line->SetDimensions(static_cast<int>(line->GetNumberOfPoints()), 1, 1);
  }
  vtkNew<vtkPResampleWithDataSet> filter;
  filter->SetInputDataObject(line);
  filter->SetSourceData(data);
  filter->Update();
  ArrayPart part;
  dsm::Agree(this->Ranks,
    [&]
    {
      auto* sampled = vtkDataSet::SafeDownCast(filter->GetOutputDataObject(0));
      if (sampled && !places.empty())
      {
        part = this->PartOf(sampled, block);
      }
    });
  return Join(this->Ranks, part, plan.Whole, this->Shape.ElementBytes(), Overlap::FirstCounts);
}
