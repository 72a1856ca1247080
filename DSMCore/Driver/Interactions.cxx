// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/Interactions.h"

#include "Base/Error.h"

#include <hdf5.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace dsm
{

namespace
{
using Json = nlohmann::json;

/// An HDF5 identifier, closed at the end. Throws where HDF5 gave none.
class Handle
{
public:
  using Closer = herr_t (*)(hid_t);

  Handle(hid_t id, Closer closer)
    : Id(id)
    , Close(closer)
  {
    if (id < 0)
    {
      throw Error(Fault::System, "HDF5 could not make the file of /Interactions in memory");
    }
  }
  Handle(Handle&& other) noexcept
    : Id(std::exchange(other.Id, H5I_INVALID_HID))
    , Close(other.Close)
  {
  }
  Handle& operator=(Handle&&) = delete;
  ~Handle()
  {
    if (this->Id >= 0)
    {
      this->Close(this->Id);
    }
  }
  operator hid_t() const { return this->Id; }

private:
  hid_t Id;
  Closer Close;
};

void Check(herr_t status)
{
  if (status < 0)
  {
    throw Error(Fault::System, "HDF5 could not write the file of /Interactions in memory");
  }
}

Handle TextType(std::size_t length)
{
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  Check(H5Tset_size(type, std::max<std::size_t>(length, 1)));
  Check(H5Tset_cset(type, H5T_CSET_UTF8));
  return type;
}

// An HDF5 enumeration: h5dump shows its names, and it is read as any integer.
Handle EnumerationType(hid_t base, const std::vector<std::string>& names)
{
  Handle type(H5Tenum_create(base), H5Tclose);
  const bool small = H5Tget_size(base) == 1;
  for (std::size_t i = 0; i < names.size(); ++i)
  {
    const auto tiny = static_cast<signed char>(i);
    const int number = static_cast<int>(i);
    const void* value = small ? static_cast<const void*>(&tiny) : static_cast<const void*>(&number);
    Check(H5Tenum_insert(type, names[i].c_str(), value));
  }
  return type;
}

/// Where a value goes: a dataset or an attribute of one.
struct Place
{
  hid_t Holder;
  std::string Name;
  bool IsAttribute;
};

hid_t Make(const Place& place, hid_t type, hid_t space)
{
  if (place.IsAttribute)
  {
    return H5Acreate2(place.Holder, place.Name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT);
  }
  const Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  Check(H5Pset_obj_track_times(creation, false));
  return H5Dcreate2(
    place.Holder, place.Name.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
}

// Writes `data`, which has that type in memory; the dataset, or none for an attribute.
Handle Store(const Place& place, hid_t type, const void* data, hsize_t count = 1)
{
  const Handle space(
    count == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, nullptr), H5Sclose);
  Handle made(Make(place, type, space), place.IsAttribute ? H5Aclose : H5Dclose);
  Check(place.IsAttribute ? H5Awrite(made, type, data)
                          : H5Dwrite(made, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data));
  return made;
}

Handle StoreText(const Place& place, const std::string& text, std::size_t room = 0)
{
  // With its ending zero, for those who read as many bytes as the type has.
  std::vector<char> bytes(std::max(text.size(), room) + 1, '\0');
  std::copy(text.begin(), text.end(), bytes.begin());
  return Store(place, TextType(bytes.size()), bytes.data());
}

Handle StoreValue(const Place& place, const Json& parameter, const Json& value)
{
  const auto type = parameter.at("type").get<std::string>();
  if (type == "bool")
  {
    const signed char flag = value.get<bool>() ? 1 : 0;
    return Store(place, EnumerationType(H5T_NATIVE_SCHAR, { "FALSE", "TRUE" }), &flag);
  }
  if (type == "enumeration")
  {
    const auto choices = parameter.at("choices").get<std::vector<std::string>>();
    const auto found = std::find(choices.begin(), choices.end(), value.get<std::string>());
    const int index = static_cast<int>(found - choices.begin());
    return Store(place, EnumerationType(H5T_NATIVE_INT, choices), &index);
  }
  if (type == "int64")
  {
    const auto number = value.get<std::int64_t>();
    return Store(place, H5T_NATIVE_INT64, &number);
  }
  if (type == "string")
  {
    return StoreText(place, value.get<std::string>(), parameter.value("capacity", std::size_t(0)));
  }
  if (type == "vector")
  {
    const auto numbers = value.get<std::vector<double>>();
    return Store(place, H5T_NATIVE_DOUBLE, numbers.data(), numbers.size());
  }
  const auto number = value.get<double>();
  return Store(place, H5T_NATIVE_DOUBLE, &number);
}

using Pairs = std::pair<const char*, const char*>;
constexpr Pairs Texts[] = { { "Unit", "unit" }, { "Text", "text" }, { "Group", "group" },
  { "Meaning", "meaning" } };
constexpr Pairs Counts[] = { { "Step", "step" }, { "Change", "change" } };
constexpr Pairs Limits[] = { { "Minimum", "minimum" }, { "Maximum", "maximum" } };

// Attributes that parameters and commands share.
void Explain(hid_t dataset, const Json& entry)
{
  StoreText({ dataset, "Name", true }, entry.at("name").get<std::string>());
  for (const auto& [attribute, key] : Texts)
  {
    const auto text = entry.value(key, std::string());
    if (!text.empty())
    {
      StoreText({ dataset, attribute, true }, text);
    }
  }
  for (const auto& [attribute, key] : Counts)
  {
    const auto number = entry.at(key).get<std::int64_t>();
    Store({ dataset, attribute, true }, H5T_NATIVE_INT64, &number);
  }
}

// A slash in a name (a dataset that can be switched off) would be taken for a group.
std::string LinkName(std::string name)
{
  std::replace(name.begin(), name.end(), '/', '|');
  return name == "." ? "|." : name;
}

void Fill(hid_t file, const Json& answer)
{
  const Handle creation(H5Pcreate(H5P_GROUP_CREATE), H5Pclose);
  const Handle group(
    H5Gcreate2(file, "Interactions", H5P_DEFAULT, creation, H5P_DEFAULT), H5Gclose);
  StoreText({ group, "Program", true }, answer.at("program").get<std::string>());
  for (const auto& [attribute, key] : Counts)
  {
    const auto number = answer.at(key).get<std::int64_t>();
    Store({ group, attribute, true }, H5T_NATIVE_INT64, &number);
  }
  for (const auto& parameter : answer.at("parameters"))
  {
    const Handle dataset =
      StoreValue({ group, LinkName(parameter.at("name").get<std::string>()), false }, parameter,
        parameter.at("value"));
    Explain(dataset, parameter);
    // A vector's limits are numbers, for each of its components.
    Json ranged = parameter;
    ranged["type"] = parameter.at("type") == "int64" ? "int64" : "double";
    for (const auto& [attribute, key] : Limits)
    {
      if (parameter.contains(key))
      {
        StoreValue({ dataset, attribute, true }, ranged, parameter.at(key));
      }
    }
    StoreValue({ dataset, "Default", true }, parameter, parameter.at("default"));
  }
  for (const auto& command : answer.at("commands"))
  {
    const auto count = command.at("count").get<std::int64_t>();
    const Handle dataset = Store(
      { group, LinkName(command.at("name").get<std::string>()), false }, H5T_NATIVE_INT64, &count);
    Explain(dataset, command);
    StoreText({ dataset, "Kind", true }, "command");
  }
}
}

std::string InteractionsImage(const Json& answer)
{
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  Check(H5Pset_fapl_core(access, std::size_t(1) << 14, false));
  const Handle file(H5Fcreate("Interactions", H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose);
  Fill(file, answer);
  Check(H5Fflush(file, H5F_SCOPE_LOCAL));
  const ssize_t size = H5Fget_file_image(file, nullptr, 0);
  std::string bytes(size > 0 ? static_cast<std::size_t>(size) : 0, '\0');
  if (bytes.empty() || H5Fget_file_image(file, bytes.data(), bytes.size()) != size)
  {
    Check(-1);
  }
  return bytes;
}

InteractionsFile::InteractionsFile(std::string name, std::string bytes)
  : Name(std::move(name))
  , Bytes(std::move(bytes))
{
}

void InteractionsFile::Read(std::uint64_t address, void* destination, std::uint64_t size)
{
  auto* target = static_cast<char*>(destination);
  const std::uint64_t inside =
    address < this->Bytes.size() ? std::min<std::uint64_t>(size, this->Bytes.size() - address) : 0;
  if (inside > 0)
  {
    std::copy_n(this->Bytes.data() + address, inside, target);
  }
  std::fill(target + inside, target + size, '\0');
}

void InteractionsFile::Write(std::uint64_t, const void*, std::uint64_t)
{
  throw Error(Fault::Usage,
    "{} is open for reading only: parameters are changed from ParaView's side", this->Name);
}

}
