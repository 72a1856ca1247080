// SPDX-License-Identifier: BSD-3-Clause
#include "Tools/Repack/FileCopy.h"

#include "Tools/Repack/ReferenceCopy.h"

#include <algorithm>
#include <cstddef>

namespace dsm::repack
{

namespace
{
// So much of a dataset whose values have no fixed size is in memory at a time, without what they
// point to.
constexpr std::uint64_t VariableStep = UINT64_C(1) << 20;

// The names of something's links or attributes, in the order in which they were made where that is
// known.
H5_index_t OrderOf(unsigned kept)
{
  return (kept & H5P_CRT_ORDER_TRACKED) != 0 ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME;
}

// For H5Literate2 and H5Aiterate2.
template <typename Info>
herr_t NoteName(hid_t, const char* name, const Info*, void* names)
{
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

std::vector<std::string> LinksIn(hid_t group)
{
  const Hdf5Object list(CheckedHdf5(H5Gget_create_plist(group), "look at a group"), H5Pclose);
  unsigned kept = 0;
  H5Pget_link_creation_order(list, &kept);
  std::vector<std::string> names;
  CheckedHdf5(
    H5Literate2(group, OrderOf(kept), H5_ITER_INC, nullptr, NoteName<H5L_info2_t>, &names),
    "list links");
  return names;
}

Hdf5Object ListOf(hid_t object, H5O_type_t type)
{
  switch (type)
  {
    case H5O_TYPE_GROUP:
      return { H5Gget_create_plist(object), H5Pclose };
    case H5O_TYPE_DATASET:
      return { H5Dget_create_plist(object), H5Pclose };
    default:
      return { H5Tget_create_plist(object), H5Pclose };
  }
}

std::vector<std::string> AttributesOf(hid_t object)
{
  const Hdf5Object list = ListOf(object, InfoOf(object).Type);
  unsigned kept = 0;
  H5Pget_attr_creation_order(list, &kept);
  std::vector<std::string> names;
  CheckedHdf5(
    H5Aiterate2(object, OrderOf(kept), H5_ITER_INC, nullptr, NoteName<H5A_info_t>, &names),
    "list attributes");
  return names;
}

// What a group's properties say, and not where its links are in its own file, which
// H5Gget_create_plist also says of one with many.
void CopyProperties(hid_t group, hid_t list)
{
  const std::string what = "copy a group's properties";
  const Hdf5Object its(CheckedHdf5(H5Gget_create_plist(group), what), H5Pclose);
  unsigned links = 0;
  unsigned attributes = 0;
  CheckedHdf5(H5Pget_link_creation_order(its, &links), what);
  CheckedHdf5(H5Pset_link_creation_order(list, links), what);
  CheckedHdf5(H5Pget_attr_creation_order(its, &attributes), what);
  CheckedHdf5(H5Pset_attr_creation_order(list, attributes), what);
  unsigned most = 0;
  unsigned least = 0;
  CheckedHdf5(H5Pget_link_phase_change(its, &most, &least), what);
  CheckedHdf5(H5Pset_link_phase_change(list, most, least), what);
  CheckedHdf5(H5Pget_attr_phase_change(its, &most, &least), what);
  CheckedHdf5(H5Pset_attr_phase_change(list, most, least), what);
  bool times = false;
  CheckedHdf5(H5Pget_obj_track_times(its, &times), what);
  CheckedHdf5(H5Pset_obj_track_times(list, times), what);
}

void CopyComment(hid_t from, hid_t to)
{
  const ssize_t length = H5Oget_comment(from, nullptr, 0);
  if (length > 0)
  {
    std::string text(static_cast<std::size_t>(length), '\0');
    H5Oget_comment(from, text.data(), text.size() + 1);
    CheckedHdf5(H5Oset_comment(to, text.c_str()), "set a comment");
  }
}
}

Hdf5Object FileCreationList(hid_t from)
{
  Hdf5Object list(CheckedHdf5(H5Fget_create_plist(from), "look at a file"), H5Pclose);
  const Hdf5Object root(CheckedHdf5(H5Gopen2(from, "/", H5P_DEFAULT), "open a group"), H5Gclose);
  CopyProperties(root, list);
  return list;
}

FileCopy::FileCopy(hid_t from, hid_t to, const RepackTask& task, const ValueCopy& values)
  : From(from)
  , To(to)
  , Task(task)
  , Values(values)
  , Filters(Filter::FromTexts(task.Options.Filters))
{
}

void FileCopy::Run()
{
  for (const NamedObject& object : ObjectsIn(this->From))
  {
    this->Names[object.Info.Key] = object.Path;
  }
  this->MakeNamedTypes();
  const Hdf5Object from(
    CheckedHdf5(H5Gopen2(this->From, "/", H5P_DEFAULT), "open a group"), H5Gclose);
  const Hdf5Object to(CheckedHdf5(H5Gopen2(this->To, "/", H5P_DEFAULT), "open a group"), H5Gclose);
  this->Linked[InfoOf(from).Key] = "/";
  this->Order.emplace_back("/");
  this->CopyLinks(from, to, "/");
  for (const std::string& path : this->Variable)
  {
    this->CopyVariable(path);
  }
  for (const std::string& path : this->Order)
  {
    this->CopyAttributes(path);
  }
}

// Before all that has values of them; they get their names later.
void FileCopy::MakeNamedTypes()
{
  for (const NamedObject& object : ObjectsIn(this->From))
  {
    if (object.Info.Type == H5O_TYPE_NAMED_DATATYPE)
    {
      const Hdf5Object from(
        CheckedHdf5(H5Topen2(this->From, object.Path.c_str(), H5P_DEFAULT), "open a type"),
        H5Tclose);
      const Hdf5Object list(H5Tget_create_plist(from), H5Pclose);
      Hdf5Object made(CheckedHdf5(H5Tcopy(from), "copy a type"), H5Tclose);
      CheckedHdf5(
        H5Tcommit_anon(this->To, made, list, H5P_DEFAULT), "make the type " + object.Path);
      this->Types.emplace(object.Info.Key, std::move(made));
    }
  }
}

void FileCopy::CopyLinks(hid_t from, hid_t to, const std::string& prefix)
{
  for (const std::string& name : LinksIn(from))
  {
    this->CopyLink(from, to, prefix, name);
  }
}

void FileCopy::CopyLink(hid_t from, hid_t to, const std::string& prefix, const std::string& name)
{
  const std::string what = "make the link " + prefix + name;
  H5L_info2_t info = {};
  CheckedHdf5(H5Lget_info2(from, name.c_str(), &info, H5P_DEFAULT), "look at a link");
  const Hdf5Object linking(CheckedHdf5(H5Pcreate(H5P_LINK_CREATE), what), H5Pclose);
  CheckedHdf5(H5Pset_char_encoding(linking, info.cset), what);
  if (info.type == H5L_TYPE_HARD)
  {
    this->CopyHardLink(from, to, prefix, name, linking);
    return;
  }
  std::vector<char> value(info.u.val_size + 1);
  CheckedHdf5(H5Lget_val(from, name.c_str(), value.data(), info.u.val_size, H5P_DEFAULT), what);
  if (info.type == H5L_TYPE_SOFT)
  {
    CheckedHdf5(H5Lcreate_soft(value.data(), to, name.c_str(), linking, H5P_DEFAULT), what);
  }
  else if (info.type == H5L_TYPE_EXTERNAL)
  {
    const char* file = nullptr;
    const char* path = nullptr;
    CheckedHdf5(H5Lunpack_elink_val(value.data(), info.u.val_size, nullptr, &file, &path), what);
    CheckedHdf5(H5Lcreate_external(file, path, to, name.c_str(), linking, H5P_DEFAULT), what);
  }
  else
  {
    CheckedHdf5(H5Lcreate_ud(
                  to, name.c_str(), info.type, value.data(), info.u.val_size, linking, H5P_DEFAULT),
      what);
  }
}

void FileCopy::CopyHardLink(
  hid_t from, hid_t to, const std::string& prefix, const std::string& name, hid_t linking)
{
  const std::string path = prefix + name;
  const std::string what = "make " + path;
  const Hdf5Object object(CheckedHdf5(H5Oopen(from, name.c_str(), H5P_DEFAULT), what), H5Oclose);
  const ObjectInfo info = InfoOf(object);
  const auto known = this->Linked.find(info.Key);
  if (known != this->Linked.end())
  {
    CheckedHdf5(
      H5Lcreate_hard(this->To, known->second.c_str(), to, name.c_str(), linking, H5P_DEFAULT),
      what);
    return;
  }
  this->Linked[info.Key] = path;
  this->Order.push_back(path);
  const auto link = [&](hid_t made)
  { CheckedHdf5(H5Olink(made, to, name.c_str(), linking, H5P_DEFAULT), what); };
  if (info.Type == H5O_TYPE_GROUP)
  {
    const Hdf5Object list(CheckedHdf5(H5Pcreate(H5P_GROUP_CREATE), what), H5Pclose);
    CopyProperties(object, list);
    const Hdf5Object made(CheckedHdf5(H5Gcreate_anon(this->To, list, H5P_DEFAULT), what), H5Gclose);
    link(made);
    this->CopyLinks(object, made, path + "/");
  }
  else if (info.Type == H5O_TYPE_DATASET)
  {
    link(this->MakeDataset(object, path));
  }
  else if (info.Type == H5O_TYPE_NAMED_DATATYPE)
  {
    link(this->Types.at(info.Key));
  }
}

Hdf5Object FileCopy::MakeDataset(hid_t from, const std::string& path)
{
  const DatasetPlan plan(from, this->Filters, this->Task.Options.Minimum, this->Task.Gathers);
  const Hdf5Object type(CheckedHdf5(H5Dget_type(from), "look at a dataset's type"), H5Tclose);
  const Hdf5Object there = this->TypeThere(type);
  const Hdf5Object space(CheckedHdf5(H5Dget_space(from), "look at a dataset's shape"), H5Sclose);
  const bool isVirtual = plan.IsLarge() && !this->Task.Parts.empty();
  const Hdf5Object list = isVirtual
    ? plan.VirtualList(this->Task.Parts, this->Names.at(InfoOf(from).Key))
    : plan.CreationList();
  Hdf5Object made(
    CheckedHdf5(H5Dcreate_anon(this->To, there, space, list, H5P_DEFAULT), "make " + path),
    H5Dclose);
  if (plan.HasValues() && !isVirtual)
  {
    if (plan.IsFixed())
    {
      this->Values.Copy(from, made, plan, plan.Whole());
    }
    else
    {
      this->Variable.push_back(path);
    }
  }
  return made;
}

Hdf5Object FileCopy::TypeThere(hid_t type) const
{
  if (H5Tcommitted(type) > 0)
  {
    const auto named = this->Types.find(InfoOf(type).Key);
    if (named != this->Types.end())
    {
      return { CheckedHdf5(H5Iinc_ref(named->second) < 0 ? H5I_INVALID_HID : hid_t(named->second),
                 "use a named type"),
        H5Tclose };
    }
  }
  return { CheckedHdf5(H5Tcopy(type), "copy a type"), H5Tclose };
}

void FileCopy::CopyVariable(const std::string& path) const
{
  const Hdf5Object from(
    CheckedHdf5(H5Dopen2(this->From, path.c_str(), H5P_DEFAULT), "read " + path), H5Dclose);
  const Hdf5Object to(
    CheckedHdf5(H5Dopen2(this->To, path.c_str(), H5P_DEFAULT), "write " + path), H5Dclose);
  const Hdf5Object type(CheckedHdf5(H5Dget_type(from), "look at a dataset's type"), H5Tclose);
  const Hdf5Object space(CheckedHdf5(H5Dget_space(from), "look at a dataset's shape"), H5Sclose);
  const DatasetPlan plan(from, {}, 0);
  const ReferenceCopy references(this->From, this->To, this->Linked);
  std::vector<std::byte> values;
  const auto move = [&](const Box& piece)
  {
    const hsize_t count = piece.Values();
    values.assign(count * plan.ValueSize(), std::byte{ 0 });
    const Hdf5Object memory(CheckedHdf5(H5Screate_simple(1, &count, nullptr), "select"), H5Sclose);
    if (!piece.Start.empty())
    {
      CheckedHdf5(H5Sselect_hyperslab(space, H5S_SELECT_SET, piece.Start.data(), nullptr,
                    piece.Count.data(), nullptr),
        "select");
    }
    CheckedHdf5(H5Dread(from, type, memory, space, H5P_DEFAULT, values.data()), "read " + path);
    references.Change(type, values.data(), count);
    const herr_t written = H5Dwrite(to, type, memory, space, H5P_DEFAULT, values.data());
    H5Treclaim(type, memory, H5P_DEFAULT, values.data());
    CheckedHdf5(written, "write " + path);
  };
  if (plan.Extent().empty())
  {
    move({});
    return;
  }
  ForEachPiece(plan.Whole(), plan.Unit(), plan.ValueSize(), VariableStep, move);
}

void FileCopy::CopyAttributes(const std::string& path) const
{
  const Hdf5Object from(
    CheckedHdf5(H5Oopen(this->From, path.c_str(), H5P_DEFAULT), "open " + path), H5Oclose);
  const Hdf5Object to(
    CheckedHdf5(H5Oopen(this->To, path.c_str(), H5P_DEFAULT), "open " + path), H5Oclose);
  CopyComment(from, to);
  for (const std::string& name : AttributesOf(from))
  {
    this->CopyAttribute(from, to, name);
  }
}

void FileCopy::CopyAttribute(hid_t from, hid_t to, const std::string& name) const
{
  const std::string what = "copy the attribute " + name;
  const Hdf5Object attribute(CheckedHdf5(H5Aopen(from, name.c_str(), H5P_DEFAULT), what), H5Aclose);
  const Hdf5Object type(CheckedHdf5(H5Aget_type(attribute), what), H5Tclose);
  const Hdf5Object space(CheckedHdf5(H5Aget_space(attribute), what), H5Sclose);
  const Hdf5Object list(CheckedHdf5(H5Aget_create_plist(attribute), what), H5Pclose);
  const Hdf5Object there = this->TypeThere(type);
  const Hdf5Object made(
    CheckedHdf5(H5Acreate2(to, name.c_str(), there, space, list, H5P_DEFAULT), what), H5Aclose);
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  if (H5Sget_simple_extent_type(space) == H5S_NULL || count <= 0)
  {
    return;
  }
  std::vector<std::byte> values(static_cast<std::size_t>(count) * H5Tget_size(type));
  CheckedHdf5(H5Aread(attribute, type, values.data()), what);
  ReferenceCopy(this->From, this->To, this->Linked)
    .Change(type, values.data(), static_cast<std::size_t>(count));
  const herr_t written = H5Awrite(made, type, values.data());
  if (!HasFixedSize(type))
  {
    H5Treclaim(type, space, H5P_DEFAULT, values.data());
  }
  CheckedHdf5(written, what);
}

}
