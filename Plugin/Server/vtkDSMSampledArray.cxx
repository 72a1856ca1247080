// SPDX-License-Identifier: BSD-3-Clause
#include "vtkDSMSampledArray.h"

#include "ArrayElements.h"
#include "ArrayParts.h"
#include "ArraySummary.h"
#include "Base/Error.h"
#include "Encoding/Encoding.h"
#include "HostServer.h"
#include "Mpi/Agreement.h"
#include "Mpi/Communicator.h"
#include "vtkDSMServer.h"

#include <vtkBoundingBox.h>
#include <vtkCellCenters.h>
#include <vtkCompositeDataSet.h>
#include <vtkCompositeDataSetRange.h>
#include <vtkDataArray.h>
#include <vtkDataSet.h>
#include <vtkDataSetAttributes.h>
#include <vtkImageData.h>
#include <vtkInformation.h>
#include <vtkInformationVector.h>
#include <vtkMatrix3x3.h>
#include <vtkMultiProcessController.h>
#include <vtkNew.h>
#include <vtkObjectFactory.h>
#include <vtkPResampleToImage.h>
#include <vtkPResampleWithDataSet.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkRectilinearGrid.h>
#include <vtkSmartPointer.h>
#include <vtkStreamingDemandDrivenPipeline.h>
#include <vtkStructuredGrid.h>
#include <vtkTable.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

using dsm::Error;
using dsm::Fault;

namespace
{
using Sizes = std::vector<std::uint64_t>;
using Sizes3 = std::array<std::uint64_t, 3>;

// The order matters: of several ranks' kinds the highest is that of all together.
enum class Kind : std::uint64_t
{
  Empty,
  Image,      // even, along the axes
  Structured, // in rows, but not even
  Other
};

// What a rank has of a data set; or all have together.
struct Layout
{
  std::uint64_t What = static_cast<std::uint64_t>(Kind::Empty);
  std::vector<std::int64_t> Block = { 0, -1, 0, -1, 0, -1 }; ///< of points; not of kind Other
  std::vector<double> Bounds;                                ///< empty: no points
  std::uint64_t Points = 0;
  std::uint64_t Holders = 0; ///< ranks that have any

  Kind GetKind() const { return static_cast<Kind>(this->What); }
  bool InRows() const
  {
    return this->GetKind() == Kind::Image || this->GetKind() == Kind::Structured;
  }
  GridBlock PointBlock() const
  {
    GridBlock block;
    std::ranges::copy(this->Block, block.begin());
    return block;
  }
};

void Describe(dsm::Fields& fields, Layout& layout)
{
  fields("What", layout.What);
  fields("Block", layout.Block);
  fields("Bounds", layout.Bounds);
  fields("Points", layout.Points);
}

// The cells of a grid with such points. Along an axis with one point there is one.
GridBlock CellBlock(GridBlock points)
{
  for (std::size_t axis = 0; axis < 3; ++axis)
  {
    points[2 * axis + 1] = std::max(points[2 * axis], points[2 * axis + 1] - 1);
  }
  return points;
}

Sizes WithoutOnes(const Sizes& sizes)
{
  Sizes kept;
  std::ranges::copy_if(
    sizes, std::back_inserter(kept), [](std::uint64_t size) { return size != 1; });
  return kept;
}

// Whether a grid of these sizes along x, y and z has that shape, whose last size is the one along
// x.
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

// The data sets of a data object that have points or rows, on this rank.
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

Layout LayoutOf(const std::vector<vtkSmartPointer<vtkDataObject>>& leaves)
{
  Layout layout;
  vtkBoundingBox box;
  for (const auto& leaf : leaves)
  {
    if (auto* dataSet = vtkDataSet::SafeDownCast(leaf))
    {
      box.AddBounds(dataSet->GetBounds());
      layout.Points += static_cast<std::uint64_t>(dataSet->GetNumberOfPoints());
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
  Kind kind = Kind::Other;
  int extent[6] = { 0, -1, 0, -1, 0, -1 };
  if (leaves.size() == 1)
  {
    if (auto* image = vtkImageData::SafeDownCast(leaves.front()))
    {
      image->GetExtent(extent);
      kind = image->GetDirectionMatrix()->IsIdentity() ? Kind::Image : Kind::Structured;
    }
    else if (auto* rectilinear = vtkRectilinearGrid::SafeDownCast(leaves.front()))
    {
      rectilinear->GetExtent(extent);
      kind = Kind::Structured;
    }
    else if (auto* structured = vtkStructuredGrid::SafeDownCast(leaves.front()))
    {
      structured->GetExtent(extent);
      kind = Kind::Structured;
    }
  }
  layout.What = static_cast<std::uint64_t>(kind);
  std::ranges::copy(extent, layout.Block.begin());
  return layout;
}

// Collective.
Layout LayoutOfAll(const dsm::Communicator& ranks, const Layout& mine)
{
  Layout all;
  vtkBoundingBox box;
  const GridBlock block = UnionOf(ranks, mine.PointBlock());
  all.Block.assign(block.begin(), block.end());
  for (const Layout& each : dsm::GatherAll(ranks, mine))
  {
    all.What = std::max(all.What, each.What);
    all.Points += each.Points;
    all.Holders += each.GetKind() == Kind::Empty ? 0 : 1;
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

// Where the values are in a data set.
struct Source
{
  std::string Name;
  int Association = vtkDataObject::POINT;

  // None if the data set does not have the array.
  vtkDataArray* Find(vtkDataObject* leaf) const
  {
    auto* attributes = leaf->GetAttributes(
      vtkTable::SafeDownCast(leaf) ? static_cast<int>(vtkDataObject::ROW) : this->Association);
    return attributes ? attributes->GetArray(this->Name.c_str()) : nullptr;
  }
};

// What is sampled, where and how.
struct Plan
{
  std::string How; ///< see Description in the proxy's documentation
  bool Resamples = false;
  GridBlock Whole = { 0, -1, 0, -1, 0, -1 }; ///< of all elements' places
  std::uint64_t Components = 1;
  /// Of an even grid of places, unless they are the points or cells of a grid that is not even.
  std::array<double, 6> Bounds = { 0, 0, 0, 0, 0, 0 };
  bool IsEven = true;
};

// The places of an array of that shape, spread evenly over bounds: sizes go, the last one first, to
// the axes along which there is something, and one place is in the middle of the others.
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

// As many places as the cells of an even grid, in their centres.
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

class vtkDSMSampledArray::vtkInternals
{
public:
  vtkSmartPointer<vtkDataObject> Inputs[2]; ///< of the last request
  dsm::ArrayShape Shape;
  std::vector<std::byte> Elements; ///< on rank 0; empty: none were taken
};

namespace
{
// Takes the values of one array for a declared shape. Every method is collective.
class Sampler
{
public:
  Sampler(const dsm::Communicator& ranks, dsm::ArrayShape shape, Source source, bool coverage)
    : Ranks(ranks)
    , Shape(std::move(shape))
    , From(std::move(source))
    , Coverage(coverage)
  {
  }

  // Returns on rank 0 the array; `plan` is what was done.
  JoinedArray Take(vtkDataObject* data, vtkDataObject* grid, Plan& plan)
  {
    const auto leaves = Leaves(data);
    const Layout mine = LayoutOf(leaves);
    const Layout all = LayoutOfAll(this->Ranks, mine);
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
    const Layout placesMine = LayoutOf(places);
    plan = this->Places(LayoutOfAll(this->Ranks, placesMine));
    plan.Resamples = true;
    return plan.IsEven ? this->OnEvenGrid(data, plan)
                       : this->AtPlaces(data, places, placesMine, plan);
  }

private:
  std::uint64_t FindComponents(const std::vector<vtkSmartPointer<vtkDataObject>>& leaves) const
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

  // Whether the values can be taken as they are, and how.
  bool AsItIs(const std::vector<vtkSmartPointer<vtkDataObject>>& leaves, const Layout& all,
    std::uint64_t components, Plan& plan) const
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

  JoinedArray JoinAsItIs(const std::vector<vtkSmartPointer<vtkDataObject>>& leaves,
    const Layout& mine, const Plan& plan) const
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

  Plan Places(const Layout& grid) const
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
        plan.IsEven = grid.GetKind() == Kind::Image;
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

  // The resampled values of points that are in a block, in its order.
  ArrayPart PartOf(vtkDataSet* sampled, const GridBlock& block) const
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
      // Where there is no data, there is no value that could not fit.
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

  JoinedArray OnEvenGrid(vtkDataObject* data, const Plan& plan) const
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

  JoinedArray AtPlaces(vtkDataObject* data,
    const std::vector<vtkSmartPointer<vtkDataObject>>& places, const Layout& mine,
    const Plan& plan) const
  {
    // In rows: the filter crashes on points that no cell has.
    vtkNew<vtkStructuredGrid> line;
    vtkNew<vtkPoints> points;
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

  const dsm::Communicator& Ranks;
  const dsm::ArrayShape Shape;
  const Source From;
  const bool Coverage;
};

// What the client shows.
struct Report
{
  std::string How;
  std::uint64_t Elements = 0;
  std::uint64_t Outside = 0; ///< of these, where the source has no data
  ArraySummary Values;
  std::optional<ArraySummary> Difference;
  std::string NoDifference; ///< why there is none
};

void Describe(dsm::Fields& fields, Report& report)
{
  fields("How", report.How);
  fields("Elements", report.Elements);
  fields("Outside", report.Outside);
  fields("Values", report.Values);
  fields("Difference", report.Difference);
  fields("NoDifference", report.NoDifference);
}

// Sets the elements of places without data. Returns how many there are.
std::uint64_t FillOutside(std::vector<std::byte>& elements, const std::vector<std::uint8_t>& known,
  const std::vector<std::byte>& outside)
{
  const std::uint64_t perPlace = elements.size() / std::max<std::size_t>(known.size(), 1);
  std::uint64_t count = 0;
  for (std::size_t place = 0; place < known.size(); ++place)
  {
    for (std::uint64_t offset = 0; !known[place] && offset < perPlace; offset += outside.size())
    {
      std::memcpy(elements.data() + place * perPlace + offset, outside.data(), outside.size());
      ++count;
    }
  }
  return count;
}

// The difference to the array that the simulation has.
void Compare(Report& report, const HostServer& server, const HostServer::Array& declared,
  std::vector<double> numbers)
{
  if (declared.Sent.empty())
  {
    report.NoDifference = "nothing was sent yet";
    return;
  }
  try
  {
    const auto before =
      NumbersOf(server.ReadArray(dsm::SentArray::FromText(declared.Sent)), declared.Shape.Element);
    for (std::size_t index = 0; index < numbers.size() && index < before.size(); ++index)
    {
      numbers[index] -= before[index];
    }
    report.Difference = ArraySummary::Of(numbers, declared.Shape.Sizes);
  }
  catch (const std::exception& error)
  {
    report.NoDifference = error.what();
  }
}
}

vtkStandardNewMacro(vtkDSMSampledArray);

vtkDSMSampledArray::vtkDSMSampledArray()
  : Internals(std::make_unique<vtkInternals>())
{
  this->SetNumberOfInputPorts(2);
  this->SetNumberOfOutputPorts(0);
}

vtkDSMSampledArray::~vtkDSMSampledArray() = default;

void vtkDSMSampledArray::SetServer(vtkDSMServer* server)
{
  this->Server = server;
}

int vtkDSMSampledArray::FillInputPortInformation(int port, vtkInformation* info)
{
  info->Set(vtkAlgorithm::INPUT_REQUIRED_DATA_TYPE(), "vtkDataObject");
  if (port == 1)
  {
    info->Set(vtkAlgorithm::INPUT_IS_OPTIONAL(), 1);
  }
  return 1;
}

vtkTypeBool vtkDSMSampledArray::ProcessRequest(
  vtkInformation* request, vtkInformationVector** inputs, vtkInformationVector* outputs)
{
  using Pipeline = vtkStreamingDemandDrivenPipeline;
  for (int port = 0; port < 2; ++port)
  {
    auto* input = inputs[port]->GetInformationObject(0);
    if (!input)
    {
      continue;
    }
    if (request->Has(Pipeline::REQUEST_UPDATE_EXTENT()))
    {
      auto* controller = vtkMultiProcessController::GetGlobalController();
      input->Set(Pipeline::UPDATE_PIECE_NUMBER(), controller ? controller->GetLocalProcessId() : 0);
      input->Set(
        Pipeline::UPDATE_NUMBER_OF_PIECES(), controller ? controller->GetNumberOfProcesses() : 1);
      input->Set(Pipeline::UPDATE_NUMBER_OF_GHOST_LEVELS(), 0);
      if (this->HasTime)
      {
        input->Set(Pipeline::UPDATE_TIME_STEP(), this->Time);
      }
    }
    else if (request->Has(vtkDemandDrivenPipeline::REQUEST_DATA()))
    {
      if (auto* data = input->Get(vtkDataObject::DATA_OBJECT()))
      {
        // What the source makes next is put into the same object.
        this->Internals->Inputs[port].TakeReference(data->NewInstance());
        this->Internals->Inputs[port]->ShallowCopy(data);
      }
    }
  }
  return this->Superclass::ProcessRequest(request, inputs, outputs);
}

// Converts an exception of a command, which is thrown on all ranks alike. Nothing is printed: who
// asked for it shows the reason.
void vtkDSMSampledArray::RunCommand(const std::function<void()>& work)
{
  this->CommandError.clear();
  try
  {
    if (!this->Server)
    {
      throw Error(Fault::Usage, "the array has no DSM server");
    }
    work();
  }
  catch (const std::exception& error)
  {
    this->CommandError = error.what();
  }
}

void vtkDSMSampledArray::Sample()
{
  this->Description.clear();
  this->Stored.clear();
  this->Internals->Elements.clear();
  this->RunCommand(
    [this]
    {
      auto& internals = *this->Internals;
      const HostServer& server = this->Server->Hosts();
      const auto& ranks = server.Communicator();
      const auto declared = server.FindArray(this->Program, this->Parameter);
      internals.Shape = declared.Shape;
      for (auto& input : internals.Inputs)
      {
        input = nullptr;
      }
      this->Modified();
      this->Update();
      const auto inputs = internals.Inputs;
      dsm::Agree(ranks,
        [&]
        {
          if (!inputs[0] || (this->GetNumberOfInputConnections(1) > 0 && !inputs[1]))
          {
            throw Error(Fault::Refused, "the source's data cannot be made");
          }
        });
      auto* info = this->GetInputArrayInformation(0);
      const Source source{
        info->Has(vtkDataObject::FIELD_NAME()) ? info->Get(vtkDataObject::FIELD_NAME()) : "",
        info->Get(vtkDataObject::FIELD_ASSOCIATION())
      };
      Plan plan;
      auto joined = Sampler(ranks, declared.Shape, source, this->Coverage != 0)
                      .Take(inputs[0], inputs[1], plan);
      this->Description = dsm::RunOnRankZero(ranks,
        [&]
        {
          Report report;
          report.How = plan.How;
          report.Outside = FillOutside(
            joined.Elements, joined.Known, ElementOf(this->Outside, declared.Shape.Element));
          const auto numbers = NumbersOf(joined.Elements, declared.Shape.Element);
          report.Elements = numbers.size();
          report.Values = ArraySummary::Of(numbers, declared.Shape.Sizes);
          Compare(report, server, declared, numbers);
          return dsm::ToText(report);
        });
      internals.Elements = std::move(joined.Elements);
    });
}

void vtkDSMSampledArray::Store()
{
  this->Stored.clear();
  this->RunCommand(
    [this]
    {
      const HostServer& server = this->Server->Hosts();
      dsm::RunOnRankZero(server.Communicator(),
        [this]
        {
          if (this->Internals->Elements.empty())
          {
            throw Error(Fault::Usage, "no values were taken: call Sample first");
          }
        });
      this->Stored =
        server.StoreArray(this->Parameter, this->Internals->Shape, this->Internals->Elements.data())
          .Text();
    });
}

void vtkDSMSampledArray::PrintSelf(ostream& os, vtkIndent indent)
{
  this->Superclass::PrintSelf(os, indent);
  os << indent << "Parameter: " << this->Parameter << "\n";
  os << indent << "CommandError: " << this->CommandError << "\n";
  os << indent << "Description: " << this->Description << "\n";
}
