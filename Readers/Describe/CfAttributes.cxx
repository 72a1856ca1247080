// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/CfAttributes.h"

#include "Describe/AxisMeaning.h"
#include "Describe/Text.h"

#include <fmt/format.h>

#include <algorithm>

namespace dsm::describe::cf
{

namespace
{
// Finds a dataset in the group of `from`, or in one above.
const hdf5::Object* Resolve(
  const FileFacts& file, const hdf5::Object& from, const std::string& name)
{
  std::string folder = from.Folder();
  while (true)
  {
    const hdf5::Object* found = file.Find(name.front() == '/' ? name : folder + name);
    if (found)
    {
      return found;
    }
    if (folder == "/" || name.front() == '/')
    {
      return nullptr;
    }
    folder.pop_back();
    folder.erase(folder.rfind('/') + 1);
  }
}
}

std::optional<Role> MeaningOf(const FileFacts& file, const hdf5::Object& object)
{
  const auto text = [&](const char* name) { return file.Text(object.Path, name); };
  return describe::MeaningOf(
    { object.Name(), text("axis"), text("units"), text("standard_name"), text("positive") });
}

std::string AxisText(const FileFacts& file, const hdf5::Object& object, const std::string& name)
{
  std::string text = file.Text(object.Path, "long_name");
  text = text.empty() ? file.Text(object.Path, "standard_name") : text;
  text = text.empty() ? name : text;
  const std::string units = file.Text(object.Path, "units");
  return units.empty() ? text : fmt::format("{} [{}]", text, units);
}

void Unpack(const FileFacts& file, const std::string& path, Source& source)
{
  source.Scale = file.NumberOr(path, "scale_factor", 1);
  source.Offset = file.NumberOr(path, "add_offset", 0);
  for (const char* const name : { "_FillValue", "missing_value" })
  {
    for (const double value : file.Numbers(path, name, 16))
    {
      if (std::find(source.Missing.begin(), source.Missing.end(), value) == source.Missing.end())
      {
        source.Missing.push_back(value);
      }
    }
  }
}

std::vector<const hdf5::Object*> NamedIn(
  const FileFacts& file, const hdf5::Object& object, const std::string& attribute)
{
  std::vector<const hdf5::Object*> found;
  for (const std::string& word : Split(file.Text(object.Path, attribute), " \t\n\r\v\f"))
  {
    if (const hdf5::Object* const named = Resolve(file, object, word))
    {
      found.push_back(named);
    }
  }
  return found;
}

}
