// SPDX-License-Identifier: BSD-3-Clause
// Readers that enter a slot without a message, and a server that evicts only what nobody has
// entered.
#include "Memory/ReaderGate.h"

#include "SlotFixture.h"

#include "Peer/SlotEntry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace
{

using namespace dsm;
using namespace dsm::testing;

class ReaderGateTest : public ::testing::Test
{
protected:
  SharedNumber Number(std::size_t index)
  {
    return SharedNumber(reinterpret_cast<std::byte*>(&this->Numbers[index]));
  }

  std::array<std::uint64_t, 3> Numbers{};
  const SharedNumber Slot = Number(0);
  const SharedNumber Other = Number(1);
  const ReaderGate Gate{ Number(2) };
};

TEST_F(ReaderGateTest, CountsThoseThatHaveEntered)
{
  EXPECT_FALSE(ReaderGate::HasReaders(this->Slot));
  EXPECT_TRUE(this->Gate.Enter(this->Slot));
  EXPECT_TRUE(this->Gate.Enter(this->Slot));
  ReaderGate::Leave(this->Slot);
  EXPECT_TRUE(ReaderGate::HasReaders(this->Slot));
  EXPECT_FALSE(ReaderGate::HasReaders(this->Other));
  ReaderGate::Leave(this->Slot);
  EXPECT_FALSE(ReaderGate::HasReaders(this->Slot));
  ReaderGate::Leave(this->Slot); // one that did not count any more
  EXPECT_FALSE(ReaderGate::HasReaders(this->Slot));
}

TEST_F(ReaderGateTest, NobodyEntersWhileItIsClosed)
{
  EXPECT_TRUE(this->Gate.Enter(this->Slot));
  this->Gate.Close();
  EXPECT_FALSE(this->Gate.Enter(this->Slot));
  EXPECT_FALSE(this->Gate.Enter(this->Other));
  EXPECT_TRUE(ReaderGate::HasReaders(this->Slot));
  EXPECT_FALSE(ReaderGate::HasReaders(this->Other));
  this->Gate.Open();
  EXPECT_TRUE(this->Gate.Enter(this->Other));
}

TEST_F(ReaderGateTest, NobodyEntersAClosedSlotUntilItIsReset)
{
  EXPECT_TRUE(this->Gate.Enter(this->Slot));
  ReaderGate::CloseSlot(this->Slot);
  EXPECT_FALSE(this->Gate.Enter(this->Slot));
  EXPECT_TRUE(this->Gate.Enter(this->Other));
  EXPECT_TRUE(ReaderGate::HasReaders(this->Slot)) << "who has entered stays";
  ReaderGate::Leave(this->Slot);
  EXPECT_FALSE(ReaderGate::HasReaders(this->Slot));
  EXPECT_FALSE(this->Gate.Enter(this->Slot));
  ReaderGate::ResetSlot(this->Slot);
  EXPECT_TRUE(this->Gate.Enter(this->Slot));
}

// A reader that was killed before the server heard of it keeps nobody waiting for ever.
TEST_F(ReaderGateTest, OneThatNeverLeavesCountsForAWhile)
{
  const auto inPast = [](std::uint64_t milliseconds)
  {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(std::chrono::floor<std::chrono::milliseconds>(now).count()) -
      milliseconds;
  };
  const std::uint64_t two = 2;
  this->Slot.Store(inPast(ReaderGate::ValidMilliseconds - 5000) << 16 | two);
  EXPECT_TRUE(ReaderGate::HasReaders(this->Slot));
  this->Slot.Store(inPast(ReaderGate::ValidMilliseconds + 1) << 16 | two);
  EXPECT_FALSE(ReaderGate::HasReaders(this->Slot));
  EXPECT_TRUE(this->Gate.Enter(this->Slot));
  EXPECT_TRUE(ReaderGate::HasReaders(this->Slot));
  ReaderGate::Leave(this->Slot);
  EXPECT_FALSE(ReaderGate::HasReaders(this->Slot)) << "the two are forgotten";
  this->Slot.Store((inPast(0) + 3'600'000) << 16 | two); // of another machine's clock
  EXPECT_FALSE(ReaderGate::HasReaders(this->Slot));
}

// The slot's contents change only while the gate is closed and nobody has entered.
TEST_F(ReaderGateTest, NothingIsEvictedUnderOneThatHasEntered)
{
  constexpr std::uint64_t Enough = 2000;
  constexpr int Readers = 3;
  std::atomic<std::uint64_t> contents = 0;
  std::atomic<std::uint64_t> reads = 0;
  std::atomic<int> torn = 0;
  std::vector<std::thread> readers;
  for (int reader = 0; reader < Readers; ++reader)
  {
    readers.emplace_back(
      [&]
      {
        while (reads < Enough || contents < Enough)
        {
          if (this->Gate.Enter(this->Slot))
          {
            const std::uint64_t found = contents;
            if (++reads % 10 == 0)
            {
              std::this_thread::yield();
            }
            torn += found == contents ? 0 : 1;
            ReaderGate::Leave(this->Slot);
          }
          std::this_thread::yield();
        }
      });
  }
  while (reads < Enough || contents < Enough)
  {
    this->Gate.Close();
    if (!ReaderGate::HasReaders(this->Slot))
    {
      ++contents;
    }
    this->Gate.Open();
    std::this_thread::yield();
  }
  for (std::thread& reader : readers)
  {
    reader.join();
  }
  EXPECT_EQ(torn, 0);
  EXPECT_FALSE(ReaderGate::HasReaders(this->Slot));
}

// ---- A reader's entry.

class SlotEntryTest : public ImageTest
{
};

TEST_F(SlotEntryTest, LastsUntilItEndsOrTheServerHasHeardOfIt)
{
  SlotBoard board = this->Board();
  {
    auto entry = SlotEntry::Enter(this->Route, this->Server, SlotNumber);
    ASSERT_TRUE(entry);
    EXPECT_TRUE(board.HasReaders(SlotNumber));
    const SlotEntry moved = std::move(*entry);
    entry.reset();
    EXPECT_TRUE(board.HasReaders(SlotNumber));
  }
  EXPECT_FALSE(board.HasReaders(SlotNumber));
  {
    auto entry = SlotEntry::Enter(this->Route, this->Server, SlotNumber);
    EXPECT_EQ(entry->HandOver(), SlotNumber);
  }
  EXPECT_TRUE(board.HasReaders(SlotNumber));
  board.NoteReader(SlotNumber);
  EXPECT_FALSE(board.HasReaders(SlotNumber));
  board.CloseToReaders();
  EXPECT_FALSE(SlotEntry::Enter(this->Route, this->Server, SlotNumber));
  board.OpenToReaders();
  EXPECT_TRUE(SlotEntry::Enter(this->Route, this->Server, SlotNumber));
}

}
