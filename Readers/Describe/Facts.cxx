// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/Facts.h"

#include "Describe/Hdf5Attributes.h"
#include "Describe/SourceFolder.h"
#include "Describe/SourceReader.h"
#include "Describe/Text.h"

#include <algorithm>
#include <charconv>

namespace dsm::describe
{

namespace
{
constexpr std::uint64_t MostNumbers = std::uint64_t(1) << 24;

// "@/Header/Time" is the attribute Time of /Header.
std::pair<std::string, std::string> AttributeOf(const std::string& what)
{
  const auto slash = what.rfind('/');
  if (slash == std::string::npos)
  {
    return { "/", what.substr(1) };
  }
  return { slash == 1 ? "/" : what.substr(1, slash - 1), what.substr(slash + 1) };
}
}

std::uint64_t CountFrom(double number)
{
  // Not a number, it is not greater either.
  return number > 0 && number < 1e15 ? static_cast<std::uint64_t>(number) : 0;
}

Facts::Facts(hid_t file, const std::vector<hdf5::Object>& objects)
  : File(file)
  , Objects(objects)
{
}

std::vector<double> Facts::Numbers(const std::string& text, const Bindings& bindings) const
{
  std::string what = Bound(text, bindings);
  std::optional<std::size_t> index;
  if (const auto open = what.rfind('['); !what.empty() && what.back() == ']' && open != what.npos)
  {
    std::string word = what.substr(open + 1, what.size() - open - 2);
    const auto bound = bindings.find(word);
    word = bound == bindings.end() ? word : bound->second;
    std::size_t number = 0;
    if (std::from_chars(word.data(), word.data() + word.size(), number).ec != std::errc())
    {
      return {};
    }
    index = number;
    what.erase(open);
  }
  std::vector<double> values;
  if (what.empty())
  {
    return values;
  }
  if (what[0] != '@' && what[0] != '/')
  {
    for (const std::string& word : Split(what, " ,"))
    {
      const auto number = AsNumber(word);
      if (!number)
      {
        return {};
      }
      values.push_back(*number);
    }
    return values;
  }
  if (const auto key = what.find('<'); what.back() == '>' && key != std::string::npos)
  {
    const auto value =
      this->BesideName(what.substr(0, key), what.substr(key + 1, what.size() - key - 2));
    return value ? std::vector{ *value } : values;
  }
  if (what[0] == '@')
  {
    const auto [object, name] = AttributeOf(what);
    values = hdf5::NumbersAttribute(this->File, object, name).value_or(values);
  }
  // By any of its names: LAMMPS' times of positions are links to those of the box.
  else if (const auto dataset = hdf5::ObjectAt(this->File, what);
    dataset && dataset->Numbers && dataset->Elements() <= MostNumbers)
  {
    // Its numbers in the file's order.
    Source source{ Stored{ what, {}, {}, 0 }, { { Role::Index, 0, dataset->Elements() } } };
    Window window;
    window.Index.Count = dataset->Elements();
    values = SourceReader(this->File).Numbers(source, window);
  }
  if (index)
  {
    return *index < values.size() ? std::vector{ values[*index] } : std::vector<double>{};
  }
  return values;
}

std::optional<double> Facts::Number(const std::string& what, const Bindings& bindings) const
{
  const auto numbers = this->Numbers(what, bindings);
  return numbers.empty() ? std::nullopt : std::optional(numbers.back());
}

std::vector<std::string> Facts::Texts(const std::string& what) const
{
  if (what.empty() || what[0] != '@')
  {
    return {};
  }
  const auto [object, name] = AttributeOf(what);
  return hdf5::TextsAttribute(this->File, object, name);
}

bool Facts::Holds(const std::string& condition) const
{
  if (!condition.empty() && condition[0] == '!')
  {
    return !this->Holds(condition.substr(1));
  }
  if (condition.empty() || condition[0] != '@')
  {
    return hdf5::Find(this->Objects, condition) != nullptr;
  }
  const auto equals = condition.find('=');
  const auto [object, name] = AttributeOf(condition.substr(0, equals));
  if (equals == std::string::npos)
  {
    return H5Aexists_by_name(this->File, object.c_str(), name.c_str(), H5P_DEFAULT) > 0;
  }
  return hdf5::TextAttribute(this->File, object, name) == condition.substr(equals + 1);
}

// A row of a list of names and values, as FLASH has them: the name is text of fixed length.
std::optional<double> Facts::BesideName(const std::string& path, const std::string& name) const
{
  const hdf5::SilenceErrors silence;
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

}
