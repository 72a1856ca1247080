// SPDX-License-Identifier: BSD-3-Clause
#include "Base/StrongType.h"
#include "Encoding/Encoding.h"

#include <fmt/format.h>

#include <gtest/gtest.h>

#include <concepts>
#include <cstdint>
#include <map>
#include <type_traits>
#include <unordered_set>
#include <vector>

using namespace dsm;

namespace
{
template <typename Left, typename Right>
concept Comparable = requires(Left left, Right right) { left == right; };
template <typename Left, typename Right>
concept Ordered = requires(Left left, Right right) { left < right; };

struct Typed
{
  HostIndex Host = 0;
  std::vector<SlotIndex> Slots;
};
void Describe(Fields& fields, Typed& record)
{
  fields("Host", record.Host);
  fields("Slots", record.Slots);
}

struct Plain
{
  std::uint64_t Host = 0;
  std::vector<std::uint64_t> Slots;
};
void Describe(Fields& fields, Plain& record)
{
  fields("Host", record.Host);
  fields("Slots", record.Slots);
}
}

TEST(StrongType, IsMadeFromAnIntegerExplicitly)
{
  static_assert(std::constructible_from<HostIndex, std::uint64_t>);
  static_assert(!std::convertible_to<std::uint64_t, HostIndex>);
  static_assert(!std::convertible_to<unsigned, HostIndex>);
  static_assert(!std::convertible_to<HostIndex, SlotIndex>);
  static_assert(!std::assignable_from<HostIndex&, SlotIndex>);
  static_assert(!std::assignable_from<HostIndex&, std::uint64_t>);
  EXPECT_EQ(HostIndex(), 0u);
  EXPECT_EQ(HostIndex(7), 7u);
}

TEST(StrongType, CostsWhatItsIntegerCosts)
{
  static_assert(sizeof(HostIndex) == sizeof(std::uint64_t));
  static_assert(std::is_trivially_copyable_v<HostIndex>);
}

TEST(StrongType, OrdersItsOwnKindOnly)
{
  static_assert(std::totally_ordered<HostIndex>);
  static_assert(!Comparable<HostIndex, SlotIndex>);
  static_assert(!Ordered<SlotIndex, HostIndex>);
  EXPECT_LT(HostIndex(1), HostIndex(2));
  EXPECT_EQ(
    (std::map<SlotIndex, int>{ { SlotIndex(3), 1 }, { SlotIndex(2), 2 } }).begin()->second, 2);
  EXPECT_TRUE(std::unordered_set<SlotIndex>{ SlotIndex(3) }.contains(SlotIndex(3)));
}

TEST(StrongType, CountsAndIndexesAsItsInteger)
{
  const std::vector<int> all{ 5, 6, 7 };
  int sum = 0;
  for (HostIndex host{}; host < all.size(); ++host)
  {
    sum += all[host];
  }
  EXPECT_EQ(sum, 18);
  EXPECT_EQ(SlotIndex(3) * UINT64_C(1000) + 1, 3001u);
}

TEST(StrongType, IsFormattedAsItsInteger)
{
  EXPECT_EQ(fmt::format("host {:>3}", HostIndex(12)), "host  12");
}

TEST(StrongType, TravelsAsItsInteger)
{
  const std::uint64_t largest = UINT64_C(0xfffffffffffffffe);
  const Typed typed{ HostIndex(largest), { SlotIndex(1), SlotIndex(2) } };
  const Bytes bytes = Encode(typed);
  EXPECT_EQ(bytes, Encode(Plain{ largest, { 1, 2 } }));
  const auto read = Decode<Typed>(bytes, "the record");
  EXPECT_EQ(read.Host, typed.Host);
  EXPECT_EQ(read.Slots, typed.Slots);
}
