// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/RunTable.h"
#include "Steering/RunParameters.h"

#include "Encoding/Encoding.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace
{

using namespace dsm;

RunDescription MakeRun(std::uint64_t number, std::uint64_t from = 0)
{
  RunDescription run{ number, "sim", "node7", 1.5 };
  if (from != 0)
  {
    run.From = { from, "sim", "out.#.h5", 30, "/r/out.0300.h5", 300, 2.5 };
  }
  return run;
}

std::vector<std::uint64_t> Numbers(const std::vector<RunDescription>& runs)
{
  std::vector<std::uint64_t> numbers;
  numbers.reserve(runs.size());
  for (const auto& run : runs)
  {
    numbers.push_back(run.Number);
  }
  return numbers;
}

TEST(RunTable, ARunIsTheirsWithAllThatItComesFrom)
{
  RunTable table;
  table.Enter(MakeRun(1));
  table.Enter(MakeRun(2, 1));
  table.Enter(MakeRun(3));
  table.Enter(MakeRun(4, 2));
  EXPECT_EQ(Numbers(table.WithOrigins({ 4 })), (std::vector<std::uint64_t>{ 1, 2, 4 }));
  EXPECT_EQ(Numbers(table.WithOrigins({ 2, 3 })), (std::vector<std::uint64_t>{ 1, 2, 3 }));
  EXPECT_TRUE(table.WithOrigins({ 0, 9 }).empty());
}

TEST(RunTable, ThereIsAnEndToHowManyAreKept)
{
  RunTable table;
  for (std::uint64_t run = 1; run <= 1001; ++run)
  {
    table.Enter(MakeRun(run, run - 1));
  }
  EXPECT_FALSE(table.Has(1));
  EXPECT_TRUE(table.Has(2));
  EXPECT_EQ(table.WithOrigins({ 1001 }).size(), 1000u);
}

TEST(RunTable, ADescriptionTravels)
{
  RunDescription run = MakeRun(4, 2);
  run.Changed.push_back({ "feed", PlainValue(0.03), PlainValue(0.04) });
  const auto back = Decode<RunDescription>(Encode(run), "it");
  EXPECT_EQ(back.From, run.From);
  EXPECT_EQ(ToText(back), ToText(run));
  EXPECT_EQ(Decode<RunDescription>(Encode(MakeRun(4)), "it").From, std::nullopt);
}

// Two simulations: the second begins from what the first wrote at time 10.
class RunParametersTest : public ::testing::Test
{
protected:
  RunParametersTest()
  {
    this->Values.Enter("a", { { "feed", PlainValue(0.03) }, { "kill", PlainValue(0.06) } }, 1);
    this->Values.SetRun("a", 1);
    this->Values.Enter("b", { { "feed", PlainValue(0.03) }, { "kill", PlainValue(0.06) } }, 20);
    this->Values.SetRun("b", 2);
  }

  std::string Changed(double when = 10) const
  {
    std::string text;
    for (const auto& change : this->Values.Changed(2, 1, when))
    {
      text +=
        change.Name + " " + PlainValueText(change.Old) + " " + PlainValueText(change.New) + ";";
    }
    return text;
  }

  RunParameters Values;
};

TEST_F(RunParametersTest, WhatIsTheSameIsNotTold)
{
  EXPECT_EQ(this->Changed(), "");
  this->Values.Enter("b", { { "feed", PlainValue(0.04) } }, 21);
  EXPECT_EQ(this->Changed(), "feed 0.03 0.04;");
  this->Values.Enter("b", { { "feed", PlainValue(0.03) }, { "new", PlainValue(1) } }, 22);
  EXPECT_EQ(this->Changed(), "");
}

TEST_F(RunParametersTest, WhatTheFirstHadThenCountsAndNotWhatItHasNow)
{
  this->Values.Enter("a", { { "feed", PlainValue(0.02) } }, 5);
  this->Values.Enter("a", { { "feed", PlainValue(0.05) } }, 11);
  this->Values.Enter("a", { { "feed", PlainValue(0.06) } }, 12);
  EXPECT_EQ(this->Changed(), "feed 0.02 0.03;");
  EXPECT_EQ(this->Changed(11), "feed 0.05 0.03;");
  EXPECT_EQ(this->Changed(4), "");
  EXPECT_EQ(this->Changed(30), "feed 0.06 0.03;");
}

TEST_F(RunParametersTest, OfARunThatWasInterruptedTheSimulationThenCounts)
{
  this->Values.Enter("c", { { "feed", PlainValue(0.5) }, { "kill", PlainValue(0.06) } }, 15);
  this->Values.SetRun("c", 1);
  EXPECT_EQ(this->Changed(10), "");
  EXPECT_EQ(this->Changed(16), "feed 0.5 0.03;");
}

TEST_F(RunParametersTest, WhoCannotBeSteeredHasNone)
{
  EXPECT_TRUE(this->Values.Changed(2, 3, 10).empty());
  EXPECT_TRUE(this->Values.Changed(0, 1, 10).empty());
  this->Values.Enter("d", { { "feed", PlainValue(9) } }, 30); // its run has not begun
  EXPECT_TRUE(this->Values.Changed(0, 1, 10).empty());
}

}
