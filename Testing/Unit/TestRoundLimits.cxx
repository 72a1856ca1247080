// SPDX-License-Identifier: BSD-3-Clause
// How far ranks that exchange pieces get in a round.
#include "Driver/RoundLimits.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace
{

using namespace dsm;

constexpr std::uint64_t None = RoundReach::None;

struct Case
{
  std::string Name;
  std::vector<RoundReach> Ranks;
  std::vector<std::uint64_t> Limits; ///< of each
};

class RoundLimitsOf : public testing::TestWithParam<Case>
{
};

TEST_P(RoundLimitsOf, EachRank)
{
  const Case& given = this->GetParam();
  const RoundLimits limits(given.Ranks);
  std::vector<std::uint64_t> found;
  bool keep = false;
  for (const RoundReach& rank : given.Ranks)
  {
    found.push_back(limits.Of(rank));
    keep = keep || found.back() != None;
  }
  EXPECT_EQ(given.Limits, found);
  EXPECT_EQ(keep, limits.Keep());
}

INSTANTIATE_TEST_SUITE_P(Cases, RoundLimitsOf,
  testing::Values(Case{ "NobodyHasMore", { { 0, 90, None }, { 10, 50, None } }, { None, None } },
    Case{ "TheOneBehindHoldsTheOthersBack", { { 0, 50, 50 }, { 8, 98, 104 }, { 16, 60, None } },
      { None, 50, 50 } },
    Case{ "OfSeveralTheLowestThatIsWithinReach",
      { { 0, 40, 40 }, { 30, 70, 70 }, { 50, 100, 100 } }, { None, 40, 70 } },
    Case{ "ElsewhereNobodyWaits", { { 0, 50, 50 }, { 50, 90, 90 }, { 70, 90, None } },
      { None, None, None } },
    Case{ "WhoHasNothingNeitherWaitsNorIsWaitedFor",
      { { None, None, None }, { 0, 50, 50 }, { 0, 90, 90 } }, { None, None, 50 } },
    Case{ "NobodyIsThere", { {}, {} }, { None, None } }),
  [](const auto& given) { return given.param.Name; });

}
