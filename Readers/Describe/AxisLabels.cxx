// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/AxisLabels.h"

#include "Describe/AxisMeaning.h"
#include "Describe/Text.h"

#include <algorithm>
#include <array>
#include <string>

namespace dsm::describe
{

using Letter = DatasetPattern::Letter;

namespace
{
char LetterOf(const std::string& label)
{
  constexpr std::array components = { "c", "component", "components", "channel", "channels" };
  const std::string lower = LowerCase(label);
  if (std::find(components.begin(), components.end(), lower) != components.end())
  {
    return 'c';
  }
  const auto means = MeaningOf({ label });
  return !means ? char{ 0 } : *means == Role::Time ? 't' : "xyz"[AxisOf(*means)];
}
}

std::vector<Letter> AxisLabels(const FileFacts& file, const hdf5::Object& dataset)
{
  if (!file.HasAttributes(dataset.Path))
  {
    return {};
  }
  for (const char* const name : { "DIMENSION_LABELS", "axisLabels", "axis_labels" })
  {
    const auto labels = file.Texts(dataset.Path, name, 32);
    if (labels.empty() || labels.size() != dataset.Shape.size())
    {
      continue;
    }
    std::vector<Letter> letters;
    for (const std::string& label : labels)
    {
      const char letter = LetterOf(label);
      const bool isTaken = std::any_of(
        letters.begin(), letters.end(), [&](const Letter& one) { return one.Is == letter; });
      letters.push_back({ isTaken ? char{ 0 } : letter });
    }
    return letters;
  }
  return {};
}

}
