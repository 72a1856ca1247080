// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/LoopNest.h"

#include <gtest/gtest.h>

#include <numeric>
#include <ranges>
#include <string>

using namespace dsm::describe;

namespace
{
struct Case
{
  std::string Name;
  std::vector<Dimension> Dimensions; ///< of the source: its numbers are 0, 1, 2 …
  Window Wanted;
  Target Into;
  bool IsDirect = false;
  std::vector<int> Expected; ///< of the target; -1: untouched
};

const Window Grid2x3{ .X = { 0, 3 }, .Y = { 0, 2 } };

const std::vector<Case> Table = {
  { "the order of memory", { { Role::Y, 0, 2 }, { Role::X, 0, 3 } }, Grid2x3, {}, true,
    { 0, 1, 2, 3, 4, 5 } },
  { "x slowest", { { Role::X, 0, 3 }, { Role::Y, 0, 2 } }, Grid2x3, {}, false,
    { 0, 2, 4, 1, 3, 5 } },
  { "from the end of x", { { Role::Y, 0, 2 }, { Role::X, 0, 3, 1, true } }, Grid2x3, {}, false,
    { 2, 1, 0, 5, 4, 3 } },
  { "the second of two components", { { Role::Y, 0, 2 }, { Role::X, 0, 3 } }, Grid2x3,
    { nullptr, Number::Int32, 2, 1 }, false, { -1, 0, -1, 1, -1, 2, -1, 3, -1, 4, -1, 5 } },
  { "components slowest", { { Role::Component, 0, 2 }, { Role::X, 0, 3 } }, { .X = { 0, 3 } },
    { nullptr, Number::Int32, 2, 0 }, false, { 0, 3, 1, 4, 2, 5 } },
  { "a profile over y repeats along x", { { Role::Y, 0, 2 } }, Grid2x3, {}, false,
    { 0, 0, 0, 1, 1, 1 } },
  { "a step", { { Role::Time, 3, 1 }, { Role::X, 0, 2 } }, { .X = { 0, 2 } }, {}, true, { 0, 1 } },
};
}

TEST(LoopNest, PutsNumbersInTheOrderOfMemory)
{
  for (const Case& one : Table)
  {
    SCOPED_TRACE(one.Name);
    LoopNest nest({ Constant{ 0 }, one.Dimensions }, one.Wanted, one.Into);
    EXPECT_EQ(nest.IsDirect(), one.IsDirect);
    std::int64_t distance = 1;
    for (Loop& loop : std::ranges::reverse_view(nest.Dimensions))
    {
      loop.In = distance;
      distance *= static_cast<std::int64_t>(loop.Count);
    }
    std::vector<int> from(nest.Count()), to(one.Expected.size(), -1);
    std::iota(from.begin(), from.end(), 0);
    nest.Scatter(from.data(), to.data(), false);
    EXPECT_EQ(to, one.Expected);
  }
}

TEST(LoopNest, AddsToWhatIsThere)
{
  LoopNest nest({ Constant{ 0 }, { { Role::X, 0, 2 } } }, { .X = { 0, 2 } }, {});
  nest.Dimensions[0].In = 1;
  const std::vector<int> from{ 1, 2 };
  std::vector<int> to{ 10, 20 };
  nest.Scatter(from.data(), to.data(), true);
  EXPECT_EQ(to, (std::vector<int>{ 11, 22 }));
}

TEST(LoopNest, RefusesMoreThanTheSourceHas)
{
  const auto make = [](const std::vector<Dimension>& dimensions, const Window& window)
  { return LoopNest({ Constant{ 0 }, dimensions }, window, {}); };
  EXPECT_ANY_THROW(make({ { Role::X, 0, 2 } }, { .X = { 0, 3 } }));
  EXPECT_ANY_THROW(make({ { Role::X, 0, 2 } }, { .X = { 2, 1 } }));
  EXPECT_ANY_THROW(make({ { Role::Block, 0, 2 } }, { .Block = 2 }));
  EXPECT_ANY_THROW(make({ { Role::Component, 0, 2 } }, {}));
}
