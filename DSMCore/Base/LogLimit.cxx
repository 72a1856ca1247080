// SPDX-License-Identifier: BSD-3-Clause
#include "Base/LogLimit.h"

#include <fmt/format.h>

#include <utility>

namespace dsm
{

namespace
{
constexpr std::size_t LongestSample = 120;

// "1,234"
std::string WithCommas(std::uint64_t number)
{
  std::string text = std::to_string(number);
  for (std::size_t end = text.size(); end > 3; end -= 3)
  {
    text.insert(end - 3, ",");
  }
  return text;
}
}

bool LogLimit::Admits(const std::string& kind, const std::string& line, Clock::time_point now)
{
  auto found = this->Kinds.find(kind);
  if (found == this->Kinds.end())
  {
    if (this->Kinds.size() >= MostKinds)
    {
      std::erase_if(this->Kinds, [&](const auto& known)
        { return this->IsOver(known.second, now) && known.second.Rest.Count == 0; });
    }
    found = this->Kinds.try_emplace(this->Kinds.size() >= MostKinds ? std::string() : kind).first;
    if (found->second.Written == 0)
    {
      found->second.Begin = now;
    }
  }
  Entry& entry = found->second;
  if (this->IsOver(entry, now) && entry.Rest.Count == 0)
  {
    entry.Begin = now;
    entry.Written = 0;
  }
  if (entry.Written < this->Lines)
  {
    ++entry.Written;
    return true;
  }
  ++entry.Rest.Count;
  entry.Rest.Last = line.substr(0, LongestSample);
  return false;
}

std::vector<LogLimit::Omitted> LogLimit::TakeOmitted(Clock::time_point now)
{
  std::vector<Omitted> taken;
  for (auto& [kind, entry] : this->Kinds)
  {
    if (entry.Rest.Count > 0 && this->IsOver(entry, now))
    {
      taken.push_back(std::exchange(entry.Rest, {}));
    }
  }
  return taken;
}

std::string OmittedText(const LogLimit::Omitted& omitted)
{
  return fmt::format("… {} more like this: {}", WithCommas(omitted.Count), omitted.Last);
}

}
