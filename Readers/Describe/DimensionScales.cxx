// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/DimensionScales.h"

#include "Base/Error.h"
#include "Describe/DescriptionBuilder.h"
#include "Describe/ScaleGeometry.h"
#include "Describe/ScaleIndex.h"
#include "Describe/ScaleRoles.h"
#include "Describe/ScaleSteps.h"
#include "Describe/Text.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

namespace dsm::describe
{

using hdf5::Object;

namespace
{
// Puts the variables of one file together as parts, one for each set of coordinates.
class ScaleDescriber
{
public:
  explicit ScaleDescriber(const Asked& asked);
  std::optional<Description> Describe();

private:
  void AddToPart(ScaledVariable& variable, const ScaleSteps& steps, ScaleGeometry& geometry);
  std::string PartName(const ScaledVariable& variable) const;

  // Returns three sources for two components that are along x and z, or y and z. ParaView would
  // take the two for x and y.
  std::vector<Source> SourcesOf(const ScaledVariable& variable, const ScaleSteps& steps);

  // Removes the groups from the arrays' names, if the names stay unique.
  void NameArrays(const std::vector<ScaledVariable>& variables);
  void LeaveOut();

  const Asked& Input;
  const FileFacts& File;
  ScaleIndex Index;
  DescriptionBuilder Result;
};

ScaleDescriber::ScaleDescriber(const Asked& asked)
  : Input(asked)
  , File(asked.File)
  , Index(asked.File)
  , Result(asked)
{
}

std::optional<Description> ScaleDescriber::Describe()
{
  auto variables = this->Index.Variables(this->Result);
  if (variables.empty())
  {
    this->Index.RequireValues();
    return std::nullopt;
  }
  for (ScaledVariable& variable : variables)
  {
    SetRoles(variable, this->File, this->Result);
  }
  const ScaleSteps steps(variables, this->Index, this->File, this->Result);
  ScaleGeometry geometry(this->File, this->Index, steps, this->Result);
  for (ScaledVariable& variable : variables)
  {
    this->AddToPart(variable, steps, geometry);
  }
  this->NameArrays(variables);
  this->LeaveOut();
  if (this->Result.Parts().empty())
  {
    throw Error(Fault::Unsupported,
      "the datasets of {} have dimension scales, and none of them has a dimension in space: there "
      "is nothing to show",
      this->Input.Name);
  }
  this->Result.SetFormat(this->Index.Format(), "its datasets have dimension scales");
  return this->Result.Finish();
}

void ScaleDescriber::AddToPart(
  ScaledVariable& variable, const ScaleSteps& steps, ScaleGeometry& geometry)
{
  if (!variable.IsSpatial())
  {
    this->Result.Explain(variable.Dataset->Path, "it has no dimension in space");
    return;
  }
  Geometry on = geometry.Of(variable);
  auto& parts = this->Result.Parts();
  auto part =
    std::find_if(parts.begin(), parts.end(), [&](const Part& one) { return one.On == on; });
  if (part == parts.end())
  {
    Part made{ this->PartName(variable), std::move(on) };
    for (const Role role : SpatialRoles)
    {
      const Scale* const scale = variable.ScaleOf(role);
      made.AxisNames[AxisOf(role)] = scale ? scale->Text : "";
    }
    part = parts.insert(parts.end(), std::move(made));
  }
  Array array{ variable.Dataset->Path.substr(1), Centring::Point };
  array.Sources = this->SourcesOf(variable, steps);
  array.Units = this->File.Text(variable.Dataset->Path, "units");
  part->Arrays.push_back(std::move(array));
  this->Result.Use(variable.Dataset->Path);
  for (const Scale* const scale : variable.Scales)
  {
    this->Result.Use(scale ? scale->Path : "");
  }
}

std::string ScaleDescriber::PartName(const ScaledVariable& variable) const
{
  std::vector<std::string> names;
  std::vector<std::uint64_t> counts;
  for (std::size_t axis = 0; axis < variable.Dimensions.size(); ++axis)
  {
    const Role role = variable.Dimensions[axis].Is;
    const Scale* const scale = variable.Scales[axis];
    if (role == Role::Index || IsSpatial(role))
    {
      // If a scale's name differs from its dataset's, several datasets have that scale.
      const bool named = scale && scale->Name != LastName(scale->Path);
      names.push_back(named ? scale->Name
          : scale           ? scale->Path.substr(1)
                            : fmt::format("{}", axis));
      counts.push_back(variable.Dimensions[axis].Count);
    }
  }
  std::string name = fmt::format("{}", fmt::join(names, ", "));
  const auto& parts = this->Result.Parts();
  const bool isTaken =
    std::any_of(parts.begin(), parts.end(), [&](const Part& one) { return one.Name == name; });
  return isTaken ? fmt::format("{} ({})", name, fmt::join(counts, " x ")) : name;
}

std::vector<Source> ScaleDescriber::SourcesOf(
  const ScaledVariable& variable, const ScaleSteps& steps)
{
  const Source all = steps.SourceOf(variable);
  std::vector<Role> directions;
  std::size_t components = all.Dimensions.size();
  for (std::size_t axis = 0; axis < all.Dimensions.size(); ++axis)
  {
    const Role role = all.Dimensions[axis].Is;
    if (role == Role::Component)
    {
      components = axis;
    }
    else if (IsSpatial(role))
    {
      directions.push_back(role);
    }
  }
  if (directions.size() != 2 || components == all.Dimensions.size() ||
    all.Dimensions[components].Count != 2 || directions[0] == Role::Z || directions[1] != Role::Z)
  {
    return { all };
  }
  std::vector<Source> sources(3, Source{ Constant{ 0 } });
  for (std::size_t component = 0; component < 2; ++component)
  {
    Source one = all;
    one.Dimensions[components] = { Role::Fixed, component, 1 };
    sources[AxisOf(directions[component])] = std::move(one);
  }
  this->Result.Guess(fmt::format("Components of {} = {} and {}", variable.Dataset->Path,
    "xyz"[AxisOf(directions[0])], "xyz"[AxisOf(directions[1])]));
  return sources;
}

void ScaleDescriber::NameArrays(const std::vector<ScaledVariable>& variables)
{
  std::map<std::string, std::size_t> uses;
  for (const ScaledVariable& variable : variables)
  {
    ++uses[variable.Dataset->Name()];
  }
  for (Part& part : this->Result.Parts())
  {
    for (Array& array : part.Arrays)
    {
      array.Name = uses[LastName(array.Name)] == 1 ? LastName(array.Name) : array.Name;
    }
  }
}

void ScaleDescriber::LeaveOut()
{
  this->Result.LeaveOutOthers(this->File.Objects(),
    [&](const Object& object) -> std::string
    {
      return this->Index.IsScale(object.Path) ? "it is the scale of a dimension"
        : !object.Numbers        ? fmt::format("its type is not numeric ({})", object.Type)
        : object.Elements() == 0 ? "it is empty"
                                 : "it has no dimension scales";
    });
}
}

std::optional<Description> RecogniseDimensionScales(const Asked& asked)
{
  return ScaleDescriber(asked).Describe();
}

}
