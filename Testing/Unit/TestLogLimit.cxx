// SPDX-License-Identifier: BSD-3-Clause
#include "Base/LogLimit.h"

#include "Base/Log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace
{

using namespace dsm;

class LogLimitTest : public ::testing::Test
{
protected:
  Clock::time_point At(double seconds) const
  {
    return this->Begin + std::chrono::duration_cast<Clock::duration>(Seconds(seconds));
  }

  const Clock::time_point Begin = Clock::now();
  LogLimit Limit{ 3, Seconds(10) };
};

TEST_F(LogLimitTest, AdmitsAFewLinesOfAKindAndCountsTheRest)
{
  int written = 0;
  for (int i = 0; i < 1237; ++i)
  {
    written += this->Limit.Admits("refused {}", "refused " + std::to_string(i), this->At(1));
  }
  EXPECT_EQ(written, 3);
  EXPECT_TRUE(this->Limit.Admits("another", "another", this->At(1)));
  EXPECT_TRUE(this->Limit.TakeOmitted(this->At(5)).empty()) << "the period is not over";
  const auto omitted = this->Limit.TakeOmitted(this->At(12));
  ASSERT_EQ(omitted.size(), 1u);
  EXPECT_EQ(OmittedText(omitted.front()), "… 1,234 more like this: refused 1236");
  EXPECT_TRUE(this->Limit.TakeOmitted(this->At(30)).empty()) << "told once";
}

TEST_F(LogLimitTest, AdmitsLinesAgainInTheNextPeriod)
{
  for (int i = 0; i < 5; ++i)
  {
    this->Limit.Admits("kind", "line", this->At(0));
  }
  this->Limit.TakeOmitted(this->At(11));
  EXPECT_TRUE(this->Limit.Admits("kind", "line", this->At(11)));
}

TEST_F(LogLimitTest, RareLinesAreAllAdmitted)
{
  for (int i = 0; i < 100; ++i)
  {
    EXPECT_TRUE(this->Limit.Admits("kind", "line", this->At(i * 4.0)));
  }
}

TEST_F(LogLimitTest, DoesNotGrowWithoutBound)
{
  std::size_t written = 0;
  for (std::size_t i = 0; i < 3 * LogLimit::MostKinds; ++i)
  {
    written += this->Limit.Admits(std::to_string(i), "line", this->At(0)) ? 1 : 0;
  }
  EXPECT_LE(written, LogLimit::MostKinds + 3);
  EXPECT_TRUE(this->Limit.Admits("new", "line", this->At(30))) << "old kinds make room";
}

// The log itself: what somebody provokes is bounded, and is one line.
TEST(Log, WritesAFewLinesOfAKindAndNoControlCharacters)
{
  testing::internal::CaptureStderr();
  for (int i = 0; i < 5000; ++i)
  {
    Log().warn("somebody sent \"{}\"", "\x1b[2Jnothing\ndsm error: forged");
  }
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_GT(text.size(), 0u);
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 60);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find("\ndsm error"), std::string::npos);
}

}
