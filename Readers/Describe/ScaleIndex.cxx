// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/ScaleIndex.h"

#include "Describe/CfAttributes.h"
#include "Describe/NothingYet.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace dsm::describe
{

using hdf5::Object;

ScaleIndex::ScaleIndex(const FileFacts& file)
  : File(file)
{
  for (const Object& object : file.Objects())
  {
    if (!object.Dataset || object.Shape.empty() ||
      file.Text(object.Path, "CLASS") != "DIMENSION_SCALE")
    {
      continue;
    }
    this->Scales.emplace(object.Path, this->ScaleAt(object));
    if (const auto number = file.Number(object.Path, "_Netcdf4Dimid"))
    {
      this->Numbered.emplace(*number, object.Path);
    }
  }
}

Scale ScaleIndex::ScaleAt(const Object& object) const
{
  Scale scale;
  scale.Path = object.Path;
  scale.Length = object.Shape[0];
  // A netCDF dimension without a variable of its name.
  const std::string name = this->File.Text(object.Path, "NAME");
  const bool isEmpty = name.rfind("This is a netCDF dimension but not a netCDF variable", 0) == 0;
  scale.Name = name.empty() || isEmpty ? object.Name() : name;
  scale.HasValues = !isEmpty && object.Numbers && object.Shape.size() == 1;
  scale.Means = cf::MeaningOf(this->File, object);
  scale.Text = cf::AxisText(this->File, object, scale.Name);
  scale.Values.From = Stored{ object.Path };
  scale.Values.Dimensions = { { Role::Index, 0, scale.Length } };
  cf::Unpack(this->File, object.Path, scale.Values);
  if (this->File.Text(object.Path, "positive") == "down")
  {
    scale.Values.Scale *= -1;
    scale.Values.Offset *= -1;
  }
  return scale;
}

bool ScaleIndex::IsNetCdf() const
{
  return this->File.Has("/", "_NCProperties") || !this->File.Text("/", "Conventions").empty();
}

std::string ScaleIndex::Format() const
{
  return this->IsNetCdf() ? "netCDF-4" : "dimension scales";
}

bool ScaleIndex::IsScale(const std::string& path) const
{
  return this->Scales.count(path) > 0;
}

const Scale* ScaleIndex::Choose(const std::vector<std::string>& paths) const
{
  const Scale* chosen = nullptr;
  for (const std::string& path : paths)
  {
    const auto found = this->Scales.find(path);
    if (found != this->Scales.end() && (!chosen || (!chosen->Means && found->second.Means)))
    {
      chosen = &found->second;
    }
  }
  return chosen;
}

std::vector<std::vector<std::string>> ScaleIndex::ScalesOf(const Object& object) const
{
  auto attached = this->File.References(object.Path, "DIMENSION_LIST");
  if (!attached.empty())
  {
    return attached;
  }
  std::vector<std::vector<std::string>> named;
  for (const double number : this->File.Numbers(object.Path, "_Netcdf4Coordinates", 32))
  {
    const auto found = this->Numbered.find(number);
    named.push_back(
      found == this->Numbered.end() ? std::vector<std::string>() : std::vector{ found->second });
  }
  return named;
}

ScaledVariable ScaleIndex::VariableOf(const Object& object) const
{
  ScaledVariable variable;
  if (!object.Numbers || object.Elements() == 0)
  {
    return variable;
  }
  const auto lists = this->ScalesOf(object);
  if (lists.size() != object.Shape.size())
  {
    return variable;
  }
  std::vector<const Scale*> scales;
  std::transform(lists.begin(), lists.end(), std::back_inserter(scales),
    [&](const std::vector<std::string>& list) { return this->Choose(list); });
  if (std::none_of(scales.begin(), scales.end(), [](const Scale* one) { return one; }))
  {
    return variable;
  }
  variable.Dataset = &object;
  variable.Scales = std::move(scales);
  variable.Labels = this->File.Texts(object.Path, "DIMENSION_LABELS", 32);
  variable.Coordinates = cf::NamedIn(this->File, object, "coordinates");
  std::erase_if(variable.Coordinates, [](const Object* named) { return !named->Numbers; });
  return variable;
}

std::vector<ScaledVariable> ScaleIndex::Variables(DescriptionBuilder& result) const
{
  std::map<std::string, std::string> isNoField; // and why
  for (const Object& object : this->File.Objects())
  {
    for (const char* const attribute : { "coordinates", "bounds", "grid_mapping" })
    {
      for (const Object* const named : cf::NamedIn(this->File, object, attribute))
      {
        isNoField.emplace(
          named->Path, fmt::format("{} names it in its {}", object.Path, attribute));
      }
    }
  }
  std::vector<ScaledVariable> variables;
  for (const Object& object : this->File.Objects())
  {
    if (!object.Dataset || this->IsScale(object.Path))
    {
      continue;
    }
    if (const auto found = isNoField.find(object.Path); found != isNoField.end())
    {
      result.Explain(object.Path, found->second);
      continue;
    }
    if (ScaledVariable variable = this->VariableOf(object); !variable.Scales.empty())
    {
      variables.push_back(std::move(variable));
    }
  }
  return variables;
}

void ScaleIndex::RequireValues() const
{
  std::size_t empty = 0;
  for (const Object& object : this->File.Objects())
  {
    if (!object.Dataset || this->IsScale(object.Path))
    {
      continue;
    }
    if (object.Elements() > 0 || !object.Numbers || this->ScalesOf(object).empty())
    {
      return;
    }
    ++empty;
  }
  if (empty > 0)
  {
    throw NothingYet(this->Format(),
      "its datasets with dimension scales are empty, or the files are not there that they are put "
      "together of");
  }
}

}
