// SPDX-License-Identifier: BSD-3-Clause
#include "Memory/SegmentLayout.h"
#include "Memory/SlotEnding.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace
{

using dsm::SharedNumber;
using dsm::SlotEnding;
using enum dsm::SlotEnding::Kind;

struct Word
{
  alignas(std::uint64_t) std::byte Bytes[sizeof(std::uint64_t)] = {};
};

TEST(SegmentLayout, HasItsTablesBehindTheSlots)
{
  const dsm::SegmentLayout layout(4096, 3);
  EXPECT_EQ(layout.TablesBegin(), 3 * 4096u);
  EXPECT_EQ(layout.Generations.OffsetOf(2), 3 * 4096u + 16);
  EXPECT_EQ(layout.Endings.OffsetOf(0), layout.Generations.End());
  EXPECT_EQ(layout.Grants.OffsetOf(0), layout.Endings.End());
  EXPECT_EQ(layout.Wanted.OffsetOf(0), layout.Grants.End());
  EXPECT_EQ(layout.TablesEnd(),
    layout.TablesBegin() +
      (UINT64_C(3) * 10 + dsm::SegmentLayout::Count + dsm::SegmentLayout::MostMapped) * 8);
  EXPECT_GE(layout.Mailboxes, layout.TablesEnd() + 3 * dsm::SegmentLayout::LongestReason);
  EXPECT_EQ(layout.Mailboxes % 4096, 0u) << "at the beginning of a page";
  EXPECT_EQ(layout.Questions, layout.Mailboxes + layout.MailboxesSize);
  EXPECT_EQ(layout.Questions % 8, 0u);
  EXPECT_EQ(layout.ChunksOf(0), layout.Questions + dsm::QuestionBoard::Size);
  EXPECT_EQ(layout.ChunksOf(0) % 4096, 0u);
  EXPECT_EQ(layout.ChunksOf(2), layout.ChunksOf(0) + UINT64_C(2) * 4096) << "pages of each slot";
  EXPECT_EQ(layout.Size(), layout.ChunksOf(3));
}

TEST(SharedNumber, IsRaisedOnly)
{
  Word word;
  const SharedNumber number(word.Bytes);
  EXPECT_EQ(number.Load(), 0u);
  number.Raise(7);
  number.Raise(3);
  EXPECT_EQ(number.Load(), 7u);
  number.Store(3);
  EXPECT_EQ(number.Load(), 3u);
}

TEST(SlotEnding, TheFirstCounts)
{
  Word first;
  const SlotEnding sealed{ SharedNumber(first.Bytes) };
  EXPECT_EQ(sealed.Decide(0, Sealed), Sealed);
  EXPECT_EQ(sealed.Decide(0, GivenUp), Sealed);
  EXPECT_EQ(sealed.Decide(0, Sealed), Sealed);
  Word second;
  const SlotEnding givenUp{ SharedNumber(second.Bytes) };
  EXPECT_EQ(givenUp.Decide(0, GivenUp), GivenUp);
  EXPECT_EQ(givenUp.Decide(0, Sealed), GivenUp);
}

TEST(SlotEnding, EachImageHasItsOwn)
{
  Word word;
  const SlotEnding ending{ SharedNumber(word.Bytes) };
  EXPECT_EQ(ending.Decide(4, Sealed), Sealed);
  EXPECT_EQ(ending.Decide(5, GivenUp), GivenUp);
  EXPECT_EQ(ending.Decide(9, Sealed), Sealed);
}

// Its writer has been away while the slot had others.
TEST(SlotEnding, WhatIsNotKnownAnyMoreCountsAsGivenUp)
{
  Word word;
  const SlotEnding ending{ SharedNumber(word.Bytes) };
  ending.Decide(5, Sealed);
  EXPECT_EQ(ending.Decide(4, Sealed), GivenUp);
  EXPECT_EQ(ending.Decide(5, GivenUp), Sealed);
}

// Of a file that is written further: what its earlier writers shared as well.
TEST(SlotEnding, WhoGoesOnAloneMayChangeWhatWasSharedBefore)
{
  Word word;
  const SlotEnding ending{ SharedNumber(word.Bytes) };
  EXPECT_FALSE(ending.IsAlone(0));
  ending.Decide(4, Sealed);
  EXPECT_FALSE(ending.IsAlone(4));
  ending.GoAlone(5);
  EXPECT_TRUE(ending.IsAlone(5));
  EXPECT_TRUE(ending.IsAlone(4));
  EXPECT_TRUE(ending.IsAlone(0));
  EXPECT_FALSE(ending.IsAlone(6));
  ending.Decide(6, GivenUp);
  EXPECT_FALSE(ending.IsAlone(5)) << "which is not known any more";
}

// Its server has ended: either its writer writes it to disk, or somebody else does.
TEST(SlotEnding, OneUndertakesWhatWasSealed)
{
  Word word;
  const SlotEnding ending{ SharedNumber(word.Bytes) };
  ending.Decide(3, Sealed);
  EXPECT_EQ(ending.Undertake(3, Kept), Kept);
  EXPECT_EQ(ending.Undertake(3, GivenUp), Kept);
  EXPECT_EQ(ending.Decide(3, GivenUp), Kept);
  ending.Decide(4, Sealed);
  EXPECT_EQ(ending.Undertake(4, GivenUp), GivenUp);
  EXPECT_EQ(ending.Undertake(4, Kept), GivenUp);
  EXPECT_EQ(ending.Undertake(3, Kept), GivenUp) << "not known any more";
  // A copy that a flush made was never ended.
  EXPECT_EQ(ending.Undertake(7, Kept), Kept);
  ending.Decide(8, GivenUp);
  EXPECT_EQ(ending.Undertake(8, Kept), GivenUp);
}

TEST(SlotEnding, TwoAtOnceAgree)
{
  constexpr std::uint64_t Rounds = 2000;
  Word word;
  const SlotEnding ending{ SharedNumber(word.Bytes) };
  std::atomic<std::uint64_t> arrived{ 0 };
  std::vector<SlotEnding::Kind> seen[2];
  const auto decide = [&](int who, SlotEnding::Kind wish)
  {
    for (std::uint64_t round = 0; round < Rounds; ++round)
    {
      ++arrived;
      while (arrived < 2 * (round + 1))
      {
        std::this_thread::yield();
      }
      seen[who].push_back(ending.Decide(round, wish));
    }
  };
  std::thread server(decide, 0, Sealed);
  decide(1, GivenUp);
  server.join();
  EXPECT_EQ(seen[0], seen[1]);
}

}
