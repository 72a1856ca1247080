// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/OpenPmdIterations.h"
#include "MemoryFacts.h"

#include <gtest/gtest.h>

using namespace dsm::describe;

TEST(OpenPmdIterations, AreWhereTheBasePathSays)
{
  struct Case
  {
    const char* Name;
    const char* BasePath; ///< none: nullptr
    std::vector<std::string> Groups;
    std::vector<std::string> Paths;
  };
  const std::vector<Case> table = {
    { "the usual path, by number", nullptr, { "/data/10", "/data/9" }, { "/data/9", "/data/10" } },
    { "leading zeros", "/data/%06T/", { "/data/000010", "/data/000009" },
      { "/data/000009", "/data/000010" } },
    { "words around the number", "/run/it%T_end", { "/run/it2_end", "/run/it1", "/run/2" },
      { "/run/it2_end" } },
    { "in the root", "/%T/", { "/3", "/other" }, { "/3" } },
    { "one iteration without a number", "/data/", { "/data/5" }, { "/data" } },
    { "none", nullptr, { "/fields" }, {} },
  };
  for (const Case& one : table)
  {
    SCOPED_TRACE(one.Name);
    MemoryFacts file;
    if (one.BasePath)
    {
      file.Group("/").With("basePath", one.BasePath);
    }
    for (const std::string& group : one.Groups)
    {
      file.Group(group);
    }
    std::vector<std::string> paths;
    for (const OpenPmdIteration& iteration : FindIterations(file).All)
    {
      paths.push_back(iteration.Path);
    }
    EXPECT_EQ(paths, one.Paths);
  }
}

TEST(OpenPmdIterations, HaveTimes)
{
  MemoryFacts file;
  file.Group("/data/1").With("time", 0.5).With("timeUnitSI", 2);
  file.Group("/data/7");
  const auto all = FindIterations(file).All;
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].Time, 0.5);
  EXPECT_EQ(all[0].TimeUnit, 2);
  EXPECT_EQ(all[1].Time, 7);
  EXPECT_EQ(all[1].TimeUnit, 1);
}
