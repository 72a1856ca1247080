// SPDX-License-Identifier: BSD-3-Clause
#include "Hdf5File.h"

#include "Base/Error.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace dsm::hdf5
{

namespace
{
std::optional<double> NumberAttribute(hid_t file, const char* object, const char* name)
{
  if (H5Aexists_by_name(file, object, name, H5P_DEFAULT) <= 0)
  {
    return std::nullopt;
  }
  const vtkHDF::ScopedH5AHandle attribute(
    H5Aopen_by_name(file, object, name, H5P_DEFAULT, H5P_DEFAULT));
  const vtkHDF::ScopedH5SHandle space(H5Aget_space(attribute));
  const vtkHDF::ScopedH5THandle type(H5Aget_type(attribute));
  const H5T_class_t kind = H5Tget_class(type);
  double value = 0;
  if ((kind != H5T_FLOAT && kind != H5T_INTEGER) || H5Sget_simple_extent_npoints(space) != 1 ||
    H5Aread(attribute, H5T_NATIVE_DOUBLE, &value) < 0)
  {
    return std::nullopt;
  }
  return value;
}

std::optional<GridDataset> AsGrid(hid_t file, const char* path)
{
  const vtkHDF::ScopedH5DHandle dataset(H5Dopen2(file, path, H5P_DEFAULT));
  const vtkHDF::ScopedH5THandle type(H5Dget_type(dataset));
  const H5T_class_t kind = H5Tget_class(type);
  if (kind != H5T_FLOAT && kind != H5T_INTEGER && kind != H5T_ENUM)
  {
    return std::nullopt;
  }
  const vtkHDF::ScopedH5SHandle space(H5Dget_space(dataset));
  const int rank = H5Sget_simple_extent_ndims(space);
  if (rank < 1 || rank > 3)
  {
    return std::nullopt;
  }
  GridDataset grid;
  grid.Path = path;
  grid.Shape.resize(static_cast<std::size_t>(rank));
  H5Sget_simple_extent_dims(space, grid.Shape.data(), nullptr);
  return grid;
}

hsize_t Elements(const GridDataset& grid)
{
  return std::accumulate(
    grid.Shape.begin(), grid.Shape.end(), hsize_t(1), std::multiplies<hsize_t>());
}
}

Quiet::Quiet()
{
  H5Eget_auto2(H5E_DEFAULT, &this->Function, &this->Data);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Quiet::~Quiet()
{
  H5Eset_auto2(H5E_DEFAULT, this->Function, this->Data);
}

std::string LastErrorText()
{
  struct Cause
  {
    std::string Innermost, Ours;
  } cause;
  // A copy: any call of HDF5's, and there is one below, empties the current stack.
  const hid_t stack = H5Eget_current_stack();
  H5Ewalk2(
    stack, H5E_WALK_UPWARD,
    [](unsigned, const H5E_error2_t* entry, void* data) -> herr_t
    {
      auto& found = *static_cast<Cause*>(data);
      const std::string text = entry->desc ? entry->desc : "";
      char name[64] = "";
      H5Eget_class_name(entry->cls_id, name, sizeof name);
      if (found.Ours.empty() && std::string(name) == "ParaView DSM")
      {
        found.Ours = text;
      }
      if (found.Innermost.empty())
      {
        found.Innermost = text;
      }
      return 0;
    },
    &cause);
  H5Eclose_stack(stack);
  const std::string& text = cause.Ours.empty() ? cause.Innermost : cause.Ours;
  return text.empty() ? "HDF5 gave no reason" : text;
}

vtkHDF::ScopedH5FHandle OpenFile(const std::string& name)
{
  const Quiet quiet;
  const hid_t file = H5Fopen(name.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file < 0)
  {
    throw Error(Fault::System, "{} cannot be opened: {}", name, LastErrorText());
  }
  return vtkHDF::ScopedH5FHandle(file);
}

bool IsVtkHdf(hid_t file)
{
  return H5Lexists(file, "VTKHDF", H5P_DEFAULT) > 0;
}

std::optional<double> StatedTime(hid_t file)
{
  const Quiet quiet;
  for (const char* object : { "/", "/VTKHDF" })
  {
    if (object[1] != '\0' && !IsVtkHdf(file))
    {
      continue;
    }
    for (const char* name : { "time", "Time", "TimeValue" })
    {
      if (const auto value = NumberAttribute(file, object, name))
      {
        return value;
      }
    }
  }
  return std::nullopt;
}

std::vector<GridDataset> FindGrid(hid_t file)
{
  const Quiet quiet;
  struct Visit
  {
    hid_t File;
    std::vector<GridDataset> Found;
  } visit{ file, {} };
  H5Ovisit3(
    file, H5_INDEX_NAME, H5_ITER_NATIVE,
    [](hid_t, const char* name, const H5O_info2_t* info, void* data) -> herr_t
    {
      auto& all = *static_cast<Visit*>(data);
      if (info->type == H5O_TYPE_DATASET)
      {
        if (auto grid = AsGrid(all.File, ("/" + std::string(name)).c_str()))
        {
          all.Found.push_back(std::move(*grid));
        }
      }
      return 0;
    },
    &visit, H5O_INFO_BASIC);

  auto& found = visit.Found;
  const auto largest = std::max_element(found.begin(), found.end(),
    [](const auto& a, const auto& b) { return Elements(a) < Elements(b); });
  if (largest == found.end() || Elements(*largest) == 0)
  {
    return {};
  }
  const std::vector<hsize_t> shape = largest->Shape;
  std::erase_if(found, [&](const GridDataset& grid) { return grid.Shape != shape; });
  std::sort(
    found.begin(), found.end(), [](const auto& a, const auto& b) { return a.Path < b.Path; });
  return found;
}

}
