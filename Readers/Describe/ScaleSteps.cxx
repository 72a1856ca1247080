// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/ScaleSteps.h"

#include "Describe/AxisValues.h"
#include "Describe/CfAttributes.h"
#include "Describe/NothingYet.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace dsm::describe
{

namespace
{
// How many variables have a time scale, and so many steps.
struct TimeUse
{
  const Scale* Of = nullptr; ///< nullptr: a dimension of time without a scale
  std::uint64_t Steps = 0;
  std::size_t Variables = 0;
};
}

ScaleSteps::ScaleSteps(const std::vector<ScaledVariable>& variables, const ScaleIndex& index,
  const FileFacts& file, DescriptionBuilder& result)
  : File(file)
  , Result(result)
{
  std::vector<TimeUse> uses; // in the file's order, on all ranks
  for (const ScaledVariable& variable : variables)
  {
    if (variable.Has(Role::Time))
    {
      const Scale* const scale = variable.ScaleOf(Role::Time);
      auto known =
        std::find_if(uses.begin(), uses.end(), [&](const TimeUse& use) { return use.Of == scale; });
      known = known == uses.end() ? uses.insert(uses.end(), { scale }) : known;
      known->Steps = variable.CountOf(Role::Time);
      ++known->Variables;
    }
  }
  if (!uses.empty())
  {
    const auto most = std::max_element(uses.begin(), uses.end(),
      [](const TimeUse& a, const TimeUse& b) { return a.Variables < b.Variables; });
    this->TimeScale = most->Of;
    this->SetTimes(most->Steps, index);
  }
}

void ScaleSteps::SetTimes(std::uint64_t steps, const ScaleIndex& index)
{
  std::vector<double> times = EquallySpaced(steps);
  const Scale* const scale = this->TimeScale;
  if (scale && scale->HasValues && scale->Length < steps && !index.IsNetCdf())
  {
    // The times are written after the values, or the values are in another file that is ahead.
    steps = scale->Length;
    times.resize(steps);
  }
  if (steps == 0)
  {
    throw NothingYet(index.Format(), "it has no step");
  }
  if (scale && scale->HasValues && scale->Length >= steps)
  {
    Source first = scale->Values;
    first.Dimensions[0].Count = steps;
    times = this->File.Values(first);
    this->Result.SetTimeUnits(this->File.Text(scale->Path, "units"));
  }
  else
  {
    this->Result.Guess("Time = number of the step, from 0");
  }
  this->Result.ChooseStep(steps);
  if (scale && scale->HasValues)
  {
    this->Result.SetTime(times[this->Result.Step()]);
  }
  if (!this->Result.ListTimes(std::move(times)))
  {
    this->Result.Guess(
      fmt::format("Only the last step is loaded (the times of the {} steps do not ascend)", steps));
  }
  this->Result.Use(scale ? scale->Path : "");
}

Source ScaleSteps::SourceOf(const ScaledVariable& variable) const
{
  Source source{ Stored{ variable.Dataset->Path }, variable.Dimensions };
  for (std::size_t axis = 0; axis < source.Dimensions.size(); ++axis)
  {
    Dimension& dimension = source.Dimensions[axis];
    if (dimension.Is == Role::Time)
    {
      const bool chosen = variable.Scales[axis] == this->TimeScale;
      const std::uint64_t last = dimension.Count - 1;
      dimension.Start = chosen ? std::min<std::uint64_t>(this->Result.Step(), last) : last;
      dimension.Count = 1;
    }
    else if (dimension.Is == Role::Fixed)
    {
      dimension.Count = 1;
    }
  }
  cf::Unpack(this->File, variable.Dataset->Path, source);
  return source;
}

}
