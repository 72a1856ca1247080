// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMSeenSnapshots.h"

#include <algorithm>

void pqDSMSeenSnapshots::clear()
{
  this->Streams.clear();
}

void pqDSMSeenSnapshots::add(std::int64_t number, const std::string& stream)
{
  this->Streams[number] = stream;
}

void pqDSMSeenSnapshots::removeBelow(std::int64_t number)
{
  this->Streams.erase(this->Streams.begin(), this->Streams.lower_bound(number));
}

std::int64_t pqDSMSeenSnapshots::others(
  const std::string& stream, std::int64_t after, std::int64_t before) const
{
  std::int64_t count = 0;
  for (auto each = this->Streams.upper_bound(after);
    each != this->Streams.end() && each->first < before; ++each)
  {
    count += each->second == stream ? 0 : 1;
  }
  const std::int64_t newest = this->Streams.empty() ? 0 : this->Streams.rbegin()->first;
  return count + std::max<std::int64_t>(before - 1 - std::max(newest, after), 0);
}
