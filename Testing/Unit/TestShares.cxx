// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/Shares.h"

#include <gtest/gtest.h>

#include <random>

using namespace dsm::describe;

TEST(Shares, OnePartIsCut)
{
  EXPECT_EQ(ShareOf({ { 10, 5 } }, 0, 3), (std::vector<Range>{ { 0, 4 } }));
  EXPECT_EQ(ShareOf({ { 10, 5 } }, 1, 3), (std::vector<Range>{ { 4, 3 } }));
  EXPECT_EQ(ShareOf({ { 10, 5 } }, 2, 3), (std::vector<Range>{ { 7, 3 } }));
}

TEST(Shares, PartsAreDealt)
{
  const std::vector<Load> parts{ { 1, 100 }, { 1, 100 }, { 0, 7 }, { 1, 100 } };
  EXPECT_EQ(ShareOf(parts, 0, 3), (std::vector<Range>{ { 0, 1 }, { 0, 0 }, { 0, 0 }, { 0, 0 } }));
  EXPECT_EQ(ShareOf(parts, 2, 3), (std::vector<Range>{ { 1, 0 }, { 1, 0 }, { 0, 0 }, { 0, 1 } }));
}

// Each unit goes to one reader, and none gets more than its part and one unit.
TEST(Shares, AnyParts)
{
  std::mt19937_64 random(3);
  for (int round = 0; round < 200; ++round)
  {
    std::vector<Load> parts(1 + random() % 6);
    std::uint64_t total = 0, greatest = 0;
    for (Load& part : parts)
    {
      part = { random() % 50, 1 + random() % 1000 };
      total += part.Units * part.Cost;
      greatest = std::max(greatest, part.Cost);
    }
    const std::uint64_t pieces = 1 + random() % 7;
    std::vector<std::uint64_t> next(parts.size(), 0);
    for (std::uint64_t piece = 0; piece < pieces; ++piece)
    {
      const auto shares = ShareOf(parts, piece, pieces);
      ASSERT_EQ(shares.size(), parts.size());
      std::uint64_t cost = 0;
      for (std::size_t part = 0; part < parts.size(); ++part)
      {
        ASSERT_TRUE(shares[part].Count == 0 || shares[part].First == next[part]);
        next[part] += shares[part].Count;
        cost += shares[part].Count * parts[part].Cost;
      }
      EXPECT_LE(cost, total / pieces + 1 + greatest);
    }
    for (std::size_t part = 0; part < parts.size(); ++part)
    {
      EXPECT_EQ(next[part], parts[part].Units);
    }
  }
}
