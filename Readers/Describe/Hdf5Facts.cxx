// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/Hdf5Facts.h"

#include "Describe/Hdf5Attributes.h"
#include "Describe/SourceFolder.h"
#include "Describe/Text.h"

#include <algorithm>

namespace dsm::describe
{

Hdf5Facts::Hdf5Facts(hid_t file)
  : File(file)
  , Reader(file)
{
}

const std::vector<hdf5::Object>& Hdf5Facts::Objects() const
{
  if (!this->Listed)
  {
    this->Listed = hdf5::ListObjects(this->File);
  }
  return *this->Listed;
}

std::optional<hdf5::Object> Hdf5Facts::ObjectAt(const std::string& path) const
{
  return hdf5::ObjectAt(this->File, path);
}

hdf5::Thing Hdf5Facts::WhatIs(const std::string& path) const
{
  return hdf5::WhatIs(this->File, path);
}

std::vector<std::string> Hdf5Facts::MembersOf(const std::string& group, std::size_t most) const
{
  return hdf5::MembersOf(this->File, group, most);
}

bool Hdf5Facts::HasAttributes(const std::string& object) const
{
  H5O_info2_t info;
  return H5Oget_info_by_name3(this->File, object.c_str(), &info, H5O_INFO_NUM_ATTRS, H5P_DEFAULT) >=
    0 &&
    info.num_attrs > 0;
}

bool Hdf5Facts::Has(const std::string& object, const std::string& attribute) const
{
  return H5Aexists_by_name(this->File, object.c_str(), attribute.c_str(), H5P_DEFAULT) > 0;
}

std::vector<double> Hdf5Facts::Numbers(
  const std::string& object, const std::string& attribute, std::size_t most) const
{
  return hdf5::NumbersAttribute(this->File, object, attribute, most)
    .value_or(std::vector<double>());
}

std::vector<std::string> Hdf5Facts::Texts(
  const std::string& object, const std::string& attribute, std::size_t most) const
{
  return hdf5::TextsAttribute(this->File, object, attribute, most);
}

std::vector<double> Hdf5Facts::CompoundNumbers(
  const std::string& object, const std::string& attribute) const
{
  return hdf5::CompoundAttribute(this->File, object, attribute);
}

std::vector<std::vector<std::string>> Hdf5Facts::References(
  const std::string& object, const std::string& attribute) const
{
  return hdf5::ReferenceLists(this->File, object, attribute);
}

std::vector<double> Hdf5Facts::Values(const Source& source) const
{
  Window window;
  window.Index.Count = source.Dimensions.front().Count;
  return this->Reader.Numbers(source, window);
}

std::vector<std::string> Hdf5Facts::TextRows(const std::string& path) const
{
  const auto found = this->ObjectAt(path);
  constexpr std::size_t most = 1 << 20;
  if (!found || found->Type != "text" || found->Shape.empty() || found->Shape.size() > 2 ||
    std::any_of(
      found->Shape.begin(), found->Shape.end(), [](hsize_t count) { return count > most; }))
  {
    return {};
  }
  const hdf5::DatasetHandle dataset(H5Dopen2(this->File, path.c_str(), H5P_DEFAULT));
  const hdf5::TypeHandle type(dataset < 0 ? H5I_INVALID_HID : H5Dget_type(dataset));
  const std::size_t size = type < 0 || H5Tis_variable_str(type) != 0 ? 0 : H5Tget_size(type);
  const bool letters = found->Shape.size() == 2;
  const std::size_t rows = found->Shape[0], length = letters ? found->Shape[1] : size;
  if (size == 0 || (letters && size != 1) || length == 0 || rows > most / length)
  {
    return {};
  }
  std::string all(rows * length, '\0');
  if (H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()) < 0)
  {
    return {};
  }
  std::vector<std::string> texts;
  for (std::size_t row = 0; row < rows; ++row)
  {
    const std::string text = all.substr(row * length, length);
    texts.push_back(Trimmed(text.substr(0, text.find('\0'))));
  }
  return texts;
}

// The name is text of fixed length.
std::optional<double> Hdf5Facts::NumberBeside(
  const std::string& path, const std::string& name) const
{
  const hdf5::DatasetHandle dataset = hdf5::OpenDataset(this->File, path);
  const hdf5::TypeHandle type(dataset < 0 ? H5I_INVALID_HID : H5Dget_type(dataset));
  if (type < 0 || H5Tget_class(type) != H5T_COMPOUND || H5Tget_nmembers(type) != 2)
  {
    return std::nullopt;
  }
  const hdf5::TypeHandle text(H5Tget_member_type(type, 0));
  const hdf5::TypeHandle number(H5Tget_member_type(type, 1));
  const hdf5::SpaceHandle space(H5Dget_space(dataset));
  const hssize_t rows = H5Sget_simple_extent_npoints(space);
  const bool isFixed = H5Tget_class(text) == H5T_STRING && H5Tis_variable_str(text) == 0;
  const H5T_class_t kind = H5Tget_class(number);
  if (!isFixed || (kind != H5T_FLOAT && kind != H5T_INTEGER) || rows <= 0 || rows > 100000)
  {
    return std::nullopt;
  }
  const std::size_t length = H5Tget_size(text), each = length + sizeof(double);
  const hdf5::TypeHandle memory(H5Tcreate(H5T_COMPOUND, each));
  char* const names[2] = { H5Tget_member_name(type, 0), H5Tget_member_name(type, 1) };
  H5Tinsert(memory, names[0], 0, text);
  H5Tinsert(memory, names[1], length, H5T_NATIVE_DOUBLE);
  H5free_memory(names[0]);
  H5free_memory(names[1]);
  std::string all(static_cast<std::size_t>(rows) * each, '\0');
  if (H5Dread(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()) < 0)
  {
    return std::nullopt;
  }
  for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row)
  {
    std::string found = all.substr(row * each, length);
    found.resize(std::min(found.size(), found.find('\0')));
    found.erase(found.find_last_not_of(' ') + 1);
    if (found == name)
    {
      double value = 0;
      std::copy_n(all.data() + row * each + length, sizeof value, reinterpret_cast<char*>(&value));
      return value;
    }
  }
  return std::nullopt;
}

std::optional<std::string> Hdf5Facts::TextNamed(const std::string& name) const
{
  return hdf5::ReadText(this->File, name);
}

}
