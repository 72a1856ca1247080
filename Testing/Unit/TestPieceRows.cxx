// SPDX-License-Identifier: BSD-3-Clause
// Pieces as rows, and the pieces of several ranks by rising address.
#include "Driver/PieceMerge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <tuple>

namespace
{

using namespace dsm;

using Visit = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>; // address, size, position

TEST(PieceRows, ARegularSelectionIsOneRow)
{
  PieceRows rows;
  for (std::uint64_t i = 0; i < 1000; ++i)
  {
    rows.Add(40 + 48 * i, 8);
  }
  ASSERT_EQ(1u, rows.List().size());
  EXPECT_EQ(40u, rows.List()[0].At(0));
  EXPECT_EQ(40u + 48 * 999, rows.List()[0].At(999));
  EXPECT_EQ(1000u, rows.List()[0].Count);
  EXPECT_EQ(8u, rows.List()[0].Size);
}

TEST(PieceRows, ConsecutivePiecesAreOne)
{
  PieceRows rows;
  rows.Add(0, 8);
  rows.Add(8, 24);
  rows.Add(32, 8);
  ASSERT_EQ(1u, rows.List().size());
  EXPECT_EQ(40u, rows.List()[0].Size);
  EXPECT_EQ(1u, rows.List()[0].Count);
}

TEST(PieceRows, WhatDoesNotFitBeginsARow)
{
  PieceRows rows;
  rows.Add(0, 8);
  rows.Add(16, 8);
  rows.Add(33, 8); // not where the third of the row would be
  rows.Add(8, 8);  // before it
  rows.Add(100, 4);
  EXPECT_EQ(4u, rows.List().size());
  rows.Clear();
  EXPECT_EQ(0u, rows.Bytes());
}

std::vector<std::uint64_t> AllBytes(const PieceRows& rows)
{
  std::vector<std::uint64_t> bytes; // each one's address
  for (const PieceRow& row : rows.List())
  {
    for (std::uint64_t i = 0; i < row.Count; ++i)
    {
      for (std::uint64_t byte = 0; byte < row.Size; ++byte)
      {
        bytes.push_back(row.At(i) + byte);
      }
    }
  }
  return bytes;
}

// Pieces come out as they went in, whatever rows they were.
TEST(PieceRows, SayEachPiece)
{
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round)
  {
    PieceRows rows;
    std::vector<std::uint64_t> bytes; // each one's address
    for (int i = 0; i < 50; ++i)
    {
      const std::uint64_t place = random() % 4 == 0
        ? random() % 1000
        : (bytes.empty() ? 0 : bytes.back() + 1 + random() % 3 * 8);
      const std::uint64_t size = random() % 5 == 0 ? 1 + random() % 9 : 8;
      rows.Add(place, size);
      for (std::uint64_t byte = 0; byte < size; ++byte)
      {
        bytes.push_back(place + byte);
      }
    }
    ASSERT_EQ(bytes, AllBytes(rows)) << round;
  }
}

TEST(PieceRows, CutAnywhere)
{
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round)
  {
    PieceRows rows;
    std::uint64_t end = 0;
    for (int i = 0; i < 50; ++i)
    {
      const std::uint64_t place = end + random() % 2 * 8 + random() % 20 / 19;
      const std::uint64_t size = random() % 5 == 0 ? 1 + random() % 9 : 8;
      rows.Add(place, size);
      end = place + size;
    }
    const std::vector<std::uint64_t> all = AllBytes(rows);
    PieceRows rest = rows;
    const std::uint64_t cut = random() % (all.size() + 1);
    const std::vector<std::uint64_t> first = AllBytes(rest.TakeFirst(cut));
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>(cut);
    EXPECT_EQ(std::vector(all.begin(), middle), first) << round;
    EXPECT_EQ(std::vector(middle, all.end()), AllBytes(rest)) << round;
  }
}

// What is cut at a place goes into no more rows than there were.
TEST(PieceRows, CutAtAPlaceBetweenPieces)
{
  PieceRows rows;
  for (std::uint64_t i = 0; i < 10; ++i)
  {
    rows.Add(48 * i, 8);
  }
  rows.Add(1000, 100);
  EXPECT_EQ(0u, rows.BytesBefore(0));
  EXPECT_EQ(8u, rows.BytesBefore(1)) << "a piece of a row goes whole";
  EXPECT_EQ(8u, rows.BytesBefore(48));
  EXPECT_EQ(16u, rows.BytesBefore(49));
  EXPECT_EQ(80u, rows.BytesBefore(1000));
  EXPECT_EQ(130u, rows.BytesBefore(1050)) << "and one that is alone does not";
  EXPECT_EQ(180u, rows.BytesBefore(5000));
  EXPECT_EQ(1u, rows.TakeFirst(rows.BytesBefore(100)).List().size());
  EXPECT_EQ(2u, rows.List().size());
  EXPECT_EQ(144u, rows.List()[0].Begin);
  EXPECT_EQ(2u, rows.TakeFirst(rows.BytesBefore(1050)).List().size());
  ASSERT_EQ(1u, rows.List().size());
  EXPECT_EQ(1050u, rows.List()[0].Begin);
  EXPECT_EQ(50u, rows.List()[0].Size);
}

TEST(PieceMerge, GoesByAddress)
{
  PieceRows one;
  PieceRows two;
  for (std::uint64_t i = 0; i < 3; ++i)
  {
    one.Add(24 * i, 8);
    two.Add(24 * i + 8, 16);
  }
  PieceMerge merge;
  merge.Add(one.List(), 0);
  merge.Add(two.List(), 100);
  merge.Add({}, 200);
  std::vector<Visit> seen;
  const auto see = [&seen](std::uint64_t address, std::uint64_t size, std::uint64_t position)
  { seen.emplace_back(address, size, position); };
  merge.ForEach(see);
  const std::vector<Visit> wanted{ { 0, 8, 0 }, { 8, 16, 100 }, { 24, 8, 8 }, { 32, 16, 116 },
    { 48, 8, 16 }, { 56, 16, 132 } };
  EXPECT_EQ(wanted, seen);
  merge.ForEach(see);
  EXPECT_EQ(2 * wanted.size(), seen.size()) << "it can be walked again";
}

// What is random comes in any order, and overlaps.
TEST(PieceMerge, TakesWhatIsNotInOrder)
{
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round)
  {
    std::vector<PieceRows> ranks(1 + random() % 5);
    PieceMerge merge;
    std::vector<Visit> bytes; // each one's address and position, with size 1
    std::uint64_t position = 0;
    for (PieceRows& rows : ranks)
    {
      const std::uint64_t begin = position;
      for (std::uint64_t i = random() % 40; i > 0; --i)
      {
        const std::uint64_t place = random() % 500;
        const std::uint64_t size = 1 + random() % 16;
        rows.Add(place, size);
        for (std::uint64_t byte = 0; byte < size; ++byte)
        {
          bytes.emplace_back(place + byte, 1, position++);
        }
      }
      merge.Add(rows.List(), begin);
    }
    std::vector<Visit> found;
    std::uint64_t last = 0;
    merge.ForEach(
      [&](std::uint64_t address, std::uint64_t size, std::uint64_t at)
      {
        EXPECT_GE(address, last);
        last = address;
        for (std::uint64_t byte = 0; byte < size; ++byte)
        {
          found.emplace_back(address + byte, 1, at + byte);
        }
      });
    std::sort(bytes.begin(), bytes.end());
    std::sort(found.begin(), found.end());
    ASSERT_EQ(bytes, found) << round;
  }
}

}
