// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/RecipeDatasets.h"

#include <algorithm>
#include <utility>

namespace dsm::describe
{

std::string PartGroup::Folder() const
{
  return this->Path == "/" ? "/" : this->Path + "/";
}

std::uint64_t MeantDataset::CountOf(char letter) const
{
  for (std::size_t axis = 0; axis < this->Letters.size(); ++axis)
  {
    if (this->Letters[axis].Is == letter)
    {
      return this->Dataset->Shape[axis];
    }
  }
  return 0;
}

PerAxis MeantDataset::Counts() const
{
  return { std::max<std::uint64_t>(1, this->CountOf('x')),
    std::max<std::uint64_t>(1, this->CountOf('y')),
    std::max<std::uint64_t>(1, this->CountOf('z')) };
}

RecipeDatasets::RecipeDatasets(
  std::vector<hdf5::Object> objects, std::optional<std::size_t> step, DescriptionBuilder& result)
  : All(std::move(objects))
  , Step(step)
  , Result(result)
{
}

const std::vector<hdf5::Object>& RecipeDatasets::Objects() const
{
  return this->All;
}

std::vector<MeantDataset> RecipeDatasets::Find(const std::string& patterns, const PartGroup& group)
{
  std::vector<MeantDataset> found;
  for (DatasetPattern pattern : ParsePatterns(Bound(patterns, group.Words)))
  {
    if (pattern.Path[0] != '/')
    {
      pattern.Path = group.Folder() + pattern.Path;
    }
    for (const hdf5::Object& object : this->All)
    {
      const bool numbers = pattern.Member.empty()
        ? object.Numbers
        : std::find(object.Members.begin(), object.Members.end(), pattern.Member) !=
          object.Members.end();
      const auto name = numbers ? pattern.NameIn(object.Path) : std::nullopt;
      const auto letters = pattern.Fit(object.Shape.size());
      const bool isEmpty = object.Elements() == 0;
      this->Empty = this->Empty || (name && letters && isEmpty);
      if (name && letters && !isEmpty)
      {
        found.push_back({ &object, *letters, *name, pattern.Member });
      }
    }
    if (!found.empty())
    {
      break;
    }
  }
  return found;
}

Source RecipeDatasets::SourceOf(const MeantDataset& meant, std::uint64_t variable)
{
  Source source{ Stored{ meant.Dataset->Path, {}, meant.Member } };
  for (std::size_t axis = 0; axis < meant.Letters.size(); ++axis)
  {
    const DatasetPattern::Letter& letter = meant.Letters[axis];
    const std::uint64_t count = meant.Dataset->Shape[axis];
    const Role role = letter.Is == 0 ? Role::Fixed : RoleOf(letter.Is);
    Dimension dimension{ role, 0, count, 1, letter.Reversed };
    if (role == Role::Time)
    {
      this->StepCount = count;
      dimension = { role, std::min<std::uint64_t>(this->Step.value_or(count - 1), count - 1) };
    }
    else if (role == Role::Fixed)
    {
      dimension = { role, letter.Is == 'v' ? variable : letter.At };
    }
    source.Dimensions.push_back(dimension);
  }
  this->Result.Use(meant.Dataset->Path);
  return source;
}

std::uint64_t RecipeDatasets::Steps() const
{
  return this->StepCount;
}

bool RecipeDatasets::HasEmpty() const
{
  return this->Empty;
}

}
