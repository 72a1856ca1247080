// SPDX-License-Identifier: BSD-3-Clause
#include "Base/Error.h"
#include "Client/ArraySlab.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

namespace
{
using namespace dsm;
using Numbers = std::vector<std::uint64_t>;

std::uint64_t Product(const Numbers& sizes)
{
  return std::accumulate(sizes.begin(), sizes.end(), std::uint64_t(1), std::multiplies<>());
}

/// Returns the elements of a block. The value of each is its number in the whole array.
std::vector<std::uint32_t> Expected(
  const Numbers& sizes, const Numbers& starts, const Numbers& counts)
{
  std::vector<std::uint32_t> values;
  for (std::uint64_t element = 0; element < Product(counts); ++element)
  {
    std::uint64_t rest = element;
    std::uint64_t number = 0;
    std::uint64_t stride = 1;
    for (std::size_t direction = sizes.size(); direction-- > 0;)
    {
      number += (starts[direction] + rest % counts[direction]) * stride;
      rest /= counts[direction];
      stride *= sizes[direction];
    }
    values.push_back(static_cast<std::uint32_t>(number));
  }
  return values;
}

TEST(ArraySlab, TakesItsPartOfPiecesOfAnySize)
{
  std::minstd_rand random(7);
  const auto upTo = [&](std::uint64_t most)
  { return std::uniform_int_distribution<std::uint64_t>(0, most)(random); };
  for (int round = 0; round < 500; ++round)
  {
    const std::size_t directions = 1 + upTo(3);
    Numbers sizes(directions);
    Numbers starts(directions);
    Numbers counts(directions);
    for (std::size_t direction = 0; direction < directions; ++direction)
    {
      sizes[direction] = upTo(6);
      starts[direction] = upTo(3) == 0 ? 0 : upTo(sizes[direction]);
      const std::uint64_t most = sizes[direction] - starts[direction];
      counts[direction] = upTo(1) == 0 ? most : upTo(most);
    }
    std::vector<std::uint32_t> whole(Product(sizes));
    std::iota(whole.begin(), whole.end(), 0);
    // The elements around are not touched.
    const auto expected = Expected(sizes, starts, counts);
    std::vector<std::uint32_t> memory(expected.size() + 2, 0xffffffff);
    ArraySlab slab(
      sizes, starts, counts, sizeof(std::uint32_t), reinterpret_cast<std::byte*>(&memory[1]));
    const auto* bytes = reinterpret_cast<const std::byte*>(whole.data());
    const std::uint64_t size = whole.size() * sizeof(std::uint32_t);
    for (std::uint64_t offset = 0; offset < size;)
    {
      const std::uint64_t now = std::min(size - offset, 1 + upTo(40));
      slab.Take(offset, bytes + offset, now);
      offset += now;
    }
    EXPECT_EQ(memory.front(), 0xffffffff);
    EXPECT_EQ(memory.back(), 0xffffffff);
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), memory.begin() + 1)) << round;
  }
}

TEST(ArraySlab, ABlockBeyondTheArrayIsRefused)
{
  std::byte memory{};
  EXPECT_THROW(ArraySlab({ 4, 4 }, { 0, 2 }, { 4, 3 }, 1, &memory), Error);
  EXPECT_THROW(ArraySlab({ 4 }, { 5 }, { 0 }, 1, &memory), Error);
  EXPECT_THROW(ArraySlab({ 4 }, { 1 }, { ~std::uint64_t(0) }, 1, &memory), Error);
  EXPECT_NO_THROW(ArraySlab({ 4 }, { 4 }, { 0 }, 1, &memory));
}

}
