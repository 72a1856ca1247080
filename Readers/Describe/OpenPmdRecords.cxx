// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/OpenPmdRecords.h"

#include "Base/Error.h"
#include "Describe/Text.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace dsm::describe
{

namespace
{
// Writes the powers of the seven SI units: "m kg s^-3 A^-1".
std::string UnitsOf(const std::vector<double>& powers)
{
  constexpr std::array names = { "m", "kg", "s", "A", "K", "mol", "cd" };
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < std::min(names.size(), powers.size()); ++i)
  {
    if (const double power = powers[i]; power != 0)
    {
      parts.push_back(power == 1 ? std::string(names[i]) : fmt::format("{}^{:g}", names[i], power));
    }
  }
  return fmt::format("{}", fmt::join(parts, " "));
}

OpenPmdComponent ComponentAt(const Asked& asked, const std::string& path, const std::string& name)
{
  OpenPmdComponent made;
  made.Name = name;
  made.Path = path;
  made.Unit = asked.File.NumberOr(path, "unitSI", 1);
  made.Position = asked.File.Numbers(path, "position");
  if (asked.File.WhatIs(path) == hdf5::Thing::Dataset)
  {
    const auto object = asked.File.ObjectAt(path);
    if (!object || object->Type == "unreadable")
    {
      throw Error(Fault::Usage, "there is no dataset {} in {}", path, asked.Name);
    }
    if (!object->Numbers || object->Null)
    {
      throw Error(Fault::Usage, "the dataset {} in {} holds no numbers", path, asked.Name);
    }
    made.Shape.assign(object->Shape.begin(), object->Shape.end());
    return made;
  }
  const auto value = asked.File.Numbers(path, "value");
  const auto shape = asked.File.Numbers(path, "shape");
  if (value.empty() || shape.empty())
  {
    throw Error(Fault::Unsupported, "it is neither a dataset nor a constant of one number");
  }
  made.Constant = value.front();
  for (const double one : shape)
  {
    if (!(one >= 0 && one < 1e15))
    {
      throw Error(Fault::Usage, "its shape has the size {}", one);
    }
    made.Shape.push_back(static_cast<std::uint64_t>(one));
  }
  return made;
}

bool IsComponent(const FileFacts& file, const std::string& path)
{
  return file.WhatIs(path) == hdf5::Thing::Dataset ||
    (!file.Numbers(path, "value").empty() && !file.Numbers(path, "shape").empty());
}

OpenPmdRecord RecordAt(const Asked& asked, const std::string& path)
{
  const FileFacts& file = asked.File;
  OpenPmdRecord record;
  record.Name = LastName(path);
  record.Path = path;
  record.Units = UnitsOf(file.Numbers(path, "unitDimension"));
  record.TimeOffset = file.NumberOr(path, "timeOffset", 0);
  if (IsComponent(file, path))
  {
    record.Components.push_back(ComponentAt(asked, path, ""));
    return record;
  }
  for (const std::string& member : PathsIn(file, path))
  {
    record.Components.push_back(ComponentAt(asked, member, LastName(member)));
  }
  if (record.Components.empty())
  {
    throw Error(Fault::Unsupported, "it has no components");
  }
  return record;
}
}

Source OpenPmdComponent::SourceOver(const std::vector<Role>& roles) const
{
  if (this->Constant)
  {
    return { describe::Constant{ *this->Constant * this->Unit } };
  }
  Source source{ Stored{ this->Path } };
  for (std::size_t i = 0; i < roles.size(); ++i)
  {
    source.Dimensions.push_back({ roles[i], 0, roles[i] == Role::Fixed ? 1 : this->Shape[i] });
  }
  source.Scale = this->Unit;
  return source;
}

std::optional<std::size_t> AxisNamed(const std::string& name)
{
  return name.size() == 1 && name[0] >= 'x' && name[0] <= 'z'
    ? std::optional(static_cast<std::size_t>(name[0] - 'x'))
    : std::nullopt;
}

std::vector<std::string> PathsIn(const FileFacts& file, const std::string& folder)
{
  std::vector<std::string> paths;
  for (const std::string& name : file.MembersOf(folder))
  {
    paths.push_back(fmt::format("{}/{}", folder, name));
  }
  return paths;
}

std::vector<OpenPmdRecord> RecordsIn(const Asked& asked, const std::string& folder,
  DescriptionBuilder& result, const std::string& skipped)
{
  std::vector<OpenPmdRecord> records;
  for (const std::string& path : PathsIn(asked.File, folder))
  {
    if (LastName(path) == skipped)
    {
      continue;
    }
    try
    {
      records.push_back(RecordAt(asked, path));
    }
    catch (const Error& error)
    {
      result.LeaveOut(path, error.what());
    }
  }
  return records;
}

}
