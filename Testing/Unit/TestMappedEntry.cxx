// SPDX-License-Identifier: BSD-3-Clause
// Tests the number by which the server keeps a snapshot for a viewer that maps it.
#include "Memory/MappedEntry.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace
{

using dsm::MappedEntry;
using State = dsm::MappedEntry::State;

struct MappedEntryTest : testing::Test
{
  alignas(std::uint64_t) std::byte Bytes[sizeof(std::uint64_t)] = {};
  const MappedEntry Entry{ dsm::SharedNumber(this->Bytes) };
};

TEST_F(MappedEntryTest, IsTakenAndLetGo)
{
  EXPECT_EQ(this->Entry.StateOf(7), State::Over);
  this->Entry.Offer(7);
  EXPECT_EQ(this->Entry.StateOf(7), State::Offered);
  EXPECT_TRUE(this->Entry.Take(7));
  EXPECT_EQ(this->Entry.StateOf(7), State::Taken);
  EXPECT_FALSE(this->Entry.Withdraw(7));
  this->Entry.LetGo(7);
  EXPECT_EQ(this->Entry.StateOf(7), State::Over);
}

TEST_F(MappedEntryTest, AnOfferThatWasWithdrawnIsNotTaken)
{
  this->Entry.Offer(7);
  EXPECT_TRUE(this->Entry.Withdraw(7));
  EXPECT_FALSE(this->Entry.Take(7));
  EXPECT_EQ(this->Entry.StateOf(7), State::Over);
}

TEST_F(MappedEntryTest, NobodyEndsWhatIsAnothers)
{
  this->Entry.Offer(7);
  EXPECT_TRUE(this->Entry.Withdraw(7));
  this->Entry.Offer(8);
  EXPECT_FALSE(this->Entry.Take(7));
  EXPECT_FALSE(this->Entry.Withdraw(7));
  EXPECT_TRUE(this->Entry.Take(8));
  this->Entry.LetGo(7);
  EXPECT_EQ(this->Entry.StateOf(8), State::Taken);
}

TEST_F(MappedEntryTest, OnlyOneSideGetsAnOffer)
{
  for (std::uint64_t number = 1; number <= 2000; ++number)
  {
    this->Entry.Offer(number);
    std::atomic<bool> begin = false;
    bool isWithdrawn = false;
    std::thread server(
      [&]
      {
        while (!begin)
        {
        }
        isWithdrawn = this->Entry.Withdraw(number);
      });
    begin = true;
    const bool isTaken = this->Entry.Take(number);
    server.join();
    ASSERT_NE(isTaken, isWithdrawn) << number;
    this->Entry.LetGo(number);
    ASSERT_EQ(this->Entry.StateOf(number), State::Over);
  }
}

}
