// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/HostTasks.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace dsm
{

namespace
{
/// A plan that clears a slot on two hosts.
CleaningPlan Clearing(SlotIndex slot)
{
  CleaningPlan plan;
  plan.Zero = { slot, { 0, 0 }, { 4096, 4096 } };
  return plan;
}
}

TEST(HostTasks, TaskFailsIfAHostHasFailedAnEarlierOneOfItsSlot)
{
  HostTasks tasks(2, [](std::uint64_t, const PrepareMemory&) {});
  tasks.Submit(Clearing(7), 7, {});
  tasks.Report(1, { "no memory is left" });
  std::optional<std::string> failure;
  tasks.Submit({}, 7, [&](const TaskFailure& why) { failure = why.Why; });
  EXPECT_FALSE(failure);
  tasks.Report(1, { "" });
  tasks.Report(2, { "" });
  tasks.Report(2, { "" });
  EXPECT_EQ(failure, "no memory is left");
}

// A slot with a copy of kept bytes is free again, and is raised with what comes next.
TEST(HostTasks, TaskWaitsUntilAnotherOneHasRaisedItsSlot)
{
  std::vector<std::uint64_t> tickets;
  HostTasks tasks(1, [&](std::uint64_t, const PrepareMemory& order) { tickets = order.Tickets; });
  CleaningPlan plan = Clearing(7);
  plan.Raise = { { 7, 2 }, { 3, 5 } };
  tasks.Submit(plan, 7, {});
  const auto before = tickets;
  bool isDone = false;
  tasks.Submit({}, 3, [&](const TaskFailure& why) { isDone = why.IsEmpty(); });
  EXPECT_FALSE(isDone);
  for (const std::uint64_t ticket : before)
  {
    tasks.Report(ticket, { "" });
  }
  EXPECT_FALSE(isDone) << "its own task is in the same queue";
  for (const std::uint64_t ticket : tickets)
  {
    tasks.Report(ticket, { "" });
  }
  EXPECT_TRUE(isDone);
}

TEST(HostTasks, TaskSucceedsWhenTheFailedOneHasEnded)
{
  HostTasks tasks(1, [](std::uint64_t, const PrepareMemory&) {});
  tasks.Submit(Clearing(7), 7, {});
  tasks.Report(1, { "no memory is left" });
  std::optional<std::string> failure;
  tasks.Submit(Clearing(7), 7, [&](const TaskFailure& why) { failure = why.Why; });
  tasks.Report(2, { "" });
  EXPECT_EQ(failure, "");
}

}
