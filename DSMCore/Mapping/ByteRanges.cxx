// SPDX-License-Identifier: BSD-3-Clause
#include "Mapping/ByteRanges.h"

#include <algorithm>
#include <iterator>

namespace dsm
{

void ByteRanges::Add(ByteRange range)
{
  if (range.Begin >= range.End)
  {
    return;
  }
  // All that it touches become one.
  auto next = this->Ends.upper_bound(range.Begin);
  if (next != this->Ends.begin() && std::prev(next)->second >= range.Begin)
  {
    --next;
    range.Begin = next->first;
  }
  while (next != this->Ends.end() && next->first <= range.End)
  {
    range.End = std::max(range.End, next->second);
    next = this->Ends.erase(next);
  }
  this->Ends[range.Begin] = range.End;
}

std::optional<ByteRange> ByteRanges::Missing(ByteRange range) const
{
  const auto behind = [this](std::uint64_t offset)
  {
    const auto next = this->Ends.upper_bound(offset);
    return next == this->Ends.begin() ? this->Ends.end() : std::prev(next);
  };
  if (const auto first = behind(range.Begin); first != this->Ends.end())
  {
    range.Begin = std::max(range.Begin, first->second);
  }
  if (range.Begin >= range.End)
  {
    return std::nullopt;
  }
  if (const auto last = behind(range.End - 1);
    last != this->Ends.end() && last->second >= range.End)
  {
    range.End = last->first;
  }
  return range;
}

std::vector<ByteRange> ByteRanges::List() const
{
  std::vector<ByteRange> list;
  list.reserve(this->Ends.size());
  for (const auto& [begin, end] : this->Ends)
  {
    list.push_back({ begin, end });
  }
  return list;
}

}
