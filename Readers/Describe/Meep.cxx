// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/Meep.h"

#include "Base/FileName.h"
#include "Describe/AxisValues.h"
#include "Describe/DescriptionBuilder.h"
#include "Describe/ObjectSources.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>

namespace dsm::describe
{

using hdf5::Object;

namespace
{
// One of Meep's fields, in one dataset, or in NAME.r and NAME.i.
struct Field
{
  const Object* Real = nullptr;
  const Object* Imaginary = nullptr;
};

bool IsMeepName(const std::string& name)
{
  constexpr std::array others = { "eps", "mu", "energy", "denergy", "henergy" };
  const bool component = name.size() == 2 &&
    std::string("ehdbs").find(name[0]) != std::string::npos &&
    std::string("xyzrp").find(name[1]) != std::string::npos;
  return component || std::find(others.begin(), others.end(), name) != others.end();
}

bool IsAppended(const Object& object)
{
  return object.Most.size() > 1 && object.Most.back() == H5S_UNLIMITED &&
    std::find(object.Most.begin(), object.Most.end() - 1, H5S_UNLIMITED) == object.Most.end() - 1;
}

// Returns "ez" for "ring-ez-000009.00.h5" and for "ring-ez.h5".
std::string WordIn(const std::string& file)
{
  std::string stem = std::filesystem::path(file).stem().string();
  const auto dash = stem.rfind('-');
  const bool numbered = dash != std::string::npos && dash + 1 < stem.size() &&
    stem.find_first_not_of("0123456789.", dash + 1) == std::string::npos;
  stem.erase(numbered ? dash : stem.size());
  return stem.substr(stem.rfind('-') + 1);
}

// Whether the root has a few datasets, with Meep's names and no attributes, and nothing else.
bool MayBeMeep(const FileFacts& file)
{
  constexpr std::size_t most = 64;
  const auto names = file.MembersOf("/", most + 1);
  return !names.empty() && names.size() <= most && !file.HasAttributes("/") &&
    std::all_of(names.begin(), names.end(),
      [&](const std::string& name)
      {
        const bool part = name.ends_with(".r") || name.ends_with(".i");
        return IsMeepName(name.substr(0, name.size() - (part ? 2 : 0))) &&
          file.WhatIs("/" + name) == hdf5::Thing::Dataset && !file.HasAttributes("/" + name);
      });
}
}

std::optional<Description> RecogniseMeep(const Asked& asked)
{
  if (!MayBeMeep(asked.File))
  {
    return std::nullopt;
  }
  const auto& objects = asked.File.Objects();
  std::map<std::string, Field> fields;
  for (const Object& object : objects)
  {
    std::string name = object.Name();
    const bool imaginary = name.ends_with(".i");
    if (imaginary || name.ends_with(".r"))
    {
      name.erase(name.size() - 2);
    }
    (imaginary ? fields[name].Imaginary : fields[name].Real) = &object;
  }
  const std::string word = WordIn(asked.Name);
  const bool named = !word.empty() &&
    std::all_of(fields.begin(), fields.end(),
      [&](const auto& field) { return field.first.rfind(word, 0) == 0; });
  const Object& first = objects.front();
  const bool appended = IsAppended(first);
  const std::size_t axes = first.Shape.size() - (appended ? 1 : 0);
  const bool fits = std::all_of(objects.begin(), objects.end(),
    [&](const Object& one)
    {
      return one.Type.rfind("float", 0) == 0 && one.Shape == first.Shape && one.Elements() > 0 &&
        IsAppended(one) == appended;
    });
  const bool whole = std::all_of(
    fields.begin(), fields.end(), [](const auto& field) { return field.second.Real != nullptr; });
  const bool complex = std::all_of(fields.begin(), fields.end(),
    [](const auto& field) { return field.second.Imaginary != nullptr; });
  if (!(named || appended || complex) || !fits || !whole || first.Shape.empty() || axes > 3)
  {
    return std::nullopt;
  }

  DescriptionBuilder result(asked);
  result.SetFormat("Meep", "its datasets are named and lie as those of Meep");
  Uniform on;
  for (std::size_t axis = 0; axis < axes; ++axis)
  {
    on.Points.at(axis) = first.Shape[axis];
  }
  if (appended)
  {
    const std::uint64_t steps = first.Shape.back();
    result.ChooseStep(steps);
    // The file has no times, so count the steps.
    result.ListTimes(EquallySpaced(std::min<std::uint64_t>(steps, 1000000)));
    result.SetTime(static_cast<double>(result.Step()));
    result.Assume(Setting::Time, "Last dimension = time, in steps of 1");
  }
  else if (named)
  {
    // "ring-ez-000009.00.h5"
    result.SetTime(StepFromName(std::filesystem::path(asked.Name).filename().string()));
  }
  Part part{ "Meep", on };
  for (const auto& [name, field] : fields)
  {
    Array array{ name, Centring::Point };
    for (const Object* object : { field.Real, field.Imaginary })
    {
      if (!object)
      {
        continue;
      }
      Source source{ Stored{ object->Path } };
      for (std::size_t axis = 0; axis < axes; ++axis)
      {
        source.Dimensions.push_back({ SpatialRoles.at(axis), 0, object->Shape[axis] });
      }
      if (appended)
      {
        source.Dimensions.push_back({ Role::Time, result.Step() });
      }
      array.Sources.push_back(std::move(source));
    }
    if (array.Sources.size() > 1)
    {
      array.ComponentNames = ComplexNames;
    }
    part.Arrays.push_back(std::move(array));
  }
  result.AddPart(std::move(part));
  result.Assume(Setting::Origin, "Origin 0 0 0");
  result.Assume(Setting::Spacing, "Spacing 1 1 1");
  const std::string order = std::string("zyx").substr(3 - axes);
  std::vector<Alternative> others;
  if (axes > 1)
  {
    others.push_back({ Setting::AxisOrder, order, order });
  }
  result.Assume(Setting::AxisOrder, "First dimension = x", std::move(others));
  return result.Finish();
}

}
