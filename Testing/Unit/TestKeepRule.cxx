// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/KeepRule.h"

#include "Base/Error.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace
{

using namespace dsm;

SnapshotDescription Snapshot(const std::string& file, const std::string& stream)
{
  SnapshotDescription snapshot;
  snapshot.FileName = file;
  snapshot.Stream = stream;
  return snapshot;
}

// Those of two streams that come in turns, and are kept.
std::vector<std::string> KeptBy(const std::string& text)
{
  KeepRule rule = KeepRule::FromText(text);
  std::vector<std::string> kept;
  for (int step = 1; step <= 7; ++step)
  {
    for (const std::string stream : { "field", "chk" })
    {
      const std::string file = "/run/" + stream + "." + std::to_string(step) + ".h5";
      if (rule.Keeps(Snapshot(file, "/run/" + stream + ".#.h5")))
      {
        kept.push_back(stream + std::to_string(step));
      }
    }
  }
  return kept;
}

TEST(KeepRule, AllKeepsAll)
{
  EXPECT_EQ(KeptBy("all").size(), 14U);
  EXPECT_EQ(KeptBy("every 1").size(), 14U);
}

TEST(KeepRule, EveryNthCountsEachStreamByItself)
{
  const std::vector<std::string> third{ "field1", "chk1", "field4", "chk4", "field7", "chk7" };
  EXPECT_EQ(KeptBy("every 3"), third);
}

TEST(KeepRule, PatternsAreOfNames)
{
  const std::vector<std::string> some{ "chk1", "chk2", "field3", "chk3", "chk4", "chk5", "chk6",
    "chk7" };
  EXPECT_EQ(KeptBy("chk*.h5:*/field.3.h5"), some);
  EXPECT_TRUE(KeptBy("nothing").empty());
}

TEST(KeepRule, NoneKeepsNone)
{
  EXPECT_TRUE(KeptBy("none").empty());
  EXPECT_TRUE(KeepRule::FromText("none").IsNone());
  EXPECT_FALSE(KeepRule::FromText("all").IsNone());
}

TEST(KeepRule, WhatItMayKeepIsKnownBeforeItCounts)
{
  EXPECT_TRUE(KeepRule::FromText("every 3").MayKeep("/run/chk.2.h5", "/run/chk.#.h5"));
  EXPECT_TRUE(KeepRule::FromText("chk*").MayKeep("/run/chk.2.h5", "/run/chk.#.h5"));
  EXPECT_FALSE(KeepRule::FromText("chk*").MayKeep("/run/field.2.h5", "/run/field.#.h5"));
  EXPECT_FALSE(KeepRule::FromText("none").MayKeep("/run/chk.2.h5", "/run/chk.#.h5"));
}

TEST(KeepRule, WhatSaysNothingIsRefused)
{
  for (const char* text :
    { "", "every", "every ", "every 0", "every -2", "every 3 steps", "every x" })
  {
    EXPECT_THROW(KeepRule::FromText(text), Error) << text;
  }
}

}
