// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/Hdf5Contents.h"

#include "Base/Error.h"
#include "Describe/Hdf5Filters.h"
#include "Describe/SourceFolder.h"
#include "Describe/Text.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <numeric>

namespace dsm::hdf5
{

namespace
{
// Returns the shape of an array type whose elements are numbers; empty for other types.
std::vector<hsize_t> ArrayShape(hid_t type)
{
  if (H5Tget_class(type) != H5T_ARRAY)
  {
    return {};
  }
  const TypeHandle element(H5Tget_super(type));
  const H5T_class_t kind = H5Tget_class(element);
  std::vector<hsize_t> shape(static_cast<std::size_t>(std::max(0, H5Tget_array_ndims(type))));
  if ((kind != H5T_FLOAT && kind != H5T_INTEGER) || H5Tget_array_dims2(type, shape.data()) < 0)
  {
    return {};
  }
  return shape;
}

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

bool IsNumber(H5T_class_t kind)
{
  return kind == H5T_FLOAT || kind == H5T_INTEGER || kind == H5T_ENUM;
}

void FindMembers(hid_t type, Object& object)
{
  if (auto shape = ArrayShape(type); !shape.empty())
  {
    object.ArrayMembers.emplace("", std::move(shape));
  }
  const int count = H5Tget_class(type) == H5T_COMPOUND ? H5Tget_nmembers(type) : 0;
  for (int index = 0; index < count; ++index)
  {
    const auto place = static_cast<unsigned>(index);
    const TypeHandle member(H5Tget_member_type(type, place));
    char* const text = H5Tget_member_name(type, place);
    const std::string name = text;
    H5free_memory(text);
    // HDF5 does not read members that are enumerations as numbers.
    const H5T_class_t kind = H5Tget_class(member);
    if (kind == H5T_FLOAT || kind == H5T_INTEGER)
    {
      object.Members.push_back(name);
    }
    else if (auto shape = ArrayShape(member); !shape.empty())
    {
      object.ArrayMembers.emplace(name, std::move(shape));
    }
  }
}

// Returns why HDF5 cannot open a dataset that the file has.
std::string WhyUnopened()
{
  const std::string reason = LastErrorText();
  if (reason.find("version number for datatype message") == std::string::npos)
  {
    return fmt::format("it cannot be opened: {}", reason);
  }
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  return fmt::format("its type is one of HDF5 2, such as complex numbers, and this is HDF5 "
                     "{}.{}.{}: write a compound of real and imaginary parts, or use a ParaView "
                     "with HDF5 2",
    major, minor, release);
}

void DescribeDataset(hid_t file, FilterCheck& filters, Object& object)
{
  const DatasetHandle dataset = OpenDataset(file, object.Path);
  if (dataset < 0)
  {
    object.Type = "unreadable";
    object.Unreadable = WhyUnopened();
    return;
  }
  const TypeHandle type(H5Dget_type(dataset));
  const H5T_class_t kind = H5Tget_class(type);
  object.Type = TypeText(type);
  object.Unreadable = filters.WhyUnreadable(dataset);
  if (object.Unreadable.empty())
  {
    object.Numbers = IsNumber(kind);
    FindMembers(type, object);
  }
  const SpaceHandle space(H5Dget_space(dataset));
  const int rank = H5Sget_simple_extent_ndims(space);
  object.Null = rank < 0 || H5Sget_simple_extent_type(space) == H5S_NULL;
  object.Shape.resize(static_cast<std::size_t>(std::max(rank, 0)));
  if (rank > 0)
  {
    object.Most.resize(object.Shape.size());
    H5Sget_simple_extent_dims(space, object.Shape.data(), object.Most.data());
  }
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
  return describe::LastName(this->Path);
}

std::string Object::Folder() const
{
  return this->Path.substr(0, this->Path.rfind('/') + 1);
}

namespace
{
struct Visit
{
  hid_t File;
  std::size_t Most;
  std::string Above = {}; ///< the path of the object whose members are visited
  std::vector<Object> Found = {};
  FilterCheck Filters = {};

  bool Full() const;
  void Add(const std::string& path, bool dataset);
};

bool Visit::Full() const
{
  return this->Found.size() >= this->Most;
}

void Visit::Add(const std::string& path, bool dataset)
{
  Object object;
  object.Path = path;
  object.Dataset = dataset;
  object.Type = "group";
  if (dataset)
  {
    DescribeDataset(this->File, this->Filters, object);
  }
  this->Found.push_back(std::move(object));
}

herr_t VisitObject(hid_t, const char* name, const H5O_info2_t* info, void* data)
{
  auto& visit = *static_cast<Visit*>(data);
  const bool dataset = info->type == H5O_TYPE_DATASET;
  if (std::string(name) != "." && (dataset || info->type == H5O_TYPE_GROUP))
  {
    visit.Add(visit.Above + "/" + name, dataset);
  }
  return visit.Full() ? 1 : 0;
}

// H5Ovisit does not follow external links. A link whose file does not exist is skipped.
herr_t VisitLink(hid_t, const char* name, const H5L_info2_t* info, void* data)
{
  auto& visit = *static_cast<Visit*>(data);
  if (visit.Full())
  {
    return 1;
  }
  const std::string path = "/" + std::string(name);
  H5O_info2_t target;
  if (info->type != H5L_TYPE_EXTERNAL ||
    H5Oget_info_by_name3(visit.File, path.c_str(), &target, H5O_INFO_BASIC, H5P_DEFAULT) < 0)
  {
    return 0;
  }
  const bool dataset = target.type == H5O_TYPE_DATASET;
  if (dataset || target.type == H5O_TYPE_GROUP)
  {
    visit.Add(path, dataset);
  }
  if (target.type == H5O_TYPE_GROUP)
  {
    visit.Above = path;
    H5Ovisit_by_name3(visit.File, path.c_str(), H5_INDEX_NAME, H5_ITER_NATIVE, VisitObject, &visit,
      H5O_INFO_BASIC, H5P_DEFAULT);
    visit.Above.clear();
  }
  return visit.Full() ? 1 : 0;
}
}

std::vector<Object> ListObjects(hid_t file, std::size_t most)
{
  const SilenceErrors silence;
  Visit visit{ file, most };
  H5Ovisit3(file, H5_INDEX_NAME, H5_ITER_NATIVE, VisitObject, &visit, H5O_INFO_BASIC);
  H5Lvisit2(file, H5_INDEX_NAME, H5_ITER_NATIVE, VisitLink, &visit);
  std::sort(visit.Found.begin(), visit.Found.end(),
    [](const Object& a, const Object& b) { return a.Path < b.Path; });
  return std::move(visit.Found);
}

std::optional<Object> ObjectAt(hid_t file, const std::string& path)
{
  const SilenceErrors silence;
  H5O_info2_t info;
  if (H5Oget_info_by_name3(file, path.c_str(), &info, H5O_INFO_BASIC, H5P_DEFAULT) < 0 ||
    (info.type != H5O_TYPE_DATASET && info.type != H5O_TYPE_GROUP))
  {
    return std::nullopt;
  }
  Visit visit{ file, 1 };
  visit.Add(path, info.type == H5O_TYPE_DATASET);
  return std::move(visit.Found.front());
}

const Object* Find(const std::vector<Object>& objects, const std::string& path)
{
  const auto found = std::lower_bound(objects.begin(), objects.end(), path,
    [](const Object& object, const std::string& wanted) { return object.Path < wanted; });
  return found != objects.end() && found->Path == path ? &*found : nullptr;
}

std::string Summary(const std::vector<Object>& objects)
{
  constexpr std::size_t most = 4;
  std::vector<std::string> named;
  std::size_t more = 0;
  for (const Object& object : objects)
  {
    if (object.Dataset && named.size() < most)
    {
      named.push_back(object.Unreadable.empty()
          ? fmt::format("{} ({}, {})", object.Path, object.Type, object.ShapeText())
          : fmt::format("{} ({}; {})", object.Path, object.Type, object.Unreadable));
    }
    else
    {
      more += object.Dataset ? 1 : 0;
    }
  }
  return named.empty() ? "it has no datasets"
                       : fmt::format("it has {}{}", fmt::join(named, ", "),
                           more == 0 ? "" : fmt::format(", and {} more datasets", more));
}

}
