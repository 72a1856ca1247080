// SPDX-License-Identifier: BSD-3-Clause
#include "Hdf5Contents.h"

#include "Base/Error.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <map>
#include <numeric>

namespace dsm::hdf5
{

namespace
{
constexpr hsize_t MostPerRow = 9; // a tensor

std::string TypeText(hid_t type)
{
  const auto bits = 8 * H5Tget_size(type);
  switch (H5Tget_class(type))
  {
    case H5T_FLOAT:
      return fmt::format("float{}", bits);
    case H5T_INTEGER:
      return fmt::format("{}int{}", H5Tget_sign(type) == H5T_SGN_NONE ? "u" : "", bits);
    case H5T_ENUM:
      return fmt::format("enumeration of {} bits", bits);
    case H5T_STRING:
      return "text";
    case H5T_COMPOUND:
      return "compound";
    case H5T_REFERENCE:
      return "reference";
    case H5T_VLEN:
      return "lists";
    case H5T_ARRAY:
      return "small arrays";
    default:
      return "opaque";
  }
}

void DescribeDataset(hid_t file, Object& object)
{
  const vtkHDF::ScopedH5DHandle dataset(H5Dopen2(file, object.Path.c_str(), H5P_DEFAULT));
  if (dataset < 0)
  {
    object.Type = "unreadable";
    return;
  }
  const vtkHDF::ScopedH5THandle type(H5Dget_type(dataset));
  const H5T_class_t kind = H5Tget_class(type);
  object.Numbers = kind == H5T_FLOAT || kind == H5T_INTEGER || kind == H5T_ENUM;
  object.Type = TypeText(type);
  const vtkHDF::ScopedH5SHandle space(H5Dget_space(dataset));
  const int rank = H5Sget_simple_extent_ndims(space);
  object.Shape.resize(static_cast<std::size_t>(std::max(rank, 0)));
  if (rank > 0)
  {
    H5Sget_simple_extent_dims(space, object.Shape.data(), nullptr);
  }
}

std::string Lower(std::string text)
{
  std::transform(text.begin(), text.end(), text.begin(),
    [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return text;
}

std::string Folder(const std::string& path)
{
  return path.substr(0, path.rfind('/') + 1);
}

// Leaves the objects that share the key which has the most elements in one object.
template <typename Key>
void KeepLargest(std::vector<Object>& objects, Key key)
{
  const auto largest = std::max_element(objects.begin(), objects.end(),
    [](const auto& a, const auto& b) { return a.Elements() < b.Elements(); });
  if (largest == objects.end() || largest->Elements() == 0)
  {
    objects.clear();
    return;
  }
  const auto wanted = key(*largest);
  std::erase_if(objects, [&](const Object& object) { return key(object) != wanted; });
}
}

hsize_t Object::Elements() const
{
  return std::accumulate(
    this->Shape.begin(), this->Shape.end(), hsize_t(1), std::multiplies<hsize_t>());
}

std::string Object::ShapeText() const
{
  if (!this->Dataset)
  {
    return "";
  }
  return this->Shape.empty() ? "single value" : fmt::format("{}", fmt::join(this->Shape, " x "));
}

std::string Object::Name() const
{
  return this->Path.substr(this->Path.rfind('/') + 1);
}

std::vector<Object> ListObjects(hid_t file, std::size_t most)
{
  const Quiet quiet;
  struct Visit
  {
    hid_t File;
    std::size_t Most;
    std::vector<Object> Found;
  } visit{ file, most, {} };
  H5Ovisit3(
    file, H5_INDEX_NAME, H5_ITER_NATIVE,
    [](hid_t, const char* name, const H5O_info2_t* info, void* data) -> herr_t
    {
      auto& all = *static_cast<Visit*>(data);
      const bool dataset = info->type == H5O_TYPE_DATASET;
      if (std::string(name) == "." || (!dataset && info->type != H5O_TYPE_GROUP))
      {
        return 0;
      }
      Object object;
      object.Path = "/" + std::string(name);
      object.Dataset = dataset;
      object.Type = "group";
      if (dataset)
      {
        DescribeDataset(all.File, object);
      }
      all.Found.push_back(std::move(object));
      return all.Found.size() >= all.Most ? 1 : 0;
    },
    &visit, H5O_INFO_BASIC);
  std::sort(visit.Found.begin(), visit.Found.end(),
    [](const Object& a, const Object& b) { return a.Path < b.Path; });
  return std::move(visit.Found);
}

std::vector<Object> FindGrid(const std::vector<Object>& objects)
{
  std::vector<Object> found;
  std::copy_if(objects.begin(), objects.end(), std::back_inserter(found), [](const Object& object)
    { return object.Numbers && !object.Shape.empty() && object.Shape.size() <= 3; });
  KeepLargest(found, [](const Object& object) { return object.Shape; });
  return found;
}

std::vector<Object> FindColumns(const std::vector<Object>& objects)
{
  std::vector<Object> found;
  std::copy_if(objects.begin(), objects.end(), std::back_inserter(found),
    [](const Object& object)
    {
      return object.Numbers &&
        (object.Shape.size() == 1 || (object.Shape.size() == 2 && object.Shape[1] <= MostPerRow));
    });
  KeepLargest(found, [](const Object& object) { return object.Shape.front(); });
  return found;
}

Coordinates GuessCoordinates(const std::vector<Object>& columns)
{
  // By group and what stands before the axis: "/atoms/pos_" -> x, y, z.
  std::map<std::string, std::array<const Object*, 3>> byPlace;
  for (const Object& column : columns)
  {
    const std::string name = Lower(column.Name());
    const auto axis = std::string("xyz").find(name.back());
    const std::string before = name.substr(0, name.size() - 1);
    constexpr std::array prefixes = { "", "pos_", "position_", "coord_", "r" };
    if (column.Shape.size() == 1 && axis != std::string::npos &&
      std::find(prefixes.begin(), prefixes.end(), before) != prefixes.end())
    {
      byPlace[Folder(column.Path) + before][axis] = &column;
    }
  }
  for (const auto& [place, axes] : byPlace)
  {
    if (axes[0] && axes[1])
    {
      Coordinates found{ { *axes[0], *axes[1] } };
      if (axes[2])
      {
        found.Columns.push_back(*axes[2]);
      }
      return found;
    }
  }
  constexpr std::array names = { "coordinates", "coords", "positions", "position", "pos",
    "points" };
  for (const Object& column : columns)
  {
    if (column.Shape.size() == 2 && (column.Shape[1] == 2 || column.Shape[1] == 3) &&
      std::find(names.begin(), names.end(), Lower(column.Name())) != names.end())
    {
      return { { column } };
    }
  }
  return {};
}

}
