// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/RecipeArrays.h"

#include "Describe/Check.h"
#include "Describe/ObjectSources.h"

#include <fmt/format.h>

#include <algorithm>

namespace dsm::describe
{

RecipeArrays::RecipeArrays(const Recipe& rules, const RecipeValues& values,
  RecipeDatasets& datasets, DescriptionBuilder& result)
  : Rules(rules)
  , Values(values)
  , Datasets(datasets)
  , Result(result)
{
}

std::vector<MeantDataset> RecipeArrays::Find(const PartGroup& group)
{
  for (const std::string& pattern : this->Rules.Fields)
  {
    const auto more = this->Datasets.Find(pattern, group);
    this->Fields.insert(this->Fields.end(), more.begin(), more.end());
  }
  std::vector<MeantDataset> all = this->Fields;
  for (const auto& [name, patterns] : this->Rules.Arrays)
  {
    if (auto found = this->FindOf(name, patterns, group); !found.empty())
    {
      all.insert(all.end(), found.begin(), found.end());
      this->Arrays.emplace_back(name, std::move(found));
    }
  }
  return all;
}

std::vector<MeantDataset> RecipeArrays::FindOf(
  const std::string& name, const std::vector<std::string>& patterns, const PartGroup& group)
{
  std::vector<MeantDataset> sources;
  for (const std::string& pattern : patterns)
  {
    const auto found = this->Datasets.Find(pattern, group);
    if (found.empty())
    {
      this->Result.LeaveOut(name, fmt::format("there is no {}", pattern));
      return {};
    }
    sources.push_back(found.front());
  }
  return sources;
}

void RecipeArrays::AddTo(Part& part, const PartGroup& group)
{
  for (const auto& [name, found] : this->Arrays)
  {
    this->AddArray(part, name, found);
  }
  for (const MeantDataset& field : this->Fields)
  {
    this->AddField(part, field);
  }
  for (const auto& [name, what] : this->Rules.Constants)
  {
    const auto value = this->Values.Number(what, group.Words);
    if (!HasArray(part, name) && value && *value != 0)
    {
      part.Arrays.push_back({ name, Centring::Point, { { Constant{ *value } } } });
    }
  }
}

void RecipeArrays::AddArray(
  Part& part, const std::string& name, const std::vector<MeantDataset>& found)
{
  const auto centring = this->CentringOf(part, found.front());
  Array array{ name, centring.value_or(Centring::Point) };
  for (const MeantDataset& one : found)
  {
    if (!centring || this->CentringOf(part, one) != centring)
    {
      this->ExplainMisfit(part, one);
      this->Result.LeaveOut(name, fmt::format("{} does not fit {}", one.Dataset->Path, part.Name));
      return;
    }
  }
  std::vector<std::string> members;
  for (const MeantDataset& one : found)
  {
    array.Sources.push_back(this->Datasets.SourceOf(one));
    members.push_back(one.Member);
  }
  if (IsComplex(members))
  {
    array.ComponentNames = ComplexNames;
  }
  part.Arrays.push_back(std::move(array));
}

void RecipeArrays::AddField(Part& part, const MeantDataset& field)
{
  if (this->Result.IsUsed(field.Dataset->Path))
  {
    return;
  }
  const auto centring = this->CentringOf(part, field);
  if (!centring)
  {
    this->ExplainMisfit(part, field);
    return;
  }
  const auto names = this->VariableNames(field);
  for (std::uint64_t variable = 0; variable < names.size(); ++variable)
  {
    const bool taken = HasArray(part, names[variable]);
    part.Arrays.push_back({ taken ? field.Name + "_" + names[variable] : names[variable], *centring,
      { this->Datasets.SourceOf(field, variable) } });
  }
}

std::vector<std::string> RecipeArrays::VariableNames(const MeantDataset& field) const
{
  const std::uint64_t count = field.CountOf('v');
  if (count == 0)
  {
    return { field.Name };
  }
  if (this->Rules.Names.size() == 3)
  {
    const auto datasets = this->Values.Texts(this->Rules.Names[0]);
    const auto counts = this->Values.Numbers(this->Rules.Names[1]);
    const auto names = this->Values.Texts(this->Rules.Names[2]);
    double at = 0;
    for (std::size_t index = 0; index < std::min(datasets.size(), counts.size()); ++index)
    {
      const auto first = static_cast<std::size_t>(std::clamp(at, 0.0, 1e6));
      if (datasets[index] == field.Name && first + count <= names.size())
      {
        return { names.begin() + static_cast<std::ptrdiff_t>(first),
          names.begin() + static_cast<std::ptrdiff_t>(first + count) };
      }
      at += counts[index];
    }
  }
  std::vector<std::string> names;
  names.reserve(count);
  for (std::uint64_t index = 0; index < count; ++index)
  {
    names.push_back(fmt::format("{}_{}", field.Name, index));
  }
  return names;
}

std::optional<Centring> RecipeArrays::CentringOf(const Part& part, const MeantDataset& field) const
{
  const auto* points = std::get_if<Vertices>(&part.On);
  const auto* rows = std::get_if<Rows>(&part.On);
  if (points || rows)
  {
    return field.CountOf('i') == (points ? points->Count : rows->Count)
      ? std::optional(Centring::Point)
      : std::nullopt;
  }
  const PerAxis ofPoints = PointsOf(part.On), cells = CellsOf(part.On), counts = field.Counts();
  const bool blocks = part.Blocks.empty() == (field.CountOf('b') == 0);
  const bool cellsFirst = this->Rules.On == "cell";
  if (!blocks || (counts != ofPoints && counts != cells))
  {
    return std::nullopt;
  }
  return counts == cells && (cellsFirst || counts != ofPoints) ? Centring::Cell : Centring::Point;
}

void RecipeArrays::ExplainMisfit(const Part& part, const MeantDataset& field)
{
  this->Result.Explain(field.Dataset->Path,
    fmt::format("size {} does not match {}", field.Dataset->ShapeText(), part.Name));
}

}
