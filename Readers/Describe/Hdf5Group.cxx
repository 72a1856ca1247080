// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/Hdf5Group.h"

#include "Describe/Hdf5File.h"

#include <algorithm>

namespace dsm::hdf5
{

namespace
{
struct Listing
{
  std::vector<std::string> Names;
  std::size_t Most = 0;
};

herr_t AddName(hid_t, const char* name, const H5L_info2_t*, void* data) noexcept
{
  auto& listing = *static_cast<Listing*>(data);
  listing.Names.emplace_back(name);
  return listing.Names.size() < listing.Most ? 0 : 1;
}
}

Thing WhatIs(hid_t file, const std::string& path)
{
  const SilenceErrors silence;
  H5O_info2_t info;
  if (H5Oget_info_by_name3(file, path.c_str(), &info, H5O_INFO_BASIC, H5P_DEFAULT) < 0)
  {
    return Thing::Nothing;
  }
  return info.type == H5O_TYPE_GROUP ? Thing::Group
    : info.type == H5O_TYPE_DATASET  ? Thing::Dataset
                                     : Thing::Nothing;
}

std::vector<std::string> MembersOf(hid_t file, const std::string& path, std::size_t most)
{
  const SilenceErrors silence;
  Listing listing{ {}, most };
  const GroupHandle group(H5Gopen2(file, path.c_str(), H5P_DEFAULT));
  if (group >= 0 && most > 0)
  {
    // HDF5 1.14 crashes where it is to sort the names of a broken group.
    H5Literate2(group, H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, AddName, &listing);
    std::sort(listing.Names.begin(), listing.Names.end());
  }
  return std::move(listing.Names);
}

}
