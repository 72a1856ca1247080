// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/RecipeSteps.h"

#include <algorithm>
#include <charconv>

namespace dsm::describe
{

namespace
{
struct Step
{
  double Number = 0;
  std::string Path;
  Bindings Words;
};

std::optional<double> FirstNumber(const Bindings& words)
{
  for (const auto& [word, text] : words)
  {
    if (const auto number = NumberBefore(text))
    {
      return number;
    }
  }
  return std::nullopt;
}
}

RecipeSteps FindRecipeSteps(const std::string& pattern, const std::vector<hdf5::Object>& objects)
{
  std::vector<Step> steps;
  for (const hdf5::Object& object : objects)
  {
    const auto words = object.Dataset ? std::nullopt : MatchGroup(pattern, object.Path);
    if (const auto number = words ? FirstNumber(*words) : std::nullopt)
    {
      steps.push_back({ *number, object.Path, *words });
    }
  }
  std::stable_sort(steps.begin(), steps.end(),
    [](const Step& one, const Step& other) { return one.Number < other.Number; });
  RecipeSteps found;
  for (Step& step : steps)
  {
    found.Groups.Paths.push_back(std::move(step.Path));
    found.Groups.Numbers.push_back(step.Number);
    found.Words.push_back(std::move(step.Words));
  }
  return found;
}

std::optional<double> NumberBefore(const std::string& text)
{
  const std::string value = text.substr(std::min(text.size(), text.find_first_not_of(' ')));
  double number = 0;
  const char* const end = value.data() + value.size();
  const auto read = std::from_chars(value.data(), end, number);
  const bool whole = read.ec == std::errc() && (read.ptr == end || *read.ptr == ' ');
  return whole ? std::optional(number) : std::nullopt;
}

}
