// SPDX-License-Identifier: BSD-3-Clause
#include "VtkHdfMembers.h"

#include "Describe/Hdf5Attributes.h"
#include "Describe/Hdf5File.h"
#include "Describe/Hdf5Group.h"

#include <fmt/core.h>
#include <vtkDataAssembly.h>

#include <algorithm>
#include <optional>

namespace dsm::readers
{

namespace
{
// How many elements a dataset has along its first dimension, and bytes.
struct Size
{
  std::uint64_t Rows = 0, Bytes = 0;
};

std::optional<Size> SizeOf(hid_t file, const std::string& path)
{
  if (hdf5::WhatIs(file, path) != hdf5::Thing::Dataset)
  {
    return std::nullopt;
  }
  const hdf5::DatasetHandle dataset(H5Dopen2(file, path.c_str(), H5P_DEFAULT));
  const hdf5::SpaceHandle space(H5Dget_space(dataset));
  const hdf5::TypeHandle type(H5Dget_type(dataset));
  std::vector<hsize_t> shape(
    static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space))));
  H5Sget_simple_extent_dims(space, shape.data(), nullptr);
  const auto count =
    static_cast<std::uint64_t>(std::max<hssize_t>(0, H5Sget_simple_extent_npoints(space)));
  return Size{ shape.empty() ? 0 : shape[0], count * H5Tget_size(type) };
}

std::uint64_t BytesOf(hid_t file, const std::string& group)
{
  std::uint64_t bytes = 1;
  for (const char* folder : { "", "/PointData", "/CellData", "/Polygons", "/Lines" })
  {
    for (const std::string& name : hdf5::MembersOf(file, group + folder))
    {
      const auto size = SizeOf(file, fmt::format("{}{}/{}", group, folder, name));
      bytes += size ? size->Bytes : 0;
    }
  }
  return bytes;
}

// One number of a list; nothing without the list.
std::optional<std::uint64_t> NumberAt(hid_t file, const std::string& path, hsize_t place)
{
  const auto size = SizeOf(file, path);
  if (!size || place >= size->Rows)
  {
    return std::nullopt;
  }
  const hdf5::DatasetHandle dataset(H5Dopen2(file, path.c_str(), H5P_DEFAULT));
  const hdf5::SpaceHandle space(H5Dget_space(dataset));
  const std::vector<hsize_t> one(
    static_cast<std::size_t>(std::max(1, H5Sget_simple_extent_ndims(space))), 1);
  std::vector<hsize_t> start(one.size(), 0);
  start[0] = place;
  const hsize_t single = 1;
  const hdf5::SpaceHandle memory(H5Screate_simple(1, &single, nullptr));
  std::int64_t number = 0;
  if (H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, one.data(), nullptr) < 0 ||
    H5Dread(dataset, H5T_NATIVE_INT64, memory, space, H5P_DEFAULT, &number) < 0 || number < 0)
  {
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(number);
}

herr_t AddName(hid_t, const char* name, const H5L_info2_t*, void* names)
{
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

void FillNode(hid_t file, vtkDataAssembly* assembly, int node, const std::string& path)
{
  for (const std::string& name : OrderedNames(file, path))
  {
    const std::string child = fmt::format("{}/{}", path, name);
    if (IsLink(file, child))
    {
      assembly->AddDataSetIndex(
        node, static_cast<unsigned>(hdf5::NumberAttribute(file, child, "Index").value_or(0)));
      continue;
    }
    const std::string valid = vtkDataAssembly::IsNodeNameValid(name.c_str())
      ? name
      : vtkDataAssembly::MakeValidNodeName(name.c_str());
    FillNode(file, assembly, assembly->AddNode(valid.c_str(), node), child);
  }
}
}

std::vector<std::string> OrderedNames(hid_t file, const std::string& group)
{
  const hdf5::SilenceErrors silence;
  std::vector<std::string> names;
  H5Literate_by_name2(
    file, group.c_str(), H5_INDEX_CRT_ORDER, H5_ITER_INC, nullptr, AddName, &names, H5P_DEFAULT);
  return names;
}

bool IsLink(hid_t file, const std::string& path)
{
  const hdf5::SilenceErrors silence;
  H5L_info2_t link;
  return H5Lget_info2(file, path.c_str(), &link, H5P_DEFAULT) >= 0 && link.type == H5L_TYPE_SOFT;
}

VtkHdfMember MemberOf(hid_t file, const std::string& path, std::size_t step)
{
  const hdf5::SilenceErrors silence;
  VtkHdfMember member;
  member.Path = path;
  member.IsImage = hdf5::TextAttribute(file, path, "Type") == "ImageData";
  member.Index = static_cast<unsigned>(hdf5::NumberAttribute(file, path, "Index").value_or(0));
  member.Bytes = BytesOf(file, path);
  const auto points = SizeOf(file, path + "/NumberOfPoints");
  if (!member.IsImage && points)
  {
    const auto steps =
      std::max(1.0, hdf5::NumberAttribute(file, path + "/Steps", "NSteps").value_or(1));
    const auto counted = NumberAt(file, path + "/Steps/NumberOfParts", step);
    member.Parts = counted.value_or(points->Rows / static_cast<std::uint64_t>(steps));
  }
  return member;
}

void FillAssembly(hid_t file, vtkDataAssembly* assembly)
{
  FillNode(file, assembly, vtkDataAssembly::GetRootNode(), "/VTKHDF/Assembly");
}

}
