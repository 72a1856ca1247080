// SPDX-License-Identifier: BSD-3-Clause
#include "Memory/SlotEndings.h"
#include "Memory/SlotGenerations.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace
{

using dsm::SlotEndings;
using enum dsm::SlotEndings::Ending;

struct Word
{
  alignas(std::uint64_t) std::byte Bytes[sizeof(std::uint64_t)] = {};
};

TEST(SlotEndings, LieBehindTheGenerationsOfAllSlots)
{
  const dsm::SlotGenerations generations(4096, 3);
  const SlotEndings endings(4096, 3);
  EXPECT_EQ(endings.OffsetOf(0), generations.SegmentSize());
  EXPECT_EQ(endings.OffsetOf(2), endings.OffsetOf(0) + 16);
  EXPECT_EQ(endings.SegmentSize(), endings.OffsetOf(0) + 24);
}

TEST(SlotEndings, TheFirstCounts)
{
  Word sealed;
  EXPECT_EQ(SlotEndings::Decide(sealed.Bytes, 0, Sealed), Sealed);
  EXPECT_EQ(SlotEndings::Decide(sealed.Bytes, 0, GivenUp), Sealed);
  EXPECT_EQ(SlotEndings::Decide(sealed.Bytes, 0, Sealed), Sealed);
  Word givenUp;
  EXPECT_EQ(SlotEndings::Decide(givenUp.Bytes, 0, GivenUp), GivenUp);
  EXPECT_EQ(SlotEndings::Decide(givenUp.Bytes, 0, Sealed), GivenUp);
}

TEST(SlotEndings, AnImageHasAnEndingOfItsOwn)
{
  Word word;
  SlotEndings::Decide(word.Bytes, 4, Sealed);
  EXPECT_EQ(SlotEndings::Decide(word.Bytes, 5, GivenUp), GivenUp);
  EXPECT_EQ(SlotEndings::Decide(word.Bytes, 9, Sealed), Sealed);
}

// Its writer has been away while the slot had others.
TEST(SlotEndings, WhatIsNotKnownAnyMoreCountsAsGivenUp)
{
  Word word;
  SlotEndings::Decide(word.Bytes, 5, Sealed);
  EXPECT_EQ(SlotEndings::Decide(word.Bytes, 4, Sealed), GivenUp);
  EXPECT_EQ(SlotEndings::Decide(word.Bytes, 5, GivenUp), Sealed);
}

TEST(SlotEndings, TwoAtOnceAgree)
{
  constexpr std::uint64_t Rounds = 2000;
  Word word;
  std::atomic<std::uint64_t> arrived{ 0 };
  std::vector<SlotEndings::Ending> seen[2];
  const auto decide = [&](int who, SlotEndings::Ending wish)
  {
    for (std::uint64_t round = 0; round < Rounds; ++round)
    {
      ++arrived;
      while (arrived < 2 * (round + 1))
      {
        std::this_thread::yield();
      }
      seen[who].push_back(SlotEndings::Decide(word.Bytes, round, wish));
    }
  };
  std::thread server(decide, 0, Sealed);
  decide(1, GivenUp);
  server.join();
  std::uint64_t differ = 0;
  for (std::uint64_t round = 0; round < Rounds; ++round)
  {
    differ += seen[0][round] != seen[1][round] ? 1 : 0;
  }
  EXPECT_EQ(differ, 0u);
}

}
