// SPDX-License-Identifier: BSD-3-Clause
#include "Memory/MemoryLook.h"

#include <gtest/gtest.h>

#include <thread>

namespace
{

using namespace dsm;

constexpr std::uint64_t MiB = UINT64_C(1) << 20;

TEST(MemoryLook, BelievesWhatItHasSeenForSomeBytes)
{
  int looks = 0;
  MemoryLook memory(
    [&]
    {
      ++looks;
      return 1024 * MiB;
    });
  const auto begin = Clock::now();
  for (std::uint64_t taken = 0; taken < MemoryLook::Believed; taken += MiB)
  {
    EXPECT_TRUE(memory.Take(MiB));
  }
  // Unless this machine had no time for it.
  if (Clock::now() - begin < MemoryLook::Good)
  {
    EXPECT_EQ(looks, 1);
  }
  looks = 0;
  EXPECT_TRUE(memory.Take(MiB));
  EXPECT_EQ(looks, 1) << "what was believed has been taken";
  EXPECT_TRUE(memory.Take(512 * MiB));
  EXPECT_EQ(looks, 2) << "a large part is not taken on faith";
  EXPECT_EQ(memory.Seen(), 1024 * MiB);
}

TEST(MemoryLook, LooksAgainAfterAMoment)
{
  std::uint64_t there = 10 * MiB;
  MemoryLook memory([&] { return there; });
  EXPECT_TRUE(memory.Take(MiB));
  there = 0;
  std::this_thread::sleep_for(2 * MemoryLook::Good);
  EXPECT_FALSE(memory.Take(MiB)) << "others have taken it";
  EXPECT_EQ(memory.Seen(), 0u);
}

TEST(MemoryLook, RefusesMoreThanThereIs)
{
  std::uint64_t there = 10 * MiB;
  MemoryLook memory([&] { return there; });
  EXPECT_FALSE(memory.Take(11 * MiB));
  EXPECT_TRUE(memory.Take(10 * MiB)) << "what was refused is not taken";
  there = 20 * MiB;
  EXPECT_TRUE(memory.Take(11 * MiB)) << "there is more now";
}

}
