// SPDX-License-Identifier: BSD-3-Clause
// Ranks that ask, and a coordinator that answers: only memory is between them.
#include "Base/Doorbell.h"
#include "Base/NodeIdentity.h"
#include "Memory/QuestionBoard.h"
#include "Memory/Segment.h"
#include "Memory/SharedNumber.h"
#include "Peer/SharedQuestions.h"
#include "Transport/SharedMemory/SharedMemory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <thread>
#include <utility>
#include <vector>

namespace
{

using namespace dsm;
using Sheet = QuestionBoard::Sheet;

constexpr std::uint64_t SlotSize = 1 << 20;
constexpr std::uint64_t Slots = 4;
const Seconds Limit(60);

Bytes Noise(std::size_t size, unsigned seed)
{
  std::minstd_rand random(seed);
  Bytes bytes(size);
  std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<std::uint8_t>(random()); });
  return bytes;
}

// As a network: nothing is mapped, and of what is put, and got, the words come in any order.
class AnyOrder final : public Transport
{
public:
  AnyOrder(std::shared_ptr<Transport> below, unsigned seed)
    : Below(std::move(below))
    , Random(seed)
  {
  }
  std::string Name() const override { return "any order"; }
  void Put(HostIndex host, std::uint64_t offset, const void* source, std::uint64_t size) override
  {
    this->ForEachWord(size,
      [&](std::uint64_t at)
      {
        std::uint64_t word = 0;
        std::memcpy(&word, static_cast<const std::byte*>(source) + at, sizeof word);
        SharedNumber(this->Below->Shared(host, offset + at)).Store(word);
      });
  }
  void Get(HostIndex host, std::uint64_t offset, void* destination, std::uint64_t size) override
  {
    this->ForEachWord(size,
      [&](std::uint64_t at)
      {
        const std::uint64_t word = SharedNumber(this->Below->Shared(host, offset + at)).Load();
        std::memcpy(static_cast<std::byte*>(destination) + at, &word, sizeof word);
      });
  }
  void Flush() override {}
  const std::byte* Direct(HostIndex, std::uint64_t) const override { return nullptr; }

private:
  template <typename Move>
  void ForEachWord(std::uint64_t size, const Move& move)
  {
    std::vector<std::uint64_t> places(size / sizeof(std::uint64_t));
    std::iota(places.begin(), places.end(), 0);
    std::shuffle(places.begin(), places.end(), this->Random);
    for (const std::uint64_t place : places)
    {
      move(place * sizeof(std::uint64_t));
      if (place % 16 == 0)
      {
        std::this_thread::yield();
      }
    }
  }

  std::shared_ptr<Transport> Below;
  std::minstd_rand Random;
};

class Questions : public testing::Test
{
protected:
  Questions()
    : Memory(Segment::Create(this->Layout.Size()))
    , Board(this->Memory.Data() + this->Layout.Questions)
  {
    this->Server.SlotSize = SlotSize;
    this->Server.SlotCount = Slots;
    const std::string& name = this->Memory.Name();
    this->Server.Hosts.push_back({ NodeIdentity(), "here", NetworkIdentity(),
      { { "shared-memory", { name.begin(), name.end() } } } });
  }

  std::shared_ptr<Transport> Mapped() const
  {
    return std::make_shared<SharedMemory>(this->Server, std::vector<HostIndex>{ 0 });
  }
  SharedNumber Pulse() const
  {
    return SharedNumber(this->Memory.Data() + this->Layout.Signals.OffsetOf(SegmentLayout::Pulse));
  }

  // Answers each question with its bytes in reverse, until the end.
  void Serve(const std::atomic<bool>& end)
  {
    const Doorbell answers(
      this->Memory.Data() + this->Layout.Signals.OffsetOf(SegmentLayout::Answers));
    while (!end)
    {
      for (const auto& question : this->Board.Take())
      {
        Bytes answer = question.Message;
        std::reverse(answer.begin(), answer.end());
        EXPECT_TRUE(this->Board.Answer(question, answer));
        answers.Ring();
      }
      this->Pulse().Store(this->Pulse().Load() + 1);
      std::this_thread::yield();
    }
  }

  const SegmentLayout Layout{ SlotSize, Slots };
  Segment Memory;
  QuestionBoard Board;
  ServerDescription Server;
};

TEST(QuestionSheets, AreWholeOrNone)
{
  for (const std::size_t size : { 0u, 1u, 8u, 13u, 1000u })
  {
    const Bytes message = Noise(size, 7);
    auto words = Sheet{ 42, message }.ToWords();
    const auto read = Sheet::FromWords(words);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->Key, 42u);
    EXPECT_EQ(read->Message, message);
    for (std::size_t i = 0; i < words.size(); ++i)
    {
      auto other = words;
      other[i] ^= UINT64_C(1) << (i * 7 % 64);
      EXPECT_FALSE(Sheet::FromWords(other)) << size << " bytes, word " << i;
    }
  }
  EXPECT_FALSE(Sheet::FromWords(std::vector<std::uint64_t>(100)));
}

// More than there are places, each several times.
TEST_F(Questions, AreAnsweredToThoseWhoAsked)
{
  constexpr unsigned ranks = 2 * QuestionBoard::Places;
  std::atomic<bool> end = false;
  std::thread server([&] { this->Serve(end); });
  std::atomic<unsigned> right = 0;
  std::vector<std::thread> all;
  all.reserve(ranks);
  for (unsigned rank = 0; rank < ranks; ++rank)
  {
    all.emplace_back(
      [&, rank]
      {
        // Every other one is on another node.
        std::shared_ptr<Transport> route = this->Mapped();
        if (rank % 2 == 1)
        {
          route = std::make_shared<AnyOrder>(route, rank + 1);
        }
        const SharedQuestions asking(route, this->Server);
        for (unsigned turn = 0; turn < 4; ++turn)
        {
          Bytes message = Noise(1 + (rank * 37 + turn * 301) % 900, rank * 4 + turn);
          const auto answer = asking.Ask(message, Limit, Limit, [] { return false; });
          std::reverse(message.begin(), message.end());
          right += answer && *answer == message ? 1 : 0;
        }
      });
  }
  for (std::thread& one : all)
  {
    one.join();
  }
  end = true;
  server.join();
  EXPECT_EQ(right, 4 * ranks);
}

TEST_F(Questions, EndWhereNobodyLooks)
{
  const SharedQuestions asking(this->Mapped(), this->Server);
  EXPECT_FALSE(asking.Ask({ 1, 2, 3 }, Limit, Seconds(0.1), [] { return false; }));
  EXPECT_FALSE(asking.Ask({ 1, 2, 3 }, Seconds(0.1), Limit, [] { return false; }));
  EXPECT_FALSE(asking.Ask({ 1, 2, 3 }, Limit, Limit, [] { return true; }));
}

TEST_F(Questions, AreRefusedWhereTheyHaveNoRoom)
{
  const SharedQuestions asking(this->Mapped(), this->Server);
  const Bytes tooLong(QuestionBoard::LongestQuestion + 1);
  EXPECT_FALSE(asking.Ask(tooLong, Limit, Limit, [] { return false; }));
  EXPECT_TRUE(this->Board.Take().empty());
  EXPECT_FALSE(this->Board.Answer({ 0, 1, {} }, Bytes(QuestionBoard::LongestAnswer + 1)));
  EXPECT_TRUE(this->Board.Answer({ 0, 1, {} }, Bytes(QuestionBoard::LongestAnswer)));
}

}
