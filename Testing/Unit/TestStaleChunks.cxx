// SPDX-License-Identifier: BSD-3-Clause
#include "Memory/StaleChunks.h"

#include "Base/Error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <thread>
#include <vector>

namespace
{

using dsm::ByteRange;
using dsm::StaleChunks;

constexpr std::uint64_t Chunk = StaleChunks::ChunkSize;
constexpr std::byte Old{ 0x55 };

struct Slot
{
  explicit Slot(std::uint64_t size, std::uint64_t stale)
    : Bytes(size, std::byte(0))
    , Table(StaleChunks::TableSize(size), std::byte(0xff))
    , Chunks(Bytes.data(), Table.data(), stale, dsm::Seconds(0.05))
  {
    std::fill_n(this->Bytes.begin(), stale, Old);
    StaleChunks::Reset(this->Table.data(), stale);
  }

  std::uint64_t Count(std::byte value) const
  {
    return static_cast<std::uint64_t>(std::count(this->Bytes.begin(), this->Bytes.end(), value));
  }

  std::vector<std::byte> Bytes;
  std::vector<std::byte> Table;
  StaleChunks Chunks;
};

TEST(StaleChunks, NothingIsStaleWithoutATable)
{
  const StaleChunks none;
  EXPECT_FALSE(none.MayConcern(0));
  none.Overwrite({ 0, 1000 });
  none.Clear({ 0, 1000 });
}

TEST(StaleChunks, OnlyWhatIsNotOverwrittenIsCleared)
{
  Slot slot(4 * Chunk, 3 * Chunk + 100);
  EXPECT_TRUE(slot.Chunks.MayConcern(3 * Chunk + 99));
  EXPECT_FALSE(slot.Chunks.MayConcern(3 * Chunk + 100));
  slot.Chunks.Overwrite({ Chunk, 2 * Chunk });
  EXPECT_EQ(slot.Count(Old), 3 * Chunk + 100) << "a whole chunk is left to who writes it";
  slot.Chunks.Overwrite({ 10, 20 });
  EXPECT_EQ(slot.Count(Old), 2 * Chunk + 100) << "one that is written in part is cleared before";
  std::fill_n(slot.Bytes.begin(), 20, std::byte(1));
  slot.Chunks.Overwrite({ 20, 30 });
  EXPECT_EQ(slot.Count(std::byte(1)), 20u) << "and only once";
  // The last one ends where what is stale does.
  slot.Chunks.Overwrite({ 3 * Chunk, 3 * Chunk + 100 });
  EXPECT_EQ(slot.Count(Old), 2 * Chunk + 100);
  slot.Chunks.Clear({ 0, 4 * Chunk });
  EXPECT_EQ(slot.Count(Old), Chunk + 100) << "what nobody has written";
  EXPECT_EQ(slot.Bytes[Chunk], Old);
}

// Many write small pieces beside one another, some whole chunks, some read.
TEST(StaleChunks, WhatSomebodyHasWrittenNobodyClears)
{
  constexpr std::uint64_t Size = 64 * Chunk;
  for (unsigned round = 0; round < 20; ++round)
  {
    Slot slot(Size, Size - 77);
    slot.Chunks = StaleChunks(slot.Bytes.data(), slot.Table.data(), Size - 77, dsm::Seconds(20));
    std::vector<std::vector<ByteRange>> pieces(4);
    std::vector<std::byte> expected(Size, std::byte(0));
    std::mt19937 random(round);
    for (std::uint64_t begin = 0; begin < Size;)
    {
      const std::uint64_t most = random() % 3 == 0 ? 3 * Chunk : Chunk / 4;
      const std::uint64_t end = std::min<std::uint64_t>(begin + 1 + random() % most, Size);
      if (const auto thread = random() % 5; thread < 4)
      {
        pieces[thread].push_back({ begin, end });
        std::fill(expected.begin() + static_cast<long>(begin),
          expected.begin() + static_cast<long>(end), std::byte(thread + 1));
      }
      begin = end;
    }
    std::vector<std::thread> threads;
    for (std::size_t thread = 0; thread < 4; ++thread)
    {
      std::shuffle(pieces[thread].begin(), pieces[thread].end(), random);
      threads.emplace_back(
        [&, thread]
        {
          for (const ByteRange& piece : pieces[thread])
          {
            slot.Chunks.Overwrite(piece);
            std::fill(slot.Bytes.begin() + static_cast<long>(piece.Begin),
              slot.Bytes.begin() + static_cast<long>(piece.End), std::byte(thread + 1));
          }
        });
    }
    threads.emplace_back([&] { slot.Chunks.Clear({ 10 * Chunk, 20 * Chunk }); });
    for (std::thread& thread : threads)
    {
      thread.join();
    }
    slot.Chunks.Clear({ 0, Size });
    ASSERT_TRUE(slot.Bytes == expected) << "round " << round;
  }
}

TEST(StaleChunks, WhoHasStoppedInTheMiddleIsNotWaitedForWithoutEnd)
{
  Slot slot(Chunk, Chunk);
  slot.Table[0] = std::byte(1); // somebody is clearing it
  EXPECT_THROW(slot.Chunks.Overwrite({ 0, Chunk }), dsm::Error);
  EXPECT_THROW(slot.Chunks.Clear({ 0, 1 }), dsm::Error);
}

}
