// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/VtkHdfCheck.h"

#include "Base/Error.h"
#include "Describe/Hdf5Attributes.h"
#include "Describe/Hdf5Contents.h"
#include "Describe/Hdf5File.h"
#include "Describe/Hdf5Filters.h"
#include "Describe/Hdf5Group.h"
#include "Describe/NothingYet.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace dsm::describe
{

namespace
{
const std::string Root = "/VTKHDF";
// vtkHDFReader counts in int.
constexpr std::int64_t Most = std::numeric_limits<int>::max();
// Lists of parts, steps and boxes that are read here; more than anybody has.
constexpr hsize_t MostCounts = hsize_t(1) << 26;
constexpr int MostDepth = 64;
constexpr std::size_t MostMembers = 100000;

using Shape = std::vector<hsize_t>;
using Counts = std::vector<std::int64_t>;

template <typename... Args>
[[noreturn]] void Throw(fmt::format_string<Args...> text, Args&&... args)
{
  throw Error(Fault::Refused, "this VTKHDF file is broken: {}",
    fmt::format(text, std::forward<Args>(args)...));
}

bool Exists(hid_t file, const std::string& path)
{
  return hdf5::WhatIs(file, path) != hdf5::Thing::Nothing;
}

[[noreturn]] void ThrowNewer(
  const std::string& what, const std::string& version, const std::string& paraView)
{
  throw Error(Fault::Refused, "{}, which VTKHDF has since version {}: use ParaView {} or newer",
    what, version, paraView);
}

// An attribute with so many numbers, for which the reader has room.
std::vector<double> Numbers(
  hid_t file, const std::string& object, const std::string& name, std::size_t count)
{
  const auto numbers = hdf5::NumbersAttribute(file, object, name);
  if (!numbers || numbers->size() != count)
  {
    Throw("{} needs an attribute {} with {} number{}", object, name, count, count == 1 ? "" : "s");
  }
  return *numbers;
}

std::vector<double> FiniteNumbers(
  hid_t file, const std::string& object, const std::string& name, std::size_t count)
{
  auto numbers = Numbers(file, object, name, count);
  if (!std::all_of(
        numbers.begin(), numbers.end(), [](double number) { return std::isfinite(number); }))
  {
    Throw("the numbers of {}'s attribute {} are not finite", object, name);
  }
  return numbers;
}

std::int64_t WholeNumber(
  hid_t file, const std::string& object, const std::string& name, double least, double most)
{
  const double number = Numbers(file, object, name, 1).front();
  if (!(number >= least && number <= most) || number != std::floor(number))
  {
    Throw("{}'s attribute {} is {}, and must be a number from {} to {}", object, name, number,
      least, most);
  }
  return static_cast<std::int64_t>(number);
}

// Type is read into 32 bytes, and compared as it is.
std::string TypeOf(hid_t file, const std::string& object)
{
  const hdf5::SilenceErrors silence;
  const hdf5::AttributeHandle attribute(
    H5Aopen_by_name(file, object.c_str(), "Type", H5P_DEFAULT, H5P_DEFAULT));
  const hdf5::TypeHandle type(attribute < 0 ? H5I_INVALID_HID : H5Aget_type(attribute));
  const hdf5::SpaceHandle space(attribute < 0 ? H5I_INVALID_HID : H5Aget_space(attribute));
  if (attribute < 0)
  {
    Throw("Can't find the `Type` attribute of {}", object);
  }
  if (type < 0 || space < 0 || H5Tget_class(type) != H5T_STRING ||
    H5Sget_simple_extent_npoints(space) != 1)
  {
    Throw("{}'s attribute Type is no single text", object);
  }
  if (H5Tis_variable_str(type) > 0)
  {
    Throw("{}'s attribute Type has a variable length, and vtkHDFReader reads those of fixed length",
      object);
  }
  std::string text(H5Tget_size(type), '\0');
  if (text.size() > 32 || H5Aread(attribute, type, text.data()) < 0)
  {
    Throw("{}'s attribute Type cannot be read, or is too long", object);
  }
  return text.c_str();
}

// A dataset's class and shape.
struct Told
{
  H5T_class_t Class = H5T_NO_CLASS;
  std::size_t Size = 0;
  bool Variable = false;
  Shape Extent;
  std::string Unreadable; ///< why its elements cannot be read; empty: they can
};

std::optional<Told> Tell(hid_t file, const std::string& path)
{
  if (hdf5::WhatIs(file, path) != hdf5::Thing::Dataset)
  {
    return std::nullopt;
  }
  const hdf5::SilenceErrors silence;
  const hdf5::DatasetHandle dataset(H5Dopen2(file, path.c_str(), H5P_DEFAULT));
  const hdf5::TypeHandle type(dataset < 0 ? H5I_INVALID_HID : H5Dget_type(dataset));
  const hdf5::SpaceHandle space(dataset < 0 ? H5I_INVALID_HID : H5Dget_space(dataset));
  Told told;
  if (type < 0 || space < 0)
  {
    told.Unreadable = hdf5::ObjectAt(file, path).value_or(hdf5::Object{}).Unreadable;
    return told;
  }
  told.Unreadable = hdf5::FilterCheck().WhyUnreadable(dataset);
  told.Class = H5Tget_class(type);
  told.Size = H5Tget_size(type);
  told.Variable = H5Tis_variable_str(type) > 0;
  told.Extent.resize(static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space))));
  H5Sget_simple_extent_dims(space, told.Extent.data(), nullptr);
  return told;
}

void RequireReadable(const Told& told, const std::string& path)
{
  if (!told.Unreadable.empty())
  {
    throw Error(Fault::Unsupported, "{}: {}", path, told.Unreadable);
  }
}

Told Need(hid_t file, const std::string& path)
{
  auto told = Tell(file, path);
  if (!told)
  {
    Throw("there is no dataset {}", path);
  }
  RequireReadable(*told, path);
  return *told;
}

// A list of whole numbers, with one, or with so many in each row.
Told NeedIntegers(hid_t file, const std::string& path, hsize_t columns = 1)
{
  auto told = Need(file, path);
  const auto rank = told.Extent.size();
  if (told.Class != H5T_INTEGER || rank == 0 || rank > 2 ||
    (rank == 2 ? told.Extent[1] : 1) != columns)
  {
    Throw("{} must be a list of whole numbers{}", path,
      columns == 1 ? std::string() : fmt::format(", {} in each row", columns));
  }
  return told;
}

Counts ReadIntegers(hid_t file, const std::string& path, hsize_t columns = 1)
{
  const Told told = NeedIntegers(file, path, columns);
  if (told.Extent[0] > MostCounts)
  {
    Throw("{} has {} entries, which are too many", path, told.Extent[0]);
  }
  const hdf5::SilenceErrors silence;
  const hdf5::DatasetHandle dataset(H5Dopen2(file, path.c_str(), H5P_DEFAULT));
  Counts counts(told.Extent[0] * columns);
  if (!counts.empty() &&
    H5Dread(dataset, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, counts.data()) < 0)
  {
    Throw("{} cannot be read: {}", path, hdf5::LastErrorText());
  }
  return counts;
}

Counts ReadCounts(hid_t file, const std::string& path)
{
  auto counts = ReadIntegers(file, path);
  for (const std::int64_t count : counts)
  {
    if (count < 0 || count >= Most)
    {
      Throw("{} has the number {}, and counts from 0 to {}", path, count, Most - 1);
    }
  }
  return counts;
}

// How many steps a group has, with as many times.
std::int64_t StepsOf(hid_t file, const std::string& group)
{
  const std::string steps = group + "/Steps";
  if (!Exists(file, steps))
  {
    return 1;
  }
  if (hdf5::WhatIs(file, steps) != hdf5::Thing::Group)
  {
    Throw("{} is no group", steps);
  }
  const std::int64_t count = WholeNumber(file, steps, "NSteps", 0, static_cast<double>(MostCounts));
  if (count == 0)
  {
    throw NothingYet("VTKHDF", fmt::format("{} has no step", group));
  }
  if (count > 1)
  {
    const Told values = Need(file, steps + "/Values");
    if ((values.Class != H5T_FLOAT && values.Class != H5T_INTEGER) || values.Extent.size() != 1 ||
      values.Extent[0] != static_cast<hsize_t>(count))
    {
      Throw("{}/Values must have {} numbers, one for each step", steps, count);
    }
  }
  return count;
}

// Arrays are lists that are cut by counts of the file; field data is read whole. Lists the arrays
// of points and cells that cannot be read.
void CheckArrays(hid_t file, const std::string& group, std::vector<LeftOut>& left)
{
  for (const char* kind : { "/PointData", "/CellData", "/FieldData" })
  {
    const std::string folder = group + kind;
    if (hdf5::WhatIs(file, folder) != hdf5::Thing::Group)
    {
      continue;
    }
    const bool isField = kind[1] == 'F';
    for (const std::string& name : hdf5::MembersOf(file, folder))
    {
      const std::string path = fmt::format("{}/{}", folder, name);
      const auto array = Tell(file, path);
      if (!array)
      {
        continue;
      }
      if (isField)
      {
        RequireReadable(*array, path);
      }
      if (!array->Unreadable.empty())
      {
        left.push_back({ path, array->Unreadable });
        continue;
      }
      if (array->Extent.empty())
      {
        Throw("{} is a single value, and no list", path);
      }
      if (array->Class == H5T_STRING && isField && !array->Variable)
      {
        Throw(
          "{} has texts of fixed length, and vtkHDFReader reads those of variable length", path);
      }
      if (isField &&
        std::any_of(array->Extent.begin(), array->Extent.end(),
          [](hsize_t count) { return count > static_cast<hsize_t>(Most); }))
      {
        Throw("{} has too many elements", path);
      }
    }
  }
}

void CheckImage(hid_t file, const std::string& group)
{
  const auto extent = FiniteNumbers(file, group, "WholeExtent", 6);
  for (std::size_t axis = 0; axis < 3; ++axis)
  {
    const double low = extent[2 * axis], high = extent[2 * axis + 1];
    if (high < low || high - low >= static_cast<double>(Most) || std::abs(low) > Most ||
      std::abs(high) > Most)
    {
      Throw("{}'s WholeExtent goes from {} to {} along an axis", group, low, high);
    }
  }
  FiniteNumbers(file, group, "Origin", 3);
  FiniteNumbers(file, group, "Spacing", 3);
  FiniteNumbers(file, group, "Direction", 9);
}

// Where the lists of a mesh begin, in each step.
void CheckMeshSteps(
  hid_t file, const std::string& group, std::int64_t steps, std::size_t parts, hsize_t topologies)
{
  const auto of = [&](const char* name, hsize_t columns)
  {
    const auto places = ReadIntegers(file, group + "/Steps/" + name, columns);
    if (places.size() < static_cast<std::size_t>(steps) * columns)
    {
      Throw("{}/Steps/{} has fewer rows than there are steps", group, name);
    }
    if (std::any_of(places.begin(), places.end(), [](std::int64_t place) { return place < 0; }))
    {
      Throw("{}/Steps/{} has negative numbers", group, name);
    }
    return places;
  };
  const auto first = of("PartOffsets", 1);
  of("PointOffsets", 1);
  of("CellOffsets", topologies);
  of("ConnectivityIdOffsets", topologies);
  const auto all = static_cast<std::int64_t>(parts);
  const bool counted = Exists(file, group + "/Steps/NumberOfParts");
  const auto counts = counted ? of("NumberOfParts", 1) : Counts(first.size(), all / steps);
  for (std::size_t step = 0; step < static_cast<std::size_t>(steps); ++step)
  {
    if (counts[step] > all || first[step] > all - counts[step])
    {
      Throw("step {} of {} has {} parts from {} on, and there are {}", step, group, counts[step],
        first[step], all);
    }
  }
}

void CheckPolyhedra(hid_t file, const std::string& group)
{
  if (hdf5::WhatIs(file, group + "/NumberOfFaces") != hdf5::Thing::Dataset)
  {
    return;
  }
  const auto faces = ReadCounts(file, group + "/NumberOfFaces");
  if (std::any_of(faces.begin(), faces.end(), [](std::int64_t count) { return count > 0; }))
  {
    ThrowNewer(group + " has polyhedra", "2.5", "6.1");
  }
}

void CheckMesh(hid_t file, const std::string& group, bool surface)
{
  const std::int64_t steps = StepsOf(file, group);
  const std::size_t parts = ReadCounts(file, group + "/NumberOfPoints").size();
  if (parts == 0 && group == Root)
  {
    throw NothingYet("VTKHDF", "it has no parts");
  }
  CheckPolyhedra(file, group);
  const Told points = Need(file, group + "/Points");
  if ((points.Class != H5T_FLOAT && points.Class != H5T_INTEGER) || points.Extent.size() != 2 ||
    points.Extent[1] != 3)
  {
    Throw("{}/Points must have three numbers in each row", group);
  }
  const std::vector<std::string> topologies = surface
    ? std::vector<std::string>{ "/Vertices", "/Lines", "/Polygons", "/Strips" }
    : std::vector<std::string>{ "" };
  for (const std::string& topology : topologies)
  {
    const std::string at = group + topology;
    for (const char* name : { "/NumberOfCells", "/NumberOfConnectivityIds" })
    {
      if (ReadCounts(file, at + name).size() != parts)
      {
        Throw("{}{} has not one entry for each of the {} parts", at, name, parts);
      }
    }
    const Told offsets = NeedIntegers(file, at + "/Offsets");
    const Told ids = NeedIntegers(file, at + "/Connectivity");
    if (offsets.Size < 4 || offsets.Size != ids.Size)
    {
      Throw(
        "{0}/Offsets and {0}/Connectivity must be integers of the same size, of 4 or 8 bytes", at);
    }
  }
  if (!surface)
  {
    const Told types = NeedIntegers(file, group + "/Types");
    if (types.Size != 1)
    {
      Throw("{}/Types must be numbers of one byte", group);
    }
  }
  if (steps > 1)
  {
    CheckMeshSteps(file, group, steps, parts, topologies.size());
  }
}

// One level of refinement: its boxes, and which of them a step has.
void CheckLevel(hid_t file, const std::string& level, const std::string& steps, std::int64_t count,
  const std::array<const char*, 2>& names, const std::vector<std::string>& places,
  std::vector<LeftOut>& left)
{
  const auto boxes = ReadIntegers(file, level + "/AMRBox", 6);
  const auto all = static_cast<std::int64_t>(boxes.size() / 6);
  for (std::size_t box = 0; box < boxes.size(); box += 6)
  {
    std::int64_t points = 1;
    for (std::size_t axis = 0; axis < 3; ++axis)
    {
      const std::int64_t low = boxes[box + 2 * axis], high = boxes[box + 2 * axis + 1];
      constexpr std::int64_t far = std::int64_t(1) << 30;
      // Of a plane, the box has one cell less than none.
      if (high < low - 1 || low < -far || high > far || points * (high - low + 2) > Most)
      {
        Throw("{}/AMRBox has a box from {} to {} along an axis", level, low, high);
      }
      points *= high - low + 2;
    }
  }
  CheckArrays(file, level, left);
  if (count <= 1)
  {
    return;
  }
  if (hdf5::WhatIs(file, steps) != hdf5::Thing::Group)
  {
    Throw("there is no group {}", steps);
  }
  const auto numbers = ReadCounts(file, fmt::format("{}/{}", steps, names[0]));
  const auto first = ReadCounts(file, fmt::format("{}/{}", steps, names[1]));
  const auto needed = static_cast<std::size_t>(count);
  if (numbers.size() != needed || first.size() != needed)
  {
    Throw("{0}/{1} and {0}/{2} must have {3} numbers, one for each step", steps, names[0], names[1],
      count);
  }
  for (std::size_t step = 0; step < needed; ++step)
  {
    if (numbers[step] > all || first[step] > all - numbers[step])
    {
      Throw("step {} of {} has {} boxes from {} on, and there are {}", step, level, numbers[step],
        first[step], all);
    }
  }
  for (const std::string& place : places)
  {
    const std::string folder = fmt::format("{}/{}", steps, place);
    for (const std::string& name : hdf5::MembersOf(file, folder))
    {
      if (ReadCounts(file, fmt::format("{}/{}", folder, name)).size() != needed)
      {
        Throw("{}/{} must have {} numbers, one for each step", folder, name, count);
      }
    }
  }
}

void CheckRefinement(hid_t file, std::vector<LeftOut>& left)
{
  FiniteNumbers(file, Root, "Origin", 3);
  const std::int64_t steps = StepsOf(file, Root);
  // As in version 2.2 of the format, which lacked an "s".
  const auto version = Numbers(file, Root, "Version", 2);
  const bool old = version[0] == 2 && version[1] == 2;
  const std::array<const char*, 2> names = old
    ? std::array<const char*, 2>{ "NumberOfAMRBox", "AMRBoxOffset" }
    : std::array<const char*, 2>{ "NumberOfAMRBoxes", "AMRBoxOffsets" };
  std::vector<std::string> places = { "PointDataOffset", "CellDataOffset", "FieldDataOffset" };
  if (!old)
  {
    std::for_each(places.begin(), places.end(), [](std::string& place) { place += "s"; });
  }
  std::vector<double> coarser;
  int level = 0;
  for (;; ++level)
  {
    const std::string path = fmt::format("{}/Level{}", Root, level);
    if (!Exists(file, path))
    {
      break;
    }
    if (level >= MostDepth)
    {
      Throw("it has more than {} levels of refinement", MostDepth);
    }
    const auto spacing = FiniteNumbers(file, path, "Spacing", 3);
    const double ratio = coarser.empty() ? 1 : coarser[0] / spacing[0];
    if (*std::min_element(spacing.begin(), spacing.end()) <= 0 || !(ratio >= 1 && ratio < 1e6) ||
      std::abs(ratio - std::round(ratio)) > 0.01)
    {
      Throw("{}'s Spacing is not finer than that of the level before, by a whole number", path);
    }
    coarser = spacing;
    CheckLevel(
      file, path, fmt::format("{}/Steps/Level{}", Root, level), steps, names, places, left);
  }
  if (level == 0)
  {
    Throw("there is no group {}/Level0", Root);
  }
  if (steps > 1 && Exists(file, fmt::format("{}/Steps/Level{}", Root, level)))
  {
    Throw("{}/Steps has more levels than there are", Root);
  }
}

// The reader lists groups by the order in which their members were made.
void CheckKeepsOrder(hid_t file, const std::string& path)
{
  const hdf5::SilenceErrors silence;
  const hdf5::GroupHandle group(H5Gopen2(file, path.c_str(), H5P_DEFAULT));
  const hdf5::PropertiesHandle how(group < 0 ? H5I_INVALID_HID : H5Gget_create_plist(group));
  unsigned flags = 0;
  if (how < 0 || H5Pget_link_creation_order(how, &flags) < 0 ||
    (flags & H5P_CRT_ORDER_TRACKED) == 0)
  {
    Throw("the group {} does not keep the order in which its members were made, and vtkHDFReader "
          "needs that",
      path);
  }
}

// Throws if the reader does not know a type, and says which ParaView does.
void CheckKnown(hid_t file, const std::string& group, const std::string& type)
{
  struct Newer
  {
    const char* Type;
    const char* Since; ///< a version of VTKHDF
    const char* ParaView;
  };
  constexpr std::array newer = { Newer{ "HyperTreeGrid", "2.4", "6.0" },
    Newer{ "RectilinearGrid", "2.7", "6.2" }, Newer{ "StructuredGrid", "2.7", "6.2" } };
  for (const Newer& one : newer)
  {
    if (type == one.Type)
    {
      ThrowNewer(fmt::format("{} is a {}", group, type), one.Since, one.ParaView);
    }
  }
  constexpr std::array known = { "OverlappingAMR", "PartitionedDataSetCollection",
    "MultiBlockDataSet", "ImageData", "UnstructuredGrid", "PolyData" };
  if (std::find(known.begin(), known.end(), type) == known.end())
  {
    const auto version = Numbers(file, group, "Version", 2);
    throw Error(Fault::Refused,
      "{} is a {} of version {}.{} of VTKHDF, which is not known here: use a newer ParaView", group,
      type, version[0], version[1]);
  }
}

// A group with at most a type is one that is about to be written. An image may have no arrays.
void RequireContents(hid_t file)
{
  const auto has = [&](const char* attribute)
  { return H5Aexists_by_name(file, Root.c_str(), attribute, H5P_DEFAULT) > 0; };
  if (!hdf5::MembersOf(file, Root, 1).empty() || has("WholeExtent"))
  {
    return;
  }
  if (has("Type"))
  {
    CheckKnown(file, Root, TypeOf(file, Root));
  }
  throw NothingYet("VTKHDF", "its VTKHDF group is empty");
}

// A kind that a member of a collection, or the file itself, may be.
void CheckLeaf(
  hid_t file, const std::string& group, const std::string& type, std::vector<LeftOut>& left)
{
  Numbers(file, group, "Version", 2);
  StepsOf(file, group);
  if (type == "ImageData")
  {
    CheckImage(file, group);
  }
  else if (type == "UnstructuredGrid" || type == "PolyData")
  {
    CheckMesh(file, group, type == "PolyData");
  }
  else
  {
    CheckKnown(file, group, type);
    Throw("{} is of type \"{}\"; members of collections are images, unstructured grids or surfaces",
      group, type);
  }
  CheckArrays(file, group, left);
}

bool IsSoftLink(hid_t file, const std::string& path)
{
  const hdf5::SilenceErrors silence;
  H5L_info2_t link;
  return H5Lget_info2(file, path.c_str(), &link, H5P_DEFAULT) >= 0 && link.type == H5L_TYPE_SOFT;
}

// Nothing that the reader follows leads into itself.
void CheckAssembly(hid_t file, const std::string& path, bool blocks, int depth, std::size_t& seen,
  std::vector<LeftOut>& left)
{
  CheckKeepsOrder(file, path);
  for (const std::string& name : hdf5::MembersOf(file, path))
  {
    const std::string child = fmt::format("{}/{}", path, name);
    if (++seen > MostMembers || depth > MostDepth)
    {
      Throw("the groups in {}/Assembly have no end", Root);
    }
    if (hdf5::WhatIs(file, child) != hdf5::Thing::Group)
    {
      Throw("{} leads to no group", child);
    }
    if (!IsSoftLink(file, child))
    {
      CheckAssembly(file, child, blocks, depth + 1, seen, left);
    }
    else if (blocks)
    {
      CheckLeaf(file, child, TypeOf(file, child), left);
    }
    else
    {
      WholeNumber(file, child, "Index", 0, static_cast<double>(MostMembers));
    }
  }
}

// The member that was made last.
std::string LastMade(hid_t file)
{
  const hdf5::SilenceErrors silence;
  for (hsize_t index = 0; index < 2; ++index)
  {
    char name[1024] = "";
    if (H5Lget_name_by_idx(file, Root.c_str(), H5_INDEX_CRT_ORDER, H5_ITER_DEC, index, name,
          sizeof name, H5P_DEFAULT) > 0 &&
      std::string(name) != "Assembly")
    {
      return Root + "/" + name;
    }
  }
  return {};
}

void CheckCollection(hid_t file, bool blocks, std::vector<LeftOut>& left)
{
  CheckKeepsOrder(file, Root);
  const auto members = hdf5::MembersOf(file, Root);
  if (members.empty() || members == std::vector<std::string>{ "Assembly" })
  {
    throw NothingYet("VTKHDF", "its collection has no members");
  }
  if (hdf5::WhatIs(file, Root + "/Assembly") != hdf5::Thing::Group)
  {
    Throw("a collection needs the group {}/Assembly", Root);
  }
  std::set<std::int64_t> indices;
  std::int64_t steps = 1;
  for (const std::string& name : members)
  {
    if (name == "Assembly")
    {
      continue;
    }
    const std::string member = fmt::format("{}/{}", Root, name);
    if (hdf5::WhatIs(file, member) != hdf5::Thing::Group)
    {
      Throw("{} is no group", member);
    }
    CheckLeaf(file, member, TypeOf(file, member), left);
    steps = std::max(steps, StepsOf(file, member));
    const double last = static_cast<double>(members.size()) - 2;
    if (!blocks && !indices.insert(WholeNumber(file, member, "Index", 0, last)).second)
    {
      Throw("{} has the same Index as another", member);
    }
  }
  // The reader takes the times from the last one.
  if (const std::string last = LastMade(file); steps > 1 && StepsOf(file, last) != steps)
  {
    Throw("{} has another number of steps than others", last);
  }
  std::size_t seen = 0;
  CheckAssembly(file, Root + "/Assembly", blocks, 0, seen, left);
}
}

std::vector<LeftOut> CheckVtkHdf(hid_t file)
{
  RequireContents(file);
  std::vector<LeftOut> left;
  const std::string type = TypeOf(file, Root);
  Numbers(file, Root, "Version", 2);
  CheckKnown(file, Root, type);
  if (type == "OverlappingAMR")
  {
    CheckRefinement(file, left);
  }
  else if (type == "PartitionedDataSetCollection" || type == "MultiBlockDataSet")
  {
    StepsOf(file, Root);
    CheckCollection(file, type[0] == 'M', left);
  }
  else
  {
    CheckLeaf(file, Root, type, left);
  }
  return left;
}

}
