// SPDX-License-Identifier: BSD-3-Clause
#include "vtkDSMDatasetReader.h"

#include "Base/Error.h"
#include "Describe/Hdf5Contents.h"
#include "Hdf5Array.h"

#include <vtkDataArraySelection.h>
#include <vtkImageData.h>
#include <vtkInformation.h>
#include <vtkInformationVector.h>
#include <vtkObjectFactory.h>
#include <vtkPointData.h>
#include <vtkStreamingDemandDrivenPipeline.h>

#include <algorithm>
#include <array>
#include <limits>

using dsm::Error;
using dsm::Fault;
using dsm::hdf5::Object;

class vtkDSMDatasetReader::vtkInternals
{
public:
  dsm::hdf5::FileHandle File;
  std::string OpenName;
  std::vector<Object> Grid;

  void Open(const std::string& name)
  {
    if (this->OpenName == name && this->File >= 0)
    {
      return;
    }
    this->OpenName.clear();
    this->File = dsm::hdf5::OpenFile(name);
    this->Grid = dsm::hdf5::FindGrid(dsm::hdf5::ListObjects(this->File));
    this->OpenName = name;
    if (this->Grid.empty())
    {
      throw Error(Fault::Unsupported,
        "{} holds no dataset of numbers with one to three dimensions that could be an image: "
        "there is nothing to show",
        name);
    }
  }

  // The points of the image along x, y and z.
  std::array<int, 3> Points() const
  {
    std::array<int, 3> points{ 1, 1, 1 };
    const auto shape = this->Grid.front().GridShape();
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
    {
      const hsize_t size = shape[shape.size() - 1 - axis];
      if (size > static_cast<hsize_t>(std::numeric_limits<int>::max()))
      {
        throw Error(Fault::Unsupported,
          "{} in {} has {} elements along one dimension, more than VTK can count",
          this->Grid.front().Path, this->OpenName, size);
      }
      points[axis] = static_cast<int>(size);
    }
    return points;
  }
};

namespace
{
dsm::hdf5::Box BoxOf(const Object& object, const std::array<int, 6>& extent)
{
  dsm::hdf5::Box box;
  const std::size_t rank = object.GridShape().size();
  if (object.Shape.size() > rank)
  {
    box.Count[rank] = object.Shape.back();
  }
  for (std::size_t axis = 0; axis < rank; ++axis)
  {
    const std::size_t slot = rank - 1 - axis;
    box.Start[slot] = static_cast<hsize_t>(extent[2 * axis]);
    box.Count[slot] =
      static_cast<hsize_t>(std::max(0, extent[2 * axis + 1] - extent[2 * axis] + 1));
  }
  return box;
}
}

vtkStandardNewMacro(vtkDSMDatasetReader);

vtkDSMDatasetReader::vtkDSMDatasetReader()
  : Internals(std::make_unique<vtkInternals>())
{
}

vtkDSMDatasetReader::~vtkDSMDatasetReader() = default;

int vtkDSMDatasetReader::FillOutputPortInformation(int, vtkInformation* info)
{
  info->Set(vtkDataObject::DATA_TYPE_NAME(), "vtkImageData");
  return 1;
}

int vtkDSMDatasetReader::RequestInformation(
  vtkInformation*, vtkInformationVector**, vtkInformationVector* outputVector)
{
  try
  {
    this->Internals->Open(this->FileName);
    const auto points = this->Internals->Points();
    const int whole[6] = { 0, points[0] - 1, 0, points[1] - 1, 0, points[2] - 1 };
    auto* info = outputVector->GetInformationObject(0);
    info->Set(vtkStreamingDemandDrivenPipeline::WHOLE_EXTENT(), whole, 6);
    info->Set(vtkDataObject::ORIGIN(), 0.0, 0.0, 0.0);
    info->Set(vtkDataObject::SPACING(), 1.0, 1.0, 1.0);
    info->Set(CAN_PRODUCE_SUB_EXTENT(), 1);
    for (const auto& dataset : this->Internals->Grid)
    {
      // If it is known already, it stays enabled or disabled.
      this->PointArrays->AddArray(dataset.Path.c_str() + 1);
    }
    return 1;
  }
  catch (const std::exception& error)
  {
    vtkErrorMacro(<< error.what());
    return 0;
  }
}

int vtkDSMDatasetReader::RequestData(
  vtkInformation*, vtkInformationVector**, vtkInformationVector* outputVector)
{
  try
  {
    const dsm::hdf5::SilenceErrors silence;
    this->Internals->Open(this->FileName);
    auto* info = outputVector->GetInformationObject(0);
    auto* image = vtkImageData::GetData(info);
    std::array<int, 6> extent{};
    info->Get(vtkStreamingDemandDrivenPipeline::UPDATE_EXTENT(), extent.data());
    image->SetOrigin(0, 0, 0);
    image->SetSpacing(1, 1, 1);
    image->SetExtent(extent.data());
    for (const auto& dataset : this->Internals->Grid)
    {
      if (this->PointArrays->ArrayIsEnabled(dataset.Path.c_str() + 1))
      {
        image->GetPointData()->AddArray(dsm::hdf5::ReadBox(this->Internals->File, dataset,
          BoxOf(dataset, extent), dataset.Shape.size() > dataset.GridShape().size()));
      }
    }
    if (image->GetPointData()->GetNumberOfArrays() > 0)
    {
      image->GetPointData()->SetActiveScalars(image->GetPointData()->GetArrayName(0));
    }
    return 1;
  }
  catch (const std::exception& error)
  {
    vtkErrorMacro(<< error.what());
    return 0;
  }
}

void vtkDSMDatasetReader::PrintSelf(ostream& os, vtkIndent indent)
{
  this->Superclass::PrintSelf(os, indent);
}
