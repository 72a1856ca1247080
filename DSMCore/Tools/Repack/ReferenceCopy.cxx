// SPDX-License-Identifier: BSD-3-Clause
#include "Tools/Repack/ReferenceCopy.h"

#include "Tools/Hdf5Objects.h"

#include <algorithm>
#include <cstring>

namespace dsm::repack
{

namespace
{
constexpr const char* Making = "make a reference";
}

bool ReferenceCopy::AreIn(hid_t type)
{
  switch (H5Tget_class(type))
  {
    case H5T_REFERENCE:
      return true;
    case H5T_ARRAY:
    case H5T_VLEN:
      return AreIn(Hdf5Object(H5Tget_super(type), H5Tclose));
    case H5T_COMPOUND:
      for (int member = 0; member < H5Tget_nmembers(type); ++member)
      {
        if (AreIn(Hdf5Object(H5Tget_member_type(type, static_cast<unsigned>(member)), H5Tclose)))
        {
          return true;
        }
      }
      return false;
    default:
      return false;
  }
}

void ReferenceCopy::Change(hid_t type, std::byte* values, std::size_t count) const
{
  if (!AreIn(type))
  {
    return;
  }
  const std::size_t size = H5Tget_size(type);
  for (std::size_t i = 0; i < count; ++i)
  {
    this->ChangeOne(type, values + i * size);
  }
}

void ReferenceCopy::ChangeOne(hid_t type, std::byte* value) const
{
  switch (H5Tget_class(type))
  {
    case H5T_REFERENCE:
      this->ChangeReference(type, value);
      break;
    case H5T_ARRAY:
    {
      const Hdf5Object element(H5Tget_super(type), H5Tclose);
      this->Change(element, value, H5Tget_size(type) / H5Tget_size(element));
      break;
    }
    case H5T_VLEN:
    {
      const Hdf5Object element(H5Tget_super(type), H5Tclose);
      hvl_t list = {};
      std::memcpy(&list, value, sizeof list);
      this->Change(element, static_cast<std::byte*>(list.p), list.len);
      break;
    }
    case H5T_COMPOUND:
      for (int member = 0; member < H5Tget_nmembers(type); ++member)
      {
        const auto number = static_cast<unsigned>(member);
        const Hdf5Object its(H5Tget_member_type(type, number), H5Tclose);
        this->Change(its, value + H5Tget_member_offset(type, number), 1);
      }
      break;
    default:
      break;
  }
}

void ReferenceCopy::ChangeReference(hid_t type, std::byte* value) const
{
  if (H5Tequal(type, H5T_STD_REF) > 0)
  {
    H5R_ref_t reference = {};
    std::memcpy(&reference, value, sizeof reference);
    this->ChangeNew(reference);
    std::memcpy(value, &reference, sizeof reference);
    return;
  }
  // As HDF5 had them before 1.12: of an object, or of a region of a dataset.
  const bool isRegion = H5Tequal(type, H5T_STD_REF_DSETREG) > 0;
  const H5R_type_t kind = isRegion ? H5R_DATASET_REGION : H5R_OBJECT;
  const std::size_t size = isRegion ? sizeof(hdset_reg_ref_t) : sizeof(hobj_ref_t);
  if (std::all_of(value, value + size, [](std::byte one) { return one == std::byte{ 0 }; }))
  {
    return;
  }
  const Hdf5Object object(H5Rdereference2(this->From, H5P_DEFAULT, kind, value), H5Oclose);
  const std::string* path = object < 0 ? nullptr : this->PathOf(object);
  const Hdf5Object region(
    isRegion && path ? H5Rget_region(this->From, kind, value) : H5I_INVALID_HID, H5Sclose);
  std::fill(value, value + size, std::byte{ 0 });
  if (path)
  {
    CheckedHdf5(H5Rcreate(value, this->To, path->c_str(), kind, region), Making);
  }
}

void ReferenceCopy::ChangeNew(H5R_ref_t& reference) const
{
  H5R_ref_t made = {};
  const H5R_type_t kind = H5Rget_type(&reference);
  const Hdf5Object object(
    kind == H5R_BADTYPE ? H5I_INVALID_HID : H5Ropen_object(&reference, H5P_DEFAULT, H5P_DEFAULT),
    H5Oclose);
  if (const std::string* path = object < 0 ? nullptr : this->PathOf(object))
  {
    if (kind == H5R_DATASET_REGION2)
    {
      const Hdf5Object region(
        CheckedHdf5(H5Ropen_region(&reference, H5P_DEFAULT, H5P_DEFAULT), Making), H5Sclose);
      CheckedHdf5(H5Rcreate_region(this->To, path->c_str(), region, H5P_DEFAULT, &made), Making);
    }
    else if (kind == H5R_ATTR)
    {
      const ssize_t length = H5Rget_attr_name(&reference, nullptr, 0);
      std::string name(static_cast<std::size_t>(std::max<ssize_t>(length, 0)), '\0');
      H5Rget_attr_name(&reference, name.data(), name.size() + 1);
      CheckedHdf5(
        H5Rcreate_attr(this->To, path->c_str(), name.c_str(), H5P_DEFAULT, &made), Making);
    }
    else
    {
      CheckedHdf5(H5Rcreate_object(this->To, path->c_str(), H5P_DEFAULT, &made), Making);
    }
  }
  if (kind != H5R_BADTYPE)
  {
    H5Rdestroy(&reference);
  }
  reference = made;
}

const std::string* ReferenceCopy::PathOf(hid_t object) const
{
  const auto found = this->Paths.find(InfoOf(object).Key);
  return found == this->Paths.end() ? nullptr : &found->second;
}

}
