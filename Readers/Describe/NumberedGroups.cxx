// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/NumberedGroups.h"

#include "Describe/Text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>

namespace dsm::describe
{

namespace
{
struct Numbered
{
  std::string Before; ///< the number, with the path of the group above
  double Number = 0;
};

std::optional<Numbered> Parse(const hdf5::Object& object)
{
  const std::string name = object.Name();
  const auto digit = name.find_first_of("0123456789");
  if (object.Dataset || digit == std::string::npos)
  {
    return std::nullopt;
  }
  std::string before = LowerCase(name.substr(0, digit));
  before.erase(before.find_last_not_of(' ') + 1);
  constexpr std::array words = { "", "step#", "step", "step_", "step-", "timestep", "timestep_",
    "time_step_", "time:", "it", "it=", "iteration", "iteration_", "cycle", "cycle_", "frame",
    "frame_", "output_", "snapshot_" };
  if (std::find(words.begin(), words.end(), before) == words.end())
  {
    return std::nullopt;
  }
  Numbered found{ object.Folder() + before };
  const char* const end = name.data() + name.size();
  const auto parsed = std::from_chars(name.data() + digit, end, found.Number);
  // A time may have its unit behind it.
  const bool whole = parsed.ptr == end || (before == "time:" && *parsed.ptr == ' ');
  return parsed.ec == std::errc() && whole ? std::optional(found) : std::nullopt;
}

bool IsBelow(const std::string& path, const std::string& group)
{
  return path.size() > group.size() && path.rfind(group, 0) == 0 && path[group.size()] == '/';
}

// Whether the path is that of one of the groups, or below it.
bool IsIn(const std::set<std::string>& groups, const std::string& path)
{
  for (std::size_t end = 0; end != std::string::npos;)
  {
    end = path.find('/', end + 1);
    if (groups.count(path.substr(0, end)) > 0)
    {
      return true;
    }
  }
  return false;
}
}

NumberedGroups FindSteps(const std::vector<hdf5::Object>& objects)
{
  std::map<std::string, std::vector<std::pair<double, std::string>>> families;
  for (const auto& object : objects)
  {
    if (const auto numbered = Parse(object))
    {
      families[numbered->Before].emplace_back(numbered->Number, object.Path);
    }
  }
  NumberedGroups found;
  // The one that is furthest up.
  const auto depth = [](const std::string& path)
  { return std::count(path.begin(), path.end(), '/'); };
  const auto chosen = std::min_element(families.begin(), families.end(),
    [&](const auto& a, const auto& b) { return depth(a.first) < depth(b.first); });
  if (chosen == families.end())
  {
    return found;
  }
  std::sort(chosen->second.begin(), chosen->second.end());
  for (const auto& [number, path] : chosen->second)
  {
    found.Numbers.push_back(number);
    found.Paths.push_back(path);
  }
  return found;
}

std::vector<hdf5::Object> OfStep(
  const std::vector<hdf5::Object>& objects, const NumberedGroups& steps, std::size_t step)
{
  std::set<std::string> others(steps.Paths.begin(), steps.Paths.end());
  others.erase(steps.Paths.at(step));
  std::vector<hdf5::Object> kept;
  std::copy_if(objects.begin(), objects.end(), std::back_inserter(kept),
    [&](const hdf5::Object& object) { return !IsIn(others, object.Path); });
  return kept;
}

std::string WithoutStep(const std::string& path, const NumberedGroups& steps, std::size_t step)
{
  if (step >= steps.Paths.size() || !IsBelow(path, steps.Paths[step]))
  {
    return path;
  }
  const std::string& group = steps.Paths[step];
  return group.substr(0, group.rfind('/')) + path.substr(group.size());
}

}
