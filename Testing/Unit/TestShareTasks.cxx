// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/ShareTasks.h"

#include <gtest/gtest.h>

namespace
{

using namespace dsm;

ShareWritten Report(std::uint64_t ticket, std::uint64_t bytes, bool done = false,
  const std::string& failure = {}, bool isElsewhere = false)
{
  return { ticket, bytes, done, failure, isElsewhere, false };
}

TEST(ShareTasks, AllHostsMustBeDone)
{
  ShareTasks tasks;
  const auto ticket = tasks.Begin(2);
  EXPECT_EQ(tasks.Now(ticket).Missing, 2U);
  tasks.Report(1, Report(ticket, 10));
  EXPECT_EQ(tasks.Now(ticket).Bytes, 10U);
  EXPECT_EQ(tasks.Now(ticket).Missing, 2U);
  tasks.Report(1, Report(ticket, 30, true));
  tasks.Report(0, Report(ticket, 5));
  EXPECT_EQ(tasks.Now(ticket).Bytes, 35U);
  EXPECT_EQ(tasks.Now(ticket).Missing, 1U);
  tasks.Report(0, Report(ticket, 7, true));
  EXPECT_EQ(tasks.Now(ticket).Bytes, 37U);
  EXPECT_EQ(tasks.Now(ticket).Missing, 0U);
  EXPECT_EQ(tasks.Now(ticket).Failure, "");
}

TEST(ShareTasks, TheFirstFailureCounts)
{
  ShareTasks tasks;
  const auto ticket = tasks.Begin(3);
  tasks.Report(2, Report(ticket, 4, true, "no room"));
  tasks.Report(1, Report(ticket, 0, true, "not there", true));
  const auto now = tasks.Now(ticket);
  EXPECT_EQ(now.Failure, "DSM host 2: no room");
  EXPECT_TRUE(now.IsElsewhere);
  EXPECT_EQ(now.Missing, 1U);
}

TEST(ShareTasks, WhatHasMovedAtOneHostHasMoved)
{
  ShareTasks tasks;
  const auto ticket = tasks.Begin(2);
  tasks.Report(0, { ticket, 4, true, {}, false, true });
  tasks.Report(1, Report(ticket, 4, true));
  EXPECT_TRUE(tasks.Now(ticket).HasMoved);
  EXPECT_EQ(tasks.Now(ticket).Failure, "");
  EXPECT_EQ(tasks.Now(ticket).Missing, 0U);
}

TEST(ShareTasks, AHostThatIsLostWillNotFinish)
{
  ShareTasks tasks;
  const auto one = tasks.Begin(2);
  const auto other = tasks.Begin(2);
  tasks.Report(0, Report(one, 4, true));
  tasks.Lose(0, "host 0 exited");
  EXPECT_EQ(tasks.Now(one).Failure, "") << "it had finished that";
  EXPECT_EQ(tasks.Now(one).Missing, 1U);
  EXPECT_EQ(tasks.Now(other).Failure, "host 0 exited");
  EXPECT_EQ(tasks.Now(other).Missing, 1U);
}

TEST(ShareTasks, WhatNobodyAsksForIsIgnored)
{
  ShareTasks tasks;
  const auto ended = tasks.Begin(1);
  tasks.End(ended);
  const auto ticket = tasks.Begin(1);
  EXPECT_NE(ticket, ended);
  tasks.Report(0, Report(ended, 4, true));
  tasks.Report(7, Report(ticket, 4, true));
  EXPECT_EQ(tasks.Now(ticket).Missing, 1U);
}

}
