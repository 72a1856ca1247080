// SPDX-License-Identifier: BSD-3-Clause
#include "Base/OtherProcess.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <thread>

#include <csignal>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace
{

using namespace dsm;

TEST(OtherProcess, RunsUntilItEnds)
{
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0)
  {
    char byte = 0;
    close(ends[1]);
    _exit(read(ends[0], &byte, 1) == 0 ? 0 : 1);
  }
  ASSERT_GT(child, 0);
  const auto number = static_cast<std::uint64_t>(child);
  EXPECT_FALSE(ProcessHasEnded(number));
  close(ends[0]);
  close(ends[1]);
  // It has ended, and nobody has asked for its status.
  siginfo_t told{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &told, WEXITED | WNOWAIT), 0);
  EXPECT_TRUE(ProcessHasEnded(number));
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(ProcessHasEnded(number));
}

TEST(OtherProcess, EndsWhileItIsLookedAt)
{
  for (int attempt = 0; attempt < 300; ++attempt)
  {
    const pid_t child = fork();
    if (child == 0)
    {
      _exit(0);
    }
    ASSERT_GT(child, 0);
    std::thread parent([child] { waitpid(child, nullptr, 0); });
    EXPECT_NO_THROW({
      while (kill(child, 0) == 0)
      {
        ProcessHasEnded(static_cast<std::uint64_t>(child));
      }
    });
    parent.join();
    EXPECT_TRUE(ProcessHasEnded(static_cast<std::uint64_t>(child)));
  }
}

// Its files are closed before it can be waited for, which others see.
TEST(OtherProcess, OneThatIsEndingHasEnded)
{
  constexpr std::size_t Much = std::size_t{ 128 } << 20; // so that the end takes a while
  bool wasEnding = false;
  for (int attempt = 0; attempt < 50 && !wasEnding; ++attempt)
  {
    const pid_t child = fork();
    if (child == 0)
    {
      void* const memory = mmap(
        nullptr, Much, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
      _exit(memory == MAP_FAILED ? 1 : 0);
    }
    ASSERT_GT(child, 0);
    while (!ProcessHasEnded(static_cast<std::uint64_t>(child)))
    {
    }
    siginfo_t told{};
    ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &told, WEXITED | WNOWAIT | WNOHANG), 0);
    wasEnding = told.si_pid == 0;
    ASSERT_EQ(waitpid(child, nullptr, 0), child);
  }
  EXPECT_TRUE(wasEnding);
}

TEST(OtherProcess, WhatIsNoProcessHasNotEnded)
{
  EXPECT_FALSE(ProcessHasEnded(0));
  EXPECT_FALSE(ProcessHasEnded(std::numeric_limits<std::uint64_t>::max()));
  EXPECT_FALSE(ProcessHasEnded(static_cast<std::uint64_t>(getpid())));
}

}
