// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/Shares.h"

#include <algorithm>

namespace dsm::describe
{

// All units lie in a row, as long as their costs:
//
//     part 0            part 1   part 2
//     |----|----|----|  |-|-|-|  |------|------|
//     0                    ^ cut here for 2 pieces; a unit belongs to whom its beginning does
std::vector<Range> ShareOf(
  const std::vector<Load>& parts, std::uint64_t piece, std::uint64_t pieces)
{
  std::uint64_t total = 0;
  for (const Load& part : parts)
  {
    total += part.Units * part.Cost;
  }
  const auto cut = [&](std::uint64_t index)
  { return total / pieces * index + total % pieces * index / pieces; };
  const std::uint64_t begin = cut(piece), end = cut(piece + 1);
  std::vector<Range> shares;
  shares.reserve(parts.size());
  std::uint64_t at = 0;
  for (const Load& part : parts)
  {
    const auto unitFrom = [&](std::uint64_t place)
    {
      const std::uint64_t cost = std::max<std::uint64_t>(1, part.Cost);
      return place <= at ? 0 : std::min(part.Units, (place - at + cost - 1) / cost);
    };
    const std::uint64_t first = unitFrom(begin);
    shares.push_back({ first, unitFrom(end) - first });
    at += part.Units * part.Cost;
  }
  return shares;
}

}
