// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/Hdf5File.h"

#include "Base/Error.h"

#include <functional>

namespace dsm::hdf5
{

namespace
{
// One string of fixed or variable length.
std::optional<std::string> ReadString(
  hid_t type, hid_t space, const std::function<herr_t(hid_t, void*)>& read)
{
  if (H5Tget_class(type) != H5T_STRING || H5Sget_simple_extent_npoints(space) != 1)
  {
    return std::nullopt;
  }
  const TypeHandle memory(H5Tcopy(type));
  if (H5Tis_variable_str(type) > 0)
  {
    char* variable = nullptr;
    if (read(memory, &variable) < 0 || !variable)
    {
      return std::nullopt;
    }
    std::string text = variable;
    H5Dvlen_reclaim(memory, space, H5P_DEFAULT, &variable);
    return text;
  }
  std::string text(H5Tget_size(type), '\0');
  if (read(memory, text.data()) < 0)
  {
    return std::nullopt;
  }
  // Padded by zeros or blanks.
  text.erase(text.find_last_not_of(std::string(" \0", 2)) + 1);
  return text;
}
}

SilenceErrors::SilenceErrors()
{
  H5Eget_auto2(H5E_DEFAULT, &this->Function, &this->Data);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

SilenceErrors::~SilenceErrors()
{
  H5Eset_auto2(H5E_DEFAULT, this->Function, this->Data);
}

std::string LastErrorText()
{
  struct Cause
  {
    std::string Innermost, Ours;
  } cause;
  // A copy, since the call of HDF5 below clears the current stack.
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

FileHandle OpenFile(const std::string& name)
{
  const SilenceErrors silence;
  const hid_t file = H5Fopen(name.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file < 0)
  {
    throw Error(Fault::System, "{} cannot be opened: {}", name, LastErrorText());
  }
  return FileHandle(file);
}

bool IsVtkHdf(hid_t file)
{
  H5O_info2_t info;
  const SilenceErrors silence;
  return H5Lexists(file, "VTKHDF", H5P_DEFAULT) > 0 &&
    H5Oget_info_by_name3(file, "VTKHDF", &info, H5O_INFO_BASIC, H5P_DEFAULT) >= 0 &&
    info.type == H5O_TYPE_GROUP;
}

std::optional<std::string> ReadText(hid_t file, const std::string& name)
{
  const SilenceErrors silence;
  if (H5Lexists(file, name.c_str(), H5P_DEFAULT) > 0)
  {
    const DatasetHandle dataset(H5Dopen2(file, name.c_str(), H5P_DEFAULT));
    if (dataset >= 0)
    {
      const TypeHandle type(H5Dget_type(dataset));
      const SpaceHandle space(H5Dget_space(dataset));
      return ReadString(type, space, [&](hid_t memory, void* to)
        { return H5Dread(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, to); });
    }
  }
  if (H5Aexists(file, name.c_str()) > 0)
  {
    const AttributeHandle attribute(H5Aopen(file, name.c_str(), H5P_DEFAULT));
    const TypeHandle type(H5Aget_type(attribute));
    const SpaceHandle space(H5Aget_space(attribute));
    return ReadString(
      type, space, [&](hid_t memory, void* to) { return H5Aread(attribute, memory, to); });
  }
  return std::nullopt;
}

}
