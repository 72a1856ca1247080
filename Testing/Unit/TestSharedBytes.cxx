// SPDX-License-Identifier: BSD-3-Clause
// What snapshots of flushes share with the file they were taken from, in ranges: ByteRanges,
// AsideBytes and FrozenBytes.
#include "Base/Error.h"
#include "Mapping/AsideBytes.h"
#include "Mapping/ByteRanges.h"
#include "Peer/FrozenBytes.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <vector>

namespace
{

using namespace dsm;

constexpr std::uint64_t Page = AsideBytes::Page;
using Ranges = std::vector<ByteRange>;
using List = std::vector<AsideBytes::Moved>;

TEST(ByteRanges, JoinsWhatTouches)
{
  ByteRanges ranges;
  ranges.Add({ 10, 20 });
  ranges.Add({ 30, 40 });
  ranges.Add({ 5, 5 });
  EXPECT_EQ(ranges.List(), (Ranges{ { 10, 20 }, { 30, 40 } }));
  ranges.Add({ 20, 25 });
  EXPECT_EQ(ranges.List(), (Ranges{ { 10, 25 }, { 30, 40 } }));
  ranges.Add({ 0, 35 });
  EXPECT_EQ(ranges.List(), (Ranges{ { 0, 40 } }));
}

TEST(ByteRanges, SaysFromWhereToWhereSomethingIsMissing)
{
  ByteRanges ranges;
  EXPECT_EQ(ranges.Missing({ 3, 9 }), (ByteRange{ 3, 9 }));
  EXPECT_FALSE(ranges.Missing({ 3, 3 }));
  ranges.Add({ 10, 20 });
  ranges.Add({ 30, 40 });
  EXPECT_EQ(ranges.Missing({ 5, 50 }), (ByteRange{ 5, 50 }));
  EXPECT_EQ(ranges.Missing({ 12, 35 }), (ByteRange{ 20, 30 }));
  EXPECT_EQ(ranges.Missing({ 12, 25 }), (ByteRange{ 20, 25 }));
  EXPECT_EQ(ranges.Missing({ 25, 35 }), (ByteRange{ 25, 30 }));
  EXPECT_FALSE(ranges.Missing({ 12, 20 }));
}

// Against a set of bytes.
TEST(ByteRanges, IsASet)
{
  std::mt19937 random(7);
  ByteRanges ranges;
  std::set<std::uint64_t> bytes;
  for (int turn = 0; turn < 200; ++turn)
  {
    const std::uint64_t begin = random() % 500;
    const ByteRange range{ begin, begin + random() % 9 };
    ranges.Add(range);
    for (std::uint64_t byte = range.Begin; byte < range.End; ++byte)
    {
      bytes.insert(byte);
    }
    std::set<std::uint64_t> listed;
    for (const ByteRange& one : ranges.List())
    {
      for (std::uint64_t byte = one.Begin; byte < one.End; ++byte)
      {
        EXPECT_TRUE(listed.insert(byte).second);
      }
    }
    ASSERT_EQ(listed, bytes);
    const std::uint64_t from = random() % 500;
    const ByteRange asked{ from, from + 1 + random() % 30 };
    std::vector<std::uint64_t> missing;
    for (std::uint64_t byte = asked.Begin; byte < asked.End; ++byte)
    {
      if (!bytes.contains(byte))
      {
        missing.push_back(byte);
      }
    }
    const auto found = ranges.Missing(asked);
    ASSERT_EQ(found.has_value(), !missing.empty());
    if (found)
    {
      ASSERT_EQ(*found, (ByteRange{ missing.front(), missing.back() + 1 }));
    }
  }
}

TEST(AsideBytes, TakesWholePagesOnce)
{
  AsideBytes aside;
  EXPECT_EQ(aside.Add({ Page + 7, Page + 8 }, 10 * Page), (List{ { Page, 0, Page } }));
  EXPECT_TRUE(aside.Add({ Page, 2 * Page }, 10 * Page).empty());
  EXPECT_EQ(aside.Add({ 0, 3 * Page }, 10 * Page),
    (List{ { 0, Page, Page }, { 2 * Page, 2 * Page, Page } }));
  EXPECT_EQ(aside.Size(), 3 * Page);
  EXPECT_EQ(
    aside.List(), (List{ { 0, Page, Page }, { Page, 0, Page }, { 2 * Page, 2 * Page, Page } }));
}

TEST(AsideBytes, TakesNothingBehindTheEnd)
{
  AsideBytes aside;
  EXPECT_TRUE(aside.Add({ 5 * Page, 6 * Page }, 5 * Page).empty());
  EXPECT_EQ(aside.Add({ 4 * Page, 9 * Page }, 4 * Page + 1), (List{ { 4 * Page, 0, Page } }));
}

TEST(AsideBytes, KeepsItsListShortAndEachByteWhereItSays)
{
  constexpr std::uint64_t pages = 20000;
  std::mt19937 random(3);
  AsideBytes aside;
  std::map<std::uint64_t, std::uint64_t> places; // of pages
  for (int turn = 0; turn < 5000; ++turn)
  {
    const std::uint64_t at = random() % (pages * Page);
    for (const auto& moved : aside.Add({ at, at + 100 }, pages * Page))
    {
      for (std::uint64_t page = 0; page < moved.Size; page += Page)
      {
        ASSERT_TRUE(places.try_emplace(moved.From + page, moved.To + page).second);
      }
    }
    ASSERT_TRUE(places.contains(at / Page * Page));
  }
  EXPECT_LT(aside.List().size(), 1000u);
  EXPECT_EQ(AsideBytes::FromList(aside.List()), aside);
  for (int turn = 0; turn < 1000; ++turn)
  {
    const std::uint64_t begin = random() % (pages * Page);
    const std::uint64_t size = random() % (20 * Page);
    std::uint64_t next = 0;
    aside.ForEachRun(begin, size,
      [&](bool isAside, std::uint64_t offset, std::uint64_t position, std::uint64_t length)
      {
        ASSERT_EQ(position, next);
        ASSERT_GT(length, 0u);
        next += length;
        const std::uint64_t at = begin + position;
        const auto place = places.find(at / Page * Page);
        ASSERT_EQ(isAside, place != places.end());
        ASSERT_EQ(offset, isAside ? place->second + at % Page : at);
      });
    ASSERT_EQ(next, size);
  }
}

TEST(AsideBytes, RefusesAListThatCannotBe)
{
  EXPECT_NO_THROW(AsideBytes::FromList({ { 0, 0, 5 }, { 5, 9, 5 } }));
  EXPECT_THROW(AsideBytes::FromList({ { 0, 0, 5 }, { 4, 9, 5 } }), Error);
  EXPECT_THROW(AsideBytes::FromList({ { 5, 0, 5 }, { 0, 9, 5 } }), Error);
  EXPECT_THROW(AsideBytes::FromList({ { 1, 0, ~UINT64_C(0) } }), Error);
}

TEST(FrozenBytes, NobodyAsksForWhatNobodyHasSeen)
{
  FrozenBytes frozen;
  EXPECT_FALSE(frozen.IsFrozen(0));
  frozen.Freeze(2 * Page + 5, {});
  EXPECT_TRUE(frozen.IsFrozen(2 * Page + 4));
  EXPECT_FALSE(frozen.IsFrozen(2 * Page + 5)) << "what is appended on the same page";
}

TEST(FrozenBytes, AsksOnceForEachPage)
{
  FrozenBytes frozen;
  frozen.Freeze(4 * Page, {});
  EXPECT_EQ(frozen.Change({ Page + 1, Page + 2 }), (ByteRange{ Page, 2 * Page }));
  frozen.Release({ Page, 2 * Page });
  EXPECT_FALSE(frozen.Change({ Page + 1, Page + 2 }));
  EXPECT_EQ(frozen.Change({ 0, 9 * Page }), (ByteRange{ 0, 4 * Page }));
}

TEST(FrozenBytes, WhatHasChangedIsCopiedWithTheNextFlush)
{
  FrozenBytes frozen;
  frozen.Freeze(4 * Page, {});
  frozen.Change({ 5, 6 });
  frozen.Change({ 3 * Page, 6 * Page });
  EXPECT_EQ(frozen.Changed(), (Ranges{ { 0, Page }, { 3 * Page, 4 * Page } }));
  frozen.Freeze(6 * Page, frozen.Changed());
  EXPECT_TRUE(frozen.Changed().empty());
  EXPECT_FALSE(frozen.Change({ 7, 8 }));
  EXPECT_EQ(frozen.Change({ Page, Page + 1 }), (ByteRange{ Page, 2 * Page }));
  EXPECT_EQ(frozen.Changed(), (Ranges{ { 0, 2 * Page } }));
}

// Older snapshots share more of it.
TEST(FrozenBytes, AShorterFileFreesNothing)
{
  FrozenBytes frozen;
  frozen.Freeze(4 * Page, {});
  frozen.Freeze(Page, {});
  EXPECT_TRUE(frozen.IsFrozen(3 * Page));
  frozen.ReleaseAll();
  EXPECT_FALSE(frozen.IsFrozen(0));
}

}
