// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/Hdf5Attributes.h"

#include <algorithm>

namespace dsm::hdf5
{

namespace
{
struct Opened
{
  AttributeHandle Attribute;
  TypeHandle Type;
  SpaceHandle Space;
  std::size_t Count = 0;
};

std::optional<Opened> Open(
  hid_t file, const std::string& object, const std::string& name, std::size_t most)
{
  if (H5Aexists_by_name(file, object.c_str(), name.c_str(), H5P_DEFAULT) <= 0)
  {
    return std::nullopt;
  }
  Opened opened;
  opened.Attribute =
    AttributeHandle(H5Aopen_by_name(file, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT));
  if (opened.Attribute < 0)
  {
    return std::nullopt;
  }
  opened.Type = TypeHandle(H5Aget_type(opened.Attribute));
  opened.Space = SpaceHandle(H5Aget_space(opened.Attribute));
  const hssize_t count = H5Sget_simple_extent_npoints(opened.Space);
  if (opened.Type < 0 || count <= 0 || static_cast<std::size_t>(count) > most)
  {
    return std::nullopt;
  }
  opened.Count = static_cast<std::size_t>(count);
  return opened;
}

// Padded by zeros or blanks.
std::string Trimmed(std::string text)
{
  text.resize(std::min(text.size(), text.find('\0')));
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

std::string PathOf(hid_t file, hobj_ref_t reference)
{
  const ssize_t length =
    H5Rget_name(file, H5R_OBJECT, &reference, nullptr, 0); // a path that leads to it
  if (length <= 0)
  {
    return {};
  }
  std::string path(static_cast<std::size_t>(length) + 1, '\0');
  H5Rget_name(file, H5R_OBJECT, &reference, path.data(), path.size());
  path.pop_back();
  return path;
}
}

std::optional<std::vector<double>> NumbersAttribute(
  hid_t file, const std::string& object, const std::string& name, std::size_t most)
{
  const auto opened = Open(file, object, name, most);
  if (!opened ||
    (H5Tget_class(opened->Type) != H5T_FLOAT && H5Tget_class(opened->Type) != H5T_INTEGER))
  {
    return std::nullopt;
  }
  std::vector<double> values(opened->Count);
  if (H5Aread(opened->Attribute, H5T_NATIVE_DOUBLE, values.data()) < 0)
  {
    return std::nullopt;
  }
  return values;
}

std::optional<double> NumberAttribute(
  hid_t file, const std::string& object, const std::string& name)
{
  const auto values = NumbersAttribute(file, object, name, 1);
  return values ? std::optional(values->front()) : std::nullopt;
}

std::vector<std::string> TextsAttribute(
  hid_t file, const std::string& object, const std::string& name, std::size_t most)
{
  std::vector<std::string> texts;
  const auto opened = Open(file, object, name, most);
  if (!opened || H5Tget_class(opened->Type) != H5T_STRING)
  {
    return texts;
  }
  const TypeHandle memory(H5Tcopy(opened->Type));
  if (H5Tis_variable_str(opened->Type) > 0)
  {
    std::vector<char*> pointers(opened->Count, nullptr);
    if (H5Aread(opened->Attribute, memory, pointers.data()) >= 0)
    {
      for (const char* pointer : pointers)
      {
        texts.emplace_back(pointer ? pointer : "");
      }
      H5Dvlen_reclaim(memory, opened->Space, H5P_DEFAULT, pointers.data());
    }
    return texts;
  }
  const std::size_t size = H5Tget_size(opened->Type);
  std::string all(opened->Count * size, '\0');
  if (H5Aread(opened->Attribute, memory, all.data()) >= 0)
  {
    for (std::size_t index = 0; index < opened->Count; ++index)
    {
      texts.push_back(Trimmed(all.substr(index * size, size)));
    }
  }
  return texts;
}

std::string TextAttribute(hid_t file, const std::string& object, const std::string& name)
{
  const auto texts = TextsAttribute(file, object, name, 1);
  return texts.empty() ? std::string() : texts.front();
}

std::vector<double> CompoundAttribute(
  hid_t file, const std::string& object, const std::string& name)
{
  std::vector<double> values;
  const auto opened = Open(file, object, name, 1);
  if (!opened)
  {
    return values;
  }
  const bool compound = H5Tget_class(opened->Type) == H5T_COMPOUND;
  const int members = compound ? H5Tget_nmembers(opened->Type) : 0;
  for (int index = 0; index < std::min(members, 16); ++index)
  {
    const auto member = static_cast<unsigned>(index);
    const H5T_class_t kind = H5Tget_member_class(opened->Type, member);
    char* const own = H5Tget_member_name(opened->Type, member);
    const TypeHandle memory(H5Tcreate(H5T_COMPOUND, sizeof(double)));
    H5Tinsert(memory, own, 0, H5T_NATIVE_DOUBLE);
    H5free_memory(own);
    double value = 0;
    if ((kind != H5T_INTEGER && kind != H5T_FLOAT) ||
      H5Aread(opened->Attribute, memory, &value) < 0)
    {
      return {};
    }
    values.push_back(value);
  }
  return values;
}

std::vector<std::vector<std::string>> ReferenceLists(
  hid_t file, const std::string& object, const std::string& name)
{
  std::vector<std::vector<std::string>> lists;
  const auto opened = Open(file, object, name, 32);
  if (!opened || H5Tget_class(opened->Type) != H5T_VLEN)
  {
    return lists;
  }
  const TypeHandle base(H5Tget_super(opened->Type));
  if (base < 0 || H5Tequal(base, H5T_STD_REF_OBJ) <= 0)
  {
    return lists;
  }
  const TypeHandle memory(H5Tvlen_create(H5T_STD_REF_OBJ));
  std::vector<hvl_t> found(opened->Count);
  if (H5Aread(opened->Attribute, memory, found.data()) < 0)
  {
    return lists;
  }
  for (const hvl_t& one : found)
  {
    const auto* references = static_cast<const hobj_ref_t*>(one.p);
    auto& list = lists.emplace_back();
    for (std::size_t index = 0; index < std::min<std::size_t>(one.len, 64); ++index)
    {
      list.push_back(PathOf(file, references[index]));
    }
  }
  H5Dvlen_reclaim(memory, opened->Space, H5P_DEFAULT, found.data());
  return lists;
}

}
