// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/RecipeTimes.h"

#include "Describe/AxisValues.h"
#include "Describe/Text.h"

#include <utility>

namespace dsm::describe
{

RecipeTimes::RecipeTimes(std::string time, const FileFacts& file, DescriptionBuilder& result)
  : Time(std::move(time))
  , File(file)
  , Values(file)
  , Result(result)
{
}

std::optional<double> RecipeTimes::TimeOf(const Bindings& words) const
{
  const auto number = NumberBefore(Bound(this->Time, words));
  return number ? number : this->Values.Number(this->Time, words);
}

void RecipeTimes::SetOf(const RecipeSteps& steps)
{
  this->InGroups = this->Time.find('{') != std::string::npos;
  std::vector<double> times = steps.Groups.Numbers;
  if (this->InGroups)
  {
    times.clear();
    for (const Bindings& words : steps.Words)
    {
      const auto time = this->TimeOf(words);
      if (!time)
      {
        return;
      }
      times.push_back(*time);
    }
    this->Result.SetTime(times[this->Result.Step()]);
  }
  if (times.size() > 1)
  {
    this->Result.ListTimes(std::move(times));
  }
}

void RecipeTimes::SetAlong(std::uint64_t steps, const std::vector<PartGroup>& groups)
{
  if (this->InGroups)
  {
    return;
  }
  if (this->Time.empty())
  {
    if (steps > 1 && !this->Result.HasTimes())
    {
      this->Result.ChooseStep(steps);
      this->Result.ListTimes(EquallySpaced(steps));
    }
    return;
  }
  if (this->Time[0] == '@' || this->Time.find('<') != std::string::npos || AsNumber(this->Time))
  {
    this->Result.SetTime(this->Values.Number(this->Time));
    return;
  }
  bool known = false;
  for (const PartGroup& group : groups)
  {
    for (const DatasetPattern& pattern : ParsePatterns(Bound(this->Time, group.Words)))
    {
      const std::string path =
        pattern.Path[0] == '/' ? pattern.Path : group.Folder() + pattern.Path;
      known = known || this->Read(path, steps);
      this->Result.Use(path);
    }
  }
}

bool RecipeTimes::Read(const std::string& path, std::uint64_t steps)
{
  auto times = this->Values.Numbers(path);
  if (times.empty())
  {
    return false;
  }
  if (times.size() == 1 && steps > 1)
  {
    times = EquallySpaced(steps, this->File.NumberOr(path, "offset", 0), times.front());
  }
  this->Result.ChooseStep(times.size());
  this->Result.SetTimes(std::move(times));
  return true;
}

}
