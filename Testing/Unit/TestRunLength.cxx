// SPDX-License-Identifier: BSD-3-Clause
#include "Client/RunLength.h"

#include <gtest/gtest.h>

namespace
{

using namespace dsm;

class RunLengthTest : public ::testing::Test
{
protected:
  // The run reaches a step so many seconds after the one before.
  void Reach(std::int64_t step, double seconds)
  {
    this->Now += std::chrono::duration_cast<Clock::duration>(Seconds(seconds));
    this->Length.Note(step, this->Now);
  }

  RunLength Length;
  Clock::time_point Now = Clock::time_point() + std::chrono::hours(1);
};

TEST_F(RunLengthTest, NothingIsKnownWithoutALastStep)
{
  this->Reach(1, 0);
  this->Reach(2, 1);
  EXPECT_LT(this->Length.SecondsLeft(), 0);
  EXPECT_EQ(this->Length.Last(), -1);
}

TEST_F(RunLengthTest, NothingIsKnownBeforeTwoStepsWereReached)
{
  this->Length.SetLast(100);
  EXPECT_LT(this->Length.SecondsLeft(), 0);
  this->Reach(0, 0);
  EXPECT_LT(this->Length.SecondsLeft(), 0);
}

TEST_F(RunLengthTest, EvenStepsGiveTheirTimeForEachThatIsLeft)
{
  this->Length.SetLast(100);
  for (int step = 0; step <= 40; ++step)
  {
    this->Reach(step, 0.5);
  }
  EXPECT_NEAR(this->Length.SecondsLeft(), 30, 1e-9);
}

TEST_F(RunLengthTest, APauseDoesNotCount)
{
  this->Length.SetLast(20);
  for (int step = 1; step <= 10; ++step)
  {
    this->Reach(step, 1);
  }
  this->Length.Interrupt();
  this->Reach(11, 3600);
  this->Reach(12, 1);
  EXPECT_NEAR(this->Length.SecondsLeft(), 8, 1e-9);
}

TEST_F(RunLengthTest, StepsOfLongAgoWeighLess)
{
  this->Length.SetLast(1000);
  for (int step = 1; step <= 100; ++step)
  {
    this->Reach(step, 0.1);
  }
  for (int step = 101; step <= 200; ++step)
  {
    this->Reach(step, 2);
  }
  EXPECT_NEAR(this->Length.SecondsLeft(), 1600, 40);
}

TEST_F(RunLengthTest, NothingIsLeftAtTheLastStepAndBehindIt)
{
  this->Length.SetLast(3);
  for (int step = 1; step <= 5; ++step)
  {
    this->Reach(step, 1);
    EXPECT_EQ(this->Length.SecondsLeft(), step == 1 ? -1 : step == 2 ? 1 : 0) << step;
  }
}

TEST_F(RunLengthTest, ARunThatBeginsAgainIsEstimatedAnew)
{
  this->Length.SetLast(10);
  this->Reach(8, 1);
  this->Reach(9, 1);
  this->Reach(2, 1);
  EXPECT_LT(this->Length.SecondsLeft(), 0);
  this->Reach(3, 2);
  EXPECT_NEAR(this->Length.SecondsLeft(), 14, 1e-9);
}

}
