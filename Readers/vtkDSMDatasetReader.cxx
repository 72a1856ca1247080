// SPDX-License-Identifier: BSD-3-Clause
#include "vtkDSMDatasetReader.h"

#include "Base/Error.h"
#include "Hdf5File.h"

#include <vtkDataArray.h>
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
using dsm::hdf5::GridDataset;

class vtkDSMDatasetReader::vtkInternals
{
public:
  vtkHDF::ScopedH5FHandle File;
  std::string OpenName;
  std::vector<GridDataset> Grid;

  void Open(const std::string& name)
  {
    if (this->OpenName == name && this->File >= 0)
    {
      return;
    }
    this->OpenName.clear();
    this->File = dsm::hdf5::OpenFile(name);
    this->Grid = dsm::hdf5::FindGrid(this->File);
    this->OpenName = name;
    if (this->Grid.empty())
    {
      throw Error(Fault::Unsupported,
        "{} holds neither a VTKHDF group nor a dataset of numbers with one to three dimensions: "
        "there is nothing to show",
        name);
    }
  }

  // The points of the image along x, y and z.
  std::array<int, 3> Points() const
  {
    std::array<int, 3> points{ 1, 1, 1 };
    const auto& shape = this->Grid.front().Shape;
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
// The VTK type that holds a file type's numbers without loss, or double for floats VTK has not.
int VtkType(hid_t native)
{
  const std::size_t bytes = H5Tget_size(native);
  if (H5Tget_class(native) == H5T_FLOAT)
  {
    return bytes == sizeof(float) ? VTK_FLOAT : VTK_DOUBLE;
  }
  const vtkHDF::ScopedH5THandle base(
    H5Tget_class(native) == H5T_ENUM ? H5Tget_super(native) : H5Tcopy(native));
  const bool isSigned = H5Tget_sign(base) != H5T_SGN_NONE;
  switch (bytes)
  {
    case 1:
      return isSigned ? VTK_SIGNED_CHAR : VTK_UNSIGNED_CHAR;
    case 2:
      return isSigned ? VTK_SHORT : VTK_UNSIGNED_SHORT;
    case 4:
      return isSigned ? VTK_INT : VTK_UNSIGNED_INT;
    default:
      return isSigned ? VTK_LONG_LONG : VTK_UNSIGNED_LONG_LONG;
  }
}

vtkSmartPointer<vtkDataArray> ReadPart(
  hid_t file, const GridDataset& grid, const std::array<int, 6>& extent)
{
  const vtkHDF::ScopedH5DHandle dataset(H5Dopen2(file, grid.Path.c_str(), H5P_DEFAULT));
  const vtkHDF::ScopedH5THandle type(H5Dget_type(dataset));
  const vtkHDF::ScopedH5THandle native(H5Tget_native_type(type, H5T_DIR_ASCEND));
  const vtkHDF::ScopedH5SHandle fileSpace(H5Dget_space(dataset));
  if (dataset < 0 || native < 0 || fileSpace < 0)
  {
    throw Error(
      Fault::System, "dataset {} cannot be opened: {}", grid.Path, dsm::hdf5::LastErrorText());
  }

  const std::size_t rank = grid.Shape.size();
  std::array<hsize_t, 3> start{}, count{ 1, 1, 1 };
  vtkIdType values = 1;
  for (std::size_t axis = 0; axis < rank; ++axis)
  {
    const std::size_t slot = rank - 1 - axis;
    start[slot] = static_cast<hsize_t>(extent[2 * axis]);
    count[slot] = static_cast<hsize_t>(std::max(0, extent[2 * axis + 1] - extent[2 * axis] + 1));
    values *= static_cast<vtkIdType>(count[slot]);
  }

  const int vtkType = VtkType(native);
  auto array = vtk::TakeSmartPointer(vtkDataArray::CreateDataArray(vtkType));
  array->SetNumberOfTuples(values);
  array->SetName(grid.Path.c_str() + 1);
  if (values == 0)
  {
    return array;
  }
  const hid_t memoryType = vtkType == VTK_DOUBLE ? H5T_NATIVE_DOUBLE
    : vtkType == VTK_FLOAT                       ? H5T_NATIVE_FLOAT
                                                 : static_cast<hid_t>(native);
  const vtkHDF::ScopedH5SHandle memorySpace(
    H5Screate_simple(static_cast<int>(rank), count.data(), nullptr));
  if (H5Sselect_hyperslab(fileSpace, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr) <
      0 ||
    H5Dread(dataset, memoryType, memorySpace, fileSpace, H5P_DEFAULT, array->GetVoidPointer(0)) < 0)
  {
    throw Error(
      Fault::System, "dataset {} cannot be read: {}", grid.Path, dsm::hdf5::LastErrorText());
  }
  return array;
}
}

vtkStandardNewMacro(vtkDSMDatasetReader);

vtkDSMDatasetReader::vtkDSMDatasetReader()
  : Internals(std::make_unique<vtkInternals>())
{
  this->SetNumberOfInputPorts(0);
}

vtkDSMDatasetReader::~vtkDSMDatasetReader() = default;

vtkDataArraySelection* vtkDSMDatasetReader::GetPointDataArraySelection()
{
  return this->Selection;
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
      // Keeps a choice made before.
      this->Selection->AddArray(dataset.Path.c_str() + 1);
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
    const dsm::hdf5::Quiet quiet;
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
      if (this->Selection->ArrayIsEnabled(dataset.Path.c_str() + 1))
      {
        image->GetPointData()->AddArray(ReadPart(this->Internals->File, dataset, extent));
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
  os << indent << "FileName: " << this->FileName << "\n";
}
