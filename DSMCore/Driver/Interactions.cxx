// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/Interactions.h"

#include "Base/Error.h"
#include "Driver/SmallFile.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace dsm
{

namespace
{
// An HDF5 enumeration: h5dump shows its names, and it is read as any integer.
Hdf5Handle EnumerationType(hid_t base, const std::vector<std::string>& names)
{
  Hdf5Handle type(H5Tenum_create(base), H5Tclose);
  const bool small = H5Tget_size(base) == 1;
  for (std::size_t i = 0; i < names.size(); ++i)
  {
    const auto tiny = static_cast<signed char>(i);
    const int number = static_cast<int>(i);
    const void* value = small ? static_cast<const void*>(&tiny) : static_cast<const void*>(&number);
    CheckHdf5(H5Tenum_insert(type, names[i].c_str(), value));
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
  const Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  CheckHdf5(H5Pset_obj_track_times(creation, false));
  return H5Dcreate2(
    place.Holder, place.Name.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
}

// Writes `data`, which has that type in memory; the dataset, or none for an attribute.
Hdf5Handle Store(const Place& place, hid_t type, const void* data, hsize_t count = 1)
{
  const Hdf5Handle space(
    count == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, nullptr), H5Sclose);
  Hdf5Handle made(Make(place, type, space), place.IsAttribute ? H5Aclose : H5Dclose);
  CheckHdf5(place.IsAttribute ? H5Awrite(made, type, data)
                              : H5Dwrite(made, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data));
  return made;
}

Hdf5Handle StoreText(const Place& place, const std::string& text, std::size_t room = 0)
{
  // With its ending zero, for those who read as many bytes as the type has.
  std::vector<char> bytes(std::max(text.size(), room) + 1, '\0');
  std::copy(text.begin(), text.end(), bytes.begin());
  return Store(place, Hdf5TextType(bytes.size()), bytes.data());
}

Hdf5Handle StoreValue(const Place& place, const ParameterDeclaration& parameter, const Value& value)
{
  switch (parameter.Type)
  {
    case ValueType::Bool:
    {
      const signed char flag = std::get<bool>(value) ? 1 : 0;
      return Store(place, EnumerationType(H5T_NATIVE_SCHAR, { "FALSE", "TRUE" }), &flag);
    }
    case ValueType::Choice:
    {
      const auto& choices = parameter.Choices;
      const auto found = std::find(choices.begin(), choices.end(), std::get<std::string>(value));
      const int index = static_cast<int>(found - choices.begin());
      return Store(place, EnumerationType(H5T_NATIVE_INT, choices), &index);
    }
    case ValueType::Integer:
      return Store(place, H5T_NATIVE_INT64, &std::get<std::int64_t>(value));
    case ValueType::Text:
    case ValueType::Array: // the text that names it
      return StoreText(place, std::get<std::string>(value), parameter.Capacity);
    case ValueType::Vector:
    {
      const auto& numbers = std::get<Vector3>(value);
      return Store(place, H5T_NATIVE_DOUBLE, numbers.data(), numbers.size());
    }
    case ValueType::Real:
      break;
  }
  return Store(place, H5T_NATIVE_DOUBLE, &std::get<double>(value));
}

void StoreNumber(hid_t holder, const char* name, std::int64_t number)
{
  Store({ holder, name, true }, H5T_NATIVE_INT64, &number);
}

// A vector's limits are numbers, for each of its components.
void StoreLimit(hid_t holder, const char* name, const std::optional<Value>& limit)
{
  if (limit && std::holds_alternative<std::int64_t>(*limit))
  {
    StoreNumber(holder, name, std::get<std::int64_t>(*limit));
  }
  else if (limit)
  {
    Store({ holder, name, true }, H5T_NATIVE_DOUBLE, &std::get<double>(*limit));
  }
}

void StoreIfAny(hid_t holder, const char* name, const std::string& text)
{
  if (!text.empty())
  {
    StoreText({ holder, name, true }, text);
  }
}

// Attributes that parameters and commands share.
template <typename Entry>
void Explain(hid_t dataset, const Entry& entry)
{
  StoreText({ dataset, "Name", true }, entry.What.Name);
  StoreIfAny(dataset, "Text", entry.What.Text);
  StoreIfAny(dataset, "Group", entry.What.Group);
  StoreNumber(dataset, "Step", entry.Step);
  StoreNumber(dataset, "Change", static_cast<std::int64_t>(entry.Change));
}

// A slash in a name (a dataset that can be switched off) would be taken for a group.
std::string LinkName(std::string name)
{
  std::replace(name.begin(), name.end(), '/', '|');
  return name == "." ? "|." : name;
}

void Fill(hid_t file, const ProgramInteractions& interactions)
{
  const Hdf5Handle creation(H5Pcreate(H5P_GROUP_CREATE), H5Pclose);
  const Hdf5Handle group(
    H5Gcreate2(file, "Interactions", H5P_DEFAULT, creation, H5P_DEFAULT), H5Gclose);
  StoreText({ group, "Program", true }, interactions.Program);
  StoreNumber(group, "Step", interactions.Step);
  StoreNumber(group, "Change", static_cast<std::int64_t>(interactions.Change));
  for (const InteractionParameter& parameter : interactions.Parameters)
  {
    const ParameterDeclaration& what = parameter.What;
    const Hdf5Handle dataset =
      StoreValue({ group, LinkName(what.Name), false }, what, ToValue(what.Type, parameter.Now));
    Explain(dataset, parameter);
    StoreIfAny(dataset, "Unit", what.Unit);
    StoreIfAny(dataset, "Meaning", what.Meaning);
    StoreLimit(dataset, "Minimum", what.Minimum);
    StoreLimit(dataset, "Maximum", what.Maximum);
    StoreValue({ dataset, "Default", true }, what, what.Default);
  }
  for (const InteractionCommand& command : interactions.Commands)
  {
    const Hdf5Handle dataset =
      Store({ group, LinkName(command.What.Name), false }, H5T_NATIVE_INT64, &command.Count);
    Explain(dataset, command);
    StoreText({ dataset, "Kind", true }, "command");
  }
}
}

Bytes InteractionsImage(const ProgramInteractions& interactions)
{
  return SmallFile("Interactions", [&](hid_t file) { Fill(file, interactions); });
}

InteractionsFile::InteractionsFile(std::string name, Bytes image)
  : Name(std::move(name))
  , Image(std::move(image))
{
}

void InteractionsFile::Read(FileOffset address, void* destination, std::uint64_t size)
{
  auto* target = static_cast<char*>(destination);
  const std::uint64_t inside =
    address < this->Image.size() ? std::min<std::uint64_t>(size, this->Image.size() - address) : 0;
  if (inside > 0)
  {
    std::copy_n(this->Image.data() + address, inside, target);
  }
  std::fill(target + inside, target + size, '\0');
}

void InteractionsFile::Write(FileOffset, const void*, std::uint64_t)
{
  throw Error(Fault::Usage,
    "{} is open for reading only: parameters are changed from ParaView's side", this->Name);
}

}
