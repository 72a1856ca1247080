// SPDX-License-Identifier: BSD-3-Clause
#include "Mapping/RandomBlock/Shuffle.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <vector>

namespace
{

using dsm::Shuffle;

using Order = std::vector<std::uint64_t>;

Order OrderOf(const Shuffle& shuffle, std::uint64_t round, std::uint64_t size)
{
  Order order;
  for (std::uint64_t position = 0; position < size; ++position)
  {
    order.push_back(shuffle.At(round, position));
  }
  return order;
}

TEST(Shuffle, IsAPermutationAndComesBack)
{
  for (const std::uint64_t size : { 1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 63, 64, 65, 100, 1009 })
  {
    for (std::uint64_t round = 0; round < 20; ++round)
    {
      const Shuffle shuffle(size, round * 77);
      std::vector<bool> taken(size, false);
      for (std::uint64_t position = 0; position < size; ++position)
      {
        const std::uint64_t value = shuffle.At(round, position);
        ASSERT_LT(value, size);
        ASSERT_FALSE(taken[value]) << "n=" << size;
        taken[value] = true;
        ASSERT_EQ(shuffle.PositionOf(round, value), position) << "n=" << size;
      }
    }
  }
}

TEST(Shuffle, HugeOnesComeBack)
{
  for (std::uint64_t size = 3; size <= Shuffle::LargestSize; size = size * 5 + 1)
  {
    const Shuffle shuffle(size, 9);
    for (std::uint64_t position = 0; position < size && position < 500; ++position)
    {
      const std::uint64_t value = shuffle.At(position, size - 1 - position);
      ASSERT_LT(value, size);
      ASSERT_EQ(shuffle.PositionOf(position, value), size - 1 - position);
    }
  }
}

// These numbers are part of the protocol: a peer of another build must compute the same ones. If
// they have to change, ProtocolVersion has to change as well.
TEST(Shuffle, NeverChanges)
{
  EXPECT_EQ(OrderOf(Shuffle(8, 0), 0, 8), Order({ 1, 3, 5, 7, 6, 4, 2, 0 }));
  EXPECT_EQ(OrderOf(Shuffle(8, 0), 1, 8), Order({ 0, 2, 6, 5, 4, 3, 1, 7 }));
  EXPECT_EQ(OrderOf(Shuffle(8, 1), 0, 8), Order({ 3, 4, 5, 2, 0, 6, 1, 7 }));
  EXPECT_EQ(OrderOf(Shuffle(5, 2011), 123456789, 5), Order({ 2, 4, 3, 0, 1 }));
  EXPECT_EQ(OrderOf(Shuffle(13, ~UINT64_C(0)), UINT64_C(1) << 50, 13),
    Order({ 11, 6, 9, 7, 0, 2, 5, 12, 10, 3, 1, 8, 4 }));
  EXPECT_EQ(Shuffle(UINT64_C(1000000007), 7).At(3, 999999999), 243784100u);
  EXPECT_EQ(Shuffle(Shuffle::LargestSize, 7).At(~UINT64_C(0), UINT64_C(1) << 31), 2118099778u);
}

// All orders of a few numbers come, about equally often.
TEST(Shuffle, AllOrdersComeEquallyOften)
{
  std::uint64_t orders = 1;
  for (std::uint64_t size = 2; size <= 5; ++size)
  {
    orders *= size;
    const std::uint64_t rounds = 2000 * orders;
    std::map<Order, std::uint64_t> count;
    const Shuffle shuffle(size, 5);
    for (std::uint64_t round = 0; round < rounds; ++round)
    {
      ++count[OrderOf(shuffle, round, size)];
    }
    EXPECT_EQ(count.size(), orders);
    for (const auto& [order, times] : count)
    {
      EXPECT_NEAR(static_cast<double>(times), 2000, 300) << "n=" << size;
    }
  }
}

TEST(Shuffle, EveryPlaceIsEquallyLikely)
{
  for (const std::uint64_t size : { 6, 7, 11, 16, 40 })
  {
    constexpr std::uint64_t Rounds = 20000;
    const Shuffle shuffle(size, 5);
    std::vector<double> count(size * size, 0);
    std::vector<double> neighbours(size, 0);
    for (std::uint64_t round = 0; round < Rounds; ++round)
    {
      const Order order = OrderOf(shuffle, round, size);
      for (std::uint64_t position = 0; position < size; ++position)
      {
        ++count[position * size + order[position]];
      }
      ++neighbours[(order[1] + size - order[0]) % size];
    }
    const double fair = static_cast<double>(Rounds) / static_cast<double>(size);
    for (const double times : count)
    {
      EXPECT_NEAR(times, fair, 6 * std::sqrt(fair)) << "n=" << size;
    }
    EXPECT_EQ(neighbours[0], 0);
    for (std::uint64_t step = 1; step < size; ++step)
    {
      const double fairStep = static_cast<double>(Rounds) / static_cast<double>(size - 1);
      EXPECT_NEAR(neighbours[step], fairStep, 6 * std::sqrt(fairStep)) << "n=" << size;
    }
  }
}

TEST(Shuffle, SeedsAndRoundsDiffer)
{
  const Order one = OrderOf(Shuffle(40, 1), 1, 40);
  EXPECT_NE(one, OrderOf(Shuffle(40, 2), 1, 40));
  EXPECT_NE(one, OrderOf(Shuffle(40, 1), 2, 40));
  EXPECT_NE(OrderOf(Shuffle(40, 2), 1, 40), OrderOf(Shuffle(40, 1), 2, 40));
}

}
