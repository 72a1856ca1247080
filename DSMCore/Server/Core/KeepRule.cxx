// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/KeepRule.h"

#include "Base/Error.h"
#include "Server/Core/StreamBook.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace dsm
{

namespace
{
constexpr std::string_view Every = "every";

// The number behind "every"; 0 where there is none.
std::uint64_t IntervalOf(std::string_view text)
{
  text.remove_prefix(std::min(text.find_first_not_of(' ', Every.size()), text.size()));
  std::uint64_t interval = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), interval);
  return error == std::errc() && end == text.data() + text.size() ? interval : 0;
}
}

KeepRule KeepRule::FromText(const std::string& text)
{
  KeepRule rule;
  if (text == "all")
  {
    return rule;
  }
  if (text == "none")
  {
    rule.Interval = 0;
    return rule;
  }
  if (text == Every || text.starts_with("every "))
  {
    rule.Interval = IntervalOf(text);
  }
  else
  {
    rule.Pattern = text;
  }
  if (rule.Interval == 0 || rule.Pattern.empty())
  {
    throw Error(Fault::Usage,
      "unknown rule \"{}\": enter all, none, every N, or patterns separated by \":\"", text);
  }
  return rule;
}

bool KeepRule::Keeps(const SnapshotDescription& snapshot)
{
  if (this->Interval > 1)
  {
    return this->Seen[snapshot.Stream]++ % this->Interval == 0;
  }
  return this->MayKeep(snapshot.FileName, snapshot.Stream);
}

bool KeepRule::MayKeep(const std::string& fileName, const std::string& stream) const
{
  return !this->IsNone() && FitsStream(this->Pattern, fileName, stream);
}

}
