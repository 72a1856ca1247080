// SPDX-License-Identifier: BSD-3-Clause
#include "Hdf5Array.h"

#include "Base/Error.h"

namespace dsm::hdf5
{

namespace
{
// The VTK type of the same size, or double for floating-point types that VTK does not have.
int VtkType(hid_t native)
{
  const std::size_t bytes = H5Tget_size(native);
  if (H5Tget_class(native) == H5T_FLOAT)
  {
    return bytes == sizeof(float) ? VTK_FLOAT : VTK_DOUBLE;
  }
  const TypeHandle base(H5Tget_class(native) == H5T_ENUM ? H5Tget_super(native) : H5Tcopy(native));
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

// A filter of the dataset that is not available; empty: all are.
std::string MissingFilter(hid_t dataset)
{
  const PropertiesHandle creation(H5Dget_create_plist(dataset));
  std::string missing;
  for (int index = 0; missing.empty() && index < H5Pget_nfilters(creation); ++index)
  {
    char name[64] = "";
    std::size_t values = 0;
    unsigned flags = 0;
    const H5Z_filter_t filter = H5Pget_filter2(creation, static_cast<unsigned>(index), &flags,
      &values, nullptr, sizeof name - 1, name, nullptr);
    if (filter >= 0 && H5Zfilter_avail(filter) <= 0)
    {
      missing = *name ? std::string(name) : fmt::format("filter number {}", filter);
    }
  }
  return missing;
}
}

vtkSmartPointer<vtkDataArray> ReadBox(
  hid_t file, const Object& object, const Box& box, bool components)
{
  const SilenceErrors silence;
  const DatasetHandle dataset(H5Dopen2(file, object.Path.c_str(), H5P_DEFAULT));
  const TypeHandle type(dataset < 0 ? H5I_INVALID_HID : H5Dget_type(dataset));
  const TypeHandle native(type < 0 ? H5I_INVALID_HID : H5Tget_native_type(type, H5T_DIR_ASCEND));
  const SpaceHandle fileSpace(dataset < 0 ? H5I_INVALID_HID : H5Dget_space(dataset));
  if (dataset < 0 || native < 0 || fileSpace < 0)
  {
    throw Error(Fault::System, "dataset {} cannot be opened: {}", object.Path, LastErrorText());
  }

  const std::size_t rank = object.Shape.size();
  hsize_t values = 1;
  for (std::size_t axis = 0; axis < rank; ++axis)
  {
    values *= box.Count[axis];
  }
  const hsize_t perTuple = components && rank > 1 ? box.Count[rank - 1] : 1;

  const int vtkType = VtkType(native);
  auto array = vtk::TakeSmartPointer(vtkDataArray::CreateDataArray(vtkType));
  array->SetNumberOfComponents(static_cast<int>(perTuple));
  array->SetNumberOfTuples(perTuple == 0 ? 0 : static_cast<vtkIdType>(values / perTuple));
  array->SetName(object.Path.c_str() + 1);
  if (values == 0)
  {
    return array;
  }
  const hid_t memoryType = vtkType == VTK_DOUBLE ? H5T_NATIVE_DOUBLE
    : vtkType == VTK_FLOAT                       ? H5T_NATIVE_FLOAT
                                                 : static_cast<hid_t>(native);
  const SpaceHandle memorySpace(
    H5Screate_simple(static_cast<int>(rank), box.Count.data(), nullptr));
  if (H5Sselect_hyperslab(
        fileSpace, H5S_SELECT_SET, box.Start.data(), nullptr, box.Count.data(), nullptr) < 0 ||
    H5Dread(dataset, memoryType, memorySpace, fileSpace, H5P_DEFAULT, array->GetVoidPointer(0)) < 0)
  {
    const std::string reason = LastErrorText();
    const std::string filter = MissingFilter(dataset);
    if (!filter.empty())
    {
      throw Error(Fault::Unsupported,
        "dataset {} is compressed by {}, a filter that this HDF5 does not have: give the folder of "
        "its plugin in HDF5_PLUGIN_PATH, or let the simulation write without it",
        object.Path, filter);
    }
    throw Error(Fault::System, "dataset {} cannot be read: {}", object.Path, reason);
  }
  return array;
}

}
