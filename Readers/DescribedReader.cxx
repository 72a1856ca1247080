// SPDX-License-Identifier: BSD-3-Clause
#include "DescribedReader.h"

#include "ArraySelections.h"
#include "Base/Error.h"
#include "Describe/Check.h"
#include "Describe/Hdf5File.h"
#include "Describe/Shares.h"
#include "FillPart.h"

#include <vtkCompositeDataSet.h>
#include <vtkDataArraySelection.h>
#include <vtkDataObjectTypes.h>
#include <vtkInformation.h>
#include <vtkInformationVector.h>
#include <vtkObjectFactory.h>
#include <vtkPartitionedDataSet.h>
#include <vtkPartitionedDataSetCollection.h>
#include <vtkStreamingDemandDrivenPipeline.h>

#include <algorithm>

using SDDP = vtkStreamingDemandDrivenPipeline;

namespace dsm::readers
{

using describe::Array;
using describe::Centring;
using describe::Part;

vtkStandardNewMacro(DescribedReader);

DescribedReader::DescribedReader()
{
  this->SetNumberOfInputPorts(0);
  this->SetNumberOfOutputPorts(1);
}

DescribedReader::~DescribedReader() = default;

void DescribedReader::SetFile(
  std::string name, describe::Description description, describe::Describer describer)
{
  describe::Check(description);
  this->Name = std::move(name);
  this->What = std::move(description);
  this->Describe = std::move(describer);
  this->Reader.reset();
  this->File = {};
  this->Modified();
}

bool DescribedReader::IsCollection() const
{
  const auto& parts = this->What.Parts;
  return parts.size() > 1 || (parts.size() == 1 && !parts.front().Blocks.empty());
}

std::string DescribedReader::DataClass() const
{
  return this->IsCollection() ? "vtkPartitionedDataSetCollection"
    : this->What.Empty        ? "vtkImageData"
                              : DataClassOf(this->What.Parts.front());
}

bool DescribedReader::HasExtent() const
{
  return !this->IsCollection() &&
    (this->What.Empty || describe::IsStructured(this->What.Parts.front().On));
}

void DescribedReader::Open()
{
  if (!this->Reader)
  {
    this->File = hdf5::OpenFile(this->Name);
    this->Reader = std::make_unique<describe::SourceReader>(this->File);
  }
}

int DescribedReader::RequestDataObject(
  vtkInformation*, vtkInformationVector**, vtkInformationVector* outputVector)
{
  const std::string wanted = this->DataClass();
  auto* info = outputVector->GetInformationObject(0);
  auto* output = info->Get(vtkDataObject::DATA_OBJECT());
  if (!output || wanted != output->GetClassName())
  {
    info->Set(vtkDataObject::DATA_OBJECT(),
      vtk::TakeSmartPointer(vtkDataObjectTypes::NewDataObject(wanted.c_str())));
  }
  return 1;
}

int DescribedReader::RequestInformation(
  vtkInformation*, vtkInformationVector**, vtkInformationVector* outputVector)
{
  auto* info = outputVector->GetInformationObject(0);
  if (this->HasExtent())
  {
    const Part none{ {}, describe::Uniform{ { 0, 0, 0 } } };
    const Part& first = this->What.Empty ? none : this->What.Parts.front();
    info->Set(SDDP::WHOLE_EXTENT(), describe::WholeExtentOf(first).data(), 6);
    info->Set(CAN_PRODUCE_SUB_EXTENT(), 1);
    if (const auto* uniform = std::get_if<describe::Uniform>(&first.On))
    {
      info->Set(vtkDataObject::ORIGIN(), uniform->Origin.data(), 3);
      info->Set(vtkDataObject::SPACING(), uniform->Spacing.data(), 3);
    }
  }
  else
  {
    info->Set(CAN_HANDLE_PIECE_REQUEST(), 1);
  }
  if (this->What.Times.size() > 1)
  {
    const double range[2] = { this->What.Times.front(), this->What.Times.back() };
    info->Set(
      SDDP::TIME_STEPS(), this->What.Times.data(), static_cast<int>(this->What.Times.size()));
    info->Set(SDDP::TIME_RANGE(), range, 2);
  }
  // Arrays that are known already stay enabled or disabled.
  std::vector<std::string> points, cells;
  for (const Part& part : this->What.Parts)
  {
    for (const Array& array : part.Arrays)
    {
      if (array.On != Centring::Field)
      {
        (array.On == Centring::Cell ? cells : points).push_back(array.Name);
      }
    }
  }
  AddArrays(points, this->PointArrays);
  AddArrays(cells, this->CellArrays);
  return 1;
}

void DescribedReader::ChooseStep(vtkInformation* info)
{
  const auto& times = this->What.Times;
  if (times.size() < 2 || !info->Has(SDDP::UPDATE_TIME_STEP()))
  {
    return;
  }
  const auto found =
    std::find(times.begin(), times.end(), info->Get(SDDP::UPDATE_TIME_STEP())) - times.begin();
  const auto step = static_cast<std::size_t>(found);
  if (step < times.size() && step != this->What.Step)
  {
    auto other = this->Describe(this->File, step);
    describe::Check(other);
    this->What = std::move(other);
  }
}

void DescribedReader::Fill(vtkInformation* info)
{
  auto* output = info->Get(vtkDataObject::DATA_OBJECT());
  if (this->DataClass() != output->GetClassName())
  {
    throw Error(Fault::Usage, "step {} of the file is another kind of data than the ones before",
      this->What.Step);
  }
  // Of another step, there may be arrays that nobody could choose.
  const DisabledArrays points(this->PointArrays), cells(this->CellArrays);
  const ArrayWanted wanted = [&](const Array& array)
  { return !(array.On == Centring::Cell ? cells : points).Has(array.Name); };
  const auto& parts = this->What.Parts;
  if (this->What.Empty)
  {
    output->Initialize();
    return;
  }
  if (this->HasExtent())
  {
    std::array<int, 6> extent{};
    info->Get(SDDP::UPDATE_EXTENT(), extent.data());
    output->ShallowCopy(FillExtent(*this->Reader, parts.front(), extent, wanted));
    return;
  }
  std::vector<describe::Load> loads;
  loads.reserve(parts.size());
  std::transform(parts.begin(), parts.end(), std::back_inserter(loads), describe::LoadOf);
  const auto shares = describe::ShareOf(loads,
    static_cast<std::uint64_t>(std::max(0, info->Get(SDDP::UPDATE_PIECE_NUMBER()))),
    static_cast<std::uint64_t>(std::max(1, info->Get(SDDP::UPDATE_NUMBER_OF_PIECES()))));
  if (!this->IsCollection())
  {
    output->ShallowCopy(FillOne(*this->Reader, parts.front(), shares.front(), wanted));
    return;
  }
  auto* collection = vtkPartitionedDataSetCollection::SafeDownCast(output);
  collection->SetNumberOfPartitionedDataSets(static_cast<unsigned>(parts.size()));
  for (unsigned index = 0; index < parts.size(); ++index)
  {
    vtkNew<vtkPartitionedDataSet> pieces;
    for (const auto& filled : FillUnits(*this->Reader, parts[index], shares[index], wanted))
    {
      pieces->SetPartition(pieces->GetNumberOfPartitions(), filled);
    }
    collection->SetPartitionedDataSet(index, pieces);
    collection->GetMetaData(index)->Set(vtkCompositeDataSet::NAME(), parts[index].Name);
  }
}

int DescribedReader::RequestData(
  vtkInformation*, vtkInformationVector**, vtkInformationVector* outputVector)
{
  try
  {
    const hdf5::SilenceErrors silence;
    auto* info = outputVector->GetInformationObject(0);
    this->Open();
    this->ChooseStep(info);
    this->Fill(info);
    return 1;
  }
  catch (const std::exception& error)
  {
    vtkErrorMacro(<< error.what());
    return 0;
  }
}

}
