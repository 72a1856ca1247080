// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/RoundLimits.h"

#include <algorithm>

namespace dsm
{

RoundLimits::RoundLimits(std::span<const RoundReach> ranks)
{
  for (const RoundReach& rank : ranks)
  {
    if (rank.Next != RoundReach::None)
    {
      this->Nexts.push_back(rank.Next);
    }
  }
  std::sort(this->Nexts.begin(), this->Nexts.end());
  this->SomeKeep = std::any_of(ranks.begin(), ranks.end(),
    [this](const RoundReach& rank) { return this->Of(rank) != RoundReach::None; });
}

std::uint64_t RoundLimits::Of(const RoundReach& rank) const
{
  const auto next = std::upper_bound(this->Nexts.begin(), this->Nexts.end(), rank.Begin);
  return next != this->Nexts.end() && *next < rank.End ? *next : RoundReach::None;
}

}
