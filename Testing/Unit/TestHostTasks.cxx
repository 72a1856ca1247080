// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/HostTasks.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

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
