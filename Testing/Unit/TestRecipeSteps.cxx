// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/RecipeSteps.h"
#include "MemoryFacts.h"

#include <gtest/gtest.h>

using namespace dsm::describe;

TEST(RecipeSteps, AscendByNumber)
{
  struct Case
  {
    const char* Name;
    const char* Pattern;
    std::vector<std::string> Groups;
    std::vector<std::string> Paths; ///< of the steps
  };
  const std::vector<Case> table = {
    { "numbers without leading zeros", "/Step#{n}", { "/Step#10", "/Step#9", "/Mesh" },
      { "/Step#9", "/Step#10" } },
    { "a unit behind the number", "/Time:{t}", { "/Time:  1.0E1 y", "/Time:  2.5E0 y" },
      { "/Time:  2.5E0 y", "/Time:  1.0E1 y" } },
    { "no number", "/Step#{n}", { "/Step#last", "/Step#1s" }, {} },
    { "deeper than the pattern", "/Step#{n}", { "/Step#3/Step#1" }, { "/Step#3" } },
    { "the first word with a number", "/{name}/{n}", { "/b/1", "/a/2" }, { "/b/1", "/a/2" } },
  };
  for (const Case& one : table)
  {
    SCOPED_TRACE(one.Name);
    MemoryFacts file;
    for (const std::string& group : one.Groups)
    {
      file.Group(group);
    }
    const RecipeSteps steps = FindRecipeSteps(one.Pattern, file.Objects());
    EXPECT_EQ(steps.Groups.Paths, one.Paths);
    EXPECT_EQ(steps.Groups.Numbers.size(), one.Paths.size());
    EXPECT_EQ(steps.Words.size(), one.Paths.size());
  }
}

TEST(RecipeSteps, KeepTheWordsOfEach)
{
  MemoryFacts file;
  file.Group("/run a/5");
  const RecipeSteps steps = FindRecipeSteps("/run {name}/{n}", file.Objects());
  ASSERT_EQ(steps.Words.size(), 1U);
  EXPECT_EQ(steps.Words[0], (Bindings{ { "n", "5" }, { "name", "a" } }));
  EXPECT_EQ(steps.Groups.Numbers[0], 5);
}

TEST(NumberBefore, EndsAtASpace)
{
  EXPECT_EQ(NumberBefore("  1.5E+00 y"), 1.5);
  EXPECT_EQ(NumberBefore("007"), 7);
  EXPECT_EQ(NumberBefore("7y"), std::nullopt);
  EXPECT_EQ(NumberBefore(""), std::nullopt);
  EXPECT_EQ(NumberBefore("  "), std::nullopt);
}
