// SPDX-License-Identifier: BSD-3-Clause
#include "Readers/ArrayMemory.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace
{

using dsm::readers::ArrayMemory;
constexpr std::uint64_t MiB = std::uint64_t(1) << 20;

// Reads a snapshot as a pipeline does: the array before is released when the new one is in place.
void* ReadNext(ArrayMemory& memory, void* before, std::uint64_t bytes)
{
  memory.BeginRead();
  void* const array = memory.Allocate(bytes);
  std::memset(array, 1, bytes);
  memory.Release(before);
  return array;
}
}

TEST(ArrayMemory, LeavesSmallArraysToVtk)
{
  ArrayMemory memory;
  EXPECT_EQ(memory.Allocate(ArrayMemory::LargeArray - 1), nullptr);
  EXPECT_EQ(memory.Allocate(0), nullptr);
  void* const large = memory.Allocate(ArrayMemory::LargeArray);
  EXPECT_NE(large, nullptr);
  memory.Release(large);
}

TEST(ArrayMemory, TwoBlocksServeEachSnapshotInTurn)
{
  ArrayMemory memory;
  void* const first = ReadNext(memory, nullptr, 8 * MiB);
  void* const second = ReadNext(memory, first, 8 * MiB);
  EXPECT_NE(first, second);
  void* shown = second;
  for (int snapshot = 2; snapshot < 20; ++snapshot)
  {
    EXPECT_EQ(memory.KeptBytes(), 8 * MiB);
    EXPECT_TRUE(memory.Fits(8 * MiB));
    shown = ReadNext(memory, shown, 8 * MiB);
    EXPECT_EQ(shown, snapshot % 2 ? second : first);
  }
  memory.Release(shown);
}

TEST(ArrayMemory, UsesABlockThatIsAtMostAQuarterLarger)
{
  ArrayMemory memory;
  void* const block = memory.Allocate(10 * MiB);
  memory.Release(block);
  EXPECT_FALSE(memory.Fits(10 * MiB + 1));
  EXPECT_FALSE(memory.Fits(7 * MiB));
  EXPECT_TRUE(memory.Fits(8 * MiB));
  void* const smaller = memory.Allocate(8 * MiB);
  EXPECT_EQ(smaller, block);
  EXPECT_EQ(memory.KeptBytes(), 0U);
  memory.Release(smaller);
  EXPECT_EQ(memory.KeptBytes(), 10 * MiB);
}

TEST(ArrayMemory, KeepsNoMoreThanThePeakOfUse)
{
  ArrayMemory memory;
  memory.BeginRead();
  memory.Release(memory.Allocate(16 * MiB));
  EXPECT_EQ(memory.KeptBytes(), 16 * MiB);
  // It does not fit into the block that is kept: 16 MiB stay the most that is taken.
  void* const other = memory.Allocate(6 * MiB);
  EXPECT_EQ(memory.KeptBytes(), 0U);
  memory.Release(other);
  EXPECT_EQ(memory.KeptBytes(), 6 * MiB);
}

TEST(ArrayMemory, FreesBlocksThatTwoReadsDidNotNeed)
{
  ArrayMemory memory;
  void* shown = ReadNext(memory, nullptr, 8 * MiB);
  void* const older = shown; // which a filter holds
  memory.BeginRead();
  shown = memory.Allocate(8 * MiB);
  void* const newest = ReadNext(memory, shown, 8 * MiB);
  memory.Release(older);
  EXPECT_EQ(memory.KeptBytes(), 16 * MiB);
  memory.BeginRead(); // the array is disabled
  EXPECT_EQ(memory.KeptBytes(), 16 * MiB);
  memory.Release(newest);
  memory.BeginRead();
  EXPECT_EQ(memory.KeptBytes(), 8 * MiB);
  memory.BeginRead();
  EXPECT_EQ(memory.KeptBytes(), 0U);
}

TEST(ArrayMemory, ReadersInTurnShareOneBlock)
{
  ArrayMemory memory;
  std::vector<void*> shown(5, nullptr);
  for (int snapshot = 0; snapshot < 4; ++snapshot)
  {
    for (void*& array : shown)
    {
      EXPECT_EQ(memory.Fits(8 * MiB), snapshot > 0 && memory.KeptBytes() > 0);
      array = ReadNext(memory, array, 8 * MiB);
      EXPECT_EQ(memory.KeptBytes(), snapshot > 0 ? 8 * MiB : 0);
    }
  }
  for (void* const array : shown)
  {
    memory.Release(array);
  }
}

TEST(ArrayMemory, FreesMemoryThatMallocAllocated)
{
  ArrayMemory memory;
  memory.Release(std::malloc(8 * MiB));
  memory.Release(nullptr);
  EXPECT_EQ(memory.KeptBytes(), 0U);
}

TEST(ArrayMemory, KeepsNothingAfterFreeUntilItIsUsedAgain)
{
  ArrayMemory memory;
  void* const shown = memory.Allocate(8 * MiB);
  memory.Release(memory.Allocate(8 * MiB));
  EXPECT_EQ(memory.Free(), 8 * MiB);
  memory.Release(shown);
  EXPECT_EQ(memory.KeptBytes(), 0U);
  memory.Release(memory.Allocate(8 * MiB));
  EXPECT_EQ(memory.KeptBytes(), 8 * MiB);
}

TEST(ArrayMemory, ThreadsAllocateAndReleaseAtTheSameTime)
{
  ArrayMemory memory;
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int thread = 0; thread < 4; ++thread)
  {
    threads.emplace_back(
      [&memory, thread]
      {
        void* before = nullptr;
        for (int round = 0; round < 200; ++round)
        {
          memory.BeginRead();
          auto* const array = static_cast<int*>(memory.Allocate((4 + round % 3) * MiB));
          *array = thread;
          memory.Release(before);
          ASSERT_EQ(*array, thread);
          before = array;
        }
        memory.Release(before);
      });
  }
  for (std::thread& thread : threads)
  {
    thread.join();
  }
  memory.Free();
  EXPECT_EQ(memory.KeptBytes(), 0U);
}
