// SPDX-License-Identifier: BSD-3-Clause
// What is read ahead, as a table; and what ranks compare of what they ask for.
#include "Driver/AskedBytes.h"
#include "Driver/ReadAhead.h"

#include <gtest/gtest.h>

#include <vector>

namespace
{

using namespace dsm;

constexpr std::uint64_t End = 10 * ReadAhead::Window + 100;

TEST(ReadAhead, SmallPiecesThatLieTogether)
{
  ReadAhead ahead;
  EXPECT_EQ(nullptr, ahead.Find(1000, 8));
  EXPECT_FALSE(ahead.Next(1000, 8, End)) << "nothing is known of the first";
  const auto range = ahead.Next(1072, 8, End);
  ASSERT_TRUE(range);
  EXPECT_EQ(0u, range->Begin);
  EXPECT_EQ(ReadAhead::Window, range->End);
  Bytes bytes(range->End);
  for (std::size_t i = 0; i < bytes.size(); ++i)
  {
    bytes[i] = static_cast<Bytes::value_type>(i % 251);
  }
  ahead.Keep(range->Begin, bytes);
  for (const std::uint64_t address : { UINT64_C(0), UINT64_C(1072), ReadAhead::Window - 8 })
  {
    ASSERT_NE(nullptr, ahead.Find(FileOffset(address), 8)) << address;
    EXPECT_EQ(address % 251, static_cast<std::uint64_t>(*ahead.Find(FileOffset(address), 8)));
  }
  EXPECT_EQ(nullptr, ahead.Find(FileOffset(ReadAhead::Window - 7), 8));
  EXPECT_EQ(nullptr, ahead.Find(0, 0));
  EXPECT_EQ(nullptr, ahead.Find(FileOffset(3 * ReadAhead::Window), 8));
}

TEST(ReadAhead, NothingWhereItDoesNotPay)
{
  ReadAhead ahead;
  EXPECT_FALSE(ahead.Next(0, 8, End));
  EXPECT_FALSE(ahead.Next(FileOffset(5 * ReadAhead::Window), 8, End)) << "far from the last";
  EXPECT_FALSE(ahead.Next(FileOffset(5 * ReadAhead::Window), ReadAhead::MostAsked + 1, End))
    << "large";
  EXPECT_TRUE(ahead.Next(FileOffset(5 * ReadAhead::Window), ReadAhead::MostAsked, End));
  EXPECT_FALSE(ahead.Next(FileOffset(End - 4), 8, End)) << "beyond the end";
  const auto across = ahead.Next(FileOffset(10 * ReadAhead::Window - 4), 8, End);
  ASSERT_TRUE(across);
  EXPECT_EQ(9 * ReadAhead::Window, across->Begin);
  EXPECT_EQ(10 * ReadAhead::Window + 4, across->End) << "all of the piece";
  const auto last = ahead.Next(FileOffset(10 * ReadAhead::Window + 10), 8, End);
  ASSERT_TRUE(last);
  EXPECT_EQ(End, last->End);
}

// What is asked for where that ends which is here; and what is kept meanwhile.
TEST(ReadAhead, WhoGoesOnGetsMore)
{
  constexpr std::uint64_t window = ReadAhead::Window;
  ReadAhead ahead;
  ahead.Next(0, 8, End);
  std::uint64_t at = 8;
  for (const std::uint64_t windows : { 1, 2, 4, 4 })
  {
    const auto range = ahead.Next(FileOffset(at), 8, 100 * window);
    ASSERT_TRUE(range) << at;
    EXPECT_EQ(at / window * window, range->Begin);
    EXPECT_EQ(windows * window, range->End - range->Begin);
    ahead.Keep(range->Begin, Bytes(range->End - range->Begin));
    at = range->End + 100;
  }
  for (const std::uint64_t address : { UINT64_C(0), window, 3 * window, 7 * window })
  {
    EXPECT_NE(nullptr, ahead.Find(FileOffset(address), 8)) << address;
  }
  EXPECT_FALSE(ahead.Next(FileOffset(50 * window), 8, 100 * window)) << "far from all of it";
  const auto there = ahead.Next(FileOffset(50 * window + 8), 8, 100 * window);
  ASSERT_TRUE(there);
  EXPECT_EQ(window, there->End - there->Begin) << "nothing is here before it";
  ahead.Keep(there->Begin, Bytes(window));
  EXPECT_EQ(nullptr, ahead.Find(0, 8)) << "the first has left";
  EXPECT_NE(nullptr, ahead.Find(FileOffset(window), 8));
  EXPECT_NE(nullptr, ahead.Find(FileOffset(50 * window), 8));
}

AskedBytes Asked(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& pieces)
{
  AskedBytes asked;
  for (const auto& [address, size] : pieces)
  {
    asked.Add(FileOffset(address), size);
  }
  asked.Finish();
  return asked;
}

TEST(AskedBytes, AreTheSameHoweverTheyAreDivided)
{
  const AskedBytes whole = Asked({ { 100, 50 }, { 200, 10 } });
  EXPECT_EQ(100u, whole.First);
  EXPECT_EQ(60u, whole.Bytes);
  EXPECT_EQ(2u, whole.Runs);
  EXPECT_EQ(whole.Digest, Asked({ { 100, 20 }, { 120, 30 }, { 200, 10 } }).Digest);
  const std::vector<std::vector<std::pair<std::uint64_t, std::uint64_t>>> others{ {},
    { { 100, 50 } }, { { 100, 51 }, { 200, 10 } }, { { 100, 50 }, { 201, 10 } },
    { { 200, 10 }, { 100, 50 } }, { { 101, 50 }, { 200, 10 } } };
  for (const auto& other : others)
  {
    EXPECT_NE(whole.Digest, Asked(other).Digest);
  }
  EXPECT_EQ(1u, Asked({ { 0, 10 }, { 10, 5 } }).Runs) << "from the file's beginning";
}

}
