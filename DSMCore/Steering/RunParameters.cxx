// SPDX-License-Identifier: BSD-3-Clause
#include "Steering/RunParameters.h"

#include <algorithm>
#include <ranges>

namespace dsm
{

namespace
{
constexpr std::size_t MostSimulations = 64;
constexpr std::size_t MostChanges = 4096;
}

void RunParameters::Enter(const std::string& instance, const NamedValues& values, double when)
{
  auto known = std::find_if(this->Known.begin(), this->Known.end(),
    [&](const Simulation& one) { return one.Instance == instance; });
  if (known == this->Known.end())
  {
    if (this->Known.size() >= MostSimulations)
    {
      this->Known.pop_front();
    }
    this->Known.push_back({ instance, 0, when, values, {} });
    return;
  }
  for (const auto& [name, value] : values)
  {
    const auto [now, isNew] = known->Now.emplace(name, value);
    if (isNew || now->second == value)
    {
      continue;
    }
    known->Before.push_back({ when, name, now->second });
    now->second = value;
    if (known->Before.size() > MostChanges)
    {
      known->Before.pop_front();
    }
  }
}

void RunParameters::SetRun(const std::string& instance, std::uint64_t run)
{
  for (Simulation& one : this->Known)
  {
    if (one.Instance == instance)
    {
      one.Run = run;
    }
  }
}

NamedValues RunParameters::Simulation::At(double when) const
{
  NamedValues values = this->Now;
  for (const Replaced& change : std::views::reverse(this->Before))
  {
    if (change.When <= when)
    {
      break;
    }
    values[change.Name] = change.Value;
  }
  return values;
}

std::vector<Outcome::Change> RunParameters::Changed(
  std::uint64_t run, std::uint64_t origin, double when) const
{
  // A run may have had several simulations, one after the other.
  const Simulation* present = nullptr;
  const Simulation* past = nullptr;
  for (const Simulation& one : this->Known)
  {
    if (one.Run == run)
    {
      present = &one;
    }
    if (one.Run == origin && (!past || one.Since <= when))
    {
      past = &one;
    }
  }
  std::vector<Outcome::Change> changed;
  if (!present || !past || run == 0 || origin == 0)
  {
    return changed;
  }
  const NamedValues then = past->At(when);
  for (const auto& [name, value] : present->Now)
  {
    const auto old = then.find(name);
    if (old != then.end() && old->second != value)
    {
      changed.push_back({ name, old->second, value });
    }
  }
  return changed;
}

}
