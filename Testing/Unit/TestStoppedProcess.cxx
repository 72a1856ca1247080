// SPDX-License-Identifier: BSD-3-Clause
// Limits in a process that is stopped for longer than they are, and goes on.
#include "Base/RunningDeadline.h"
#include "Base/Watchdog.h"

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

namespace
{

using namespace dsm;

const Seconds Limit(1);
const Seconds Pause(0.25);

// Whether a process that does this succeeds. It stops itself once, and is let go on when more than
// the limit has passed.
bool Succeeds(const std::function<bool()>& process)
{
  const pid_t child = fork();
  if (child == 0)
  {
    _exit(process() ? EXIT_SUCCESS : EXIT_FAILURE);
  }
  int status = 0;
  EXPECT_EQ(child, waitpid(child, &status, WUNTRACED));
  EXPECT_TRUE(WIFSTOPPED(status));
  std::this_thread::sleep_for(1.5 * Limit);
  kill(child, SIGCONT);
  EXPECT_EQ(child, waitpid(child, &status, 0));
  return WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS;
}

TEST(StoppedProcess, HasNotWaitedMeanwhile)
{
  EXPECT_TRUE(Succeeds(
    []
    {
      RunningDeadline deadline(Limit, Pause);
      raise(SIGSTOP);
      if (deadline.Look())
      {
        return false;
      }
      const auto begin = Clock::now();
      while (!deadline.Look())
      {
        std::this_thread::sleep_for(Pause / 10);
      }
      return Clock::now() - begin > Limit / 10; // half of it was left, less where others run
    }));
}

TEST(StoppedProcess, IsNotInACallMeanwhile)
{
  EXPECT_TRUE(Succeeds(
    []
    {
      std::atomic<bool> alarmed = false;
      Watchdog watchdog(Limit, [&alarmed](const char*) { alarmed = true; });
      const Watchdog::Watch watch(watchdog, "a call");
      std::this_thread::sleep_for(Pause / 2); // its thread begins
      raise(SIGSTOP);
      std::this_thread::sleep_for(Pause * 1.5); // it looks
      return !alarmed;
    }));
}

}
