// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace dsm
{

/// A random order of the numbers [0, n) for each (seed, round), computed without a table and the
/// same on every machine: integer arithmetic only. Its values are part of the protocol, so
/// Testing/Unit/TestShuffle.cxx pins them.
///
/// It is the "swap or not" shuffle of V. T. Hoang, B. Morris and P. Rogaway, "An enciphering scheme
/// based on a card shuffle", CRYPTO 2012. Each step draws a number K, which pairs every x with its
/// partner K - x mod n, and swaps the two of a pair or not, by a random bit that both compute from
/// the larger of them. That undoes itself, so the steps in reverse order are the inverse; unlike a
/// Feistel network it works for any n as it is, and it mixes a handful of numbers evenly: after 12
/// steps, all orders of n = 2 … 5 and all places and neighbours up to n = 100 come equally often.
/// The numbers K are SplitMix64's (G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom
/// number generators", OOPSLA 2014), one stream per (seed, round). No secret is kept; it only mixes
/// well.
class Shuffle
{
public:
  static constexpr std::uint64_t LargestSize = UINT64_C(1) << 32;

  /// `size`: n, from 1 to LargestSize.
  Shuffle(std::uint64_t size, std::uint64_t seed);

  /// What stands at `position` in a round's order.
  std::uint64_t At(std::uint64_t round, std::uint64_t position) const;

  /// The inverse: where `value` stands.
  std::uint64_t PositionOf(std::uint64_t round, std::uint64_t value) const;

private:
  std::uint64_t Stream(std::uint64_t round) const;
  std::uint64_t Step(std::uint64_t draw, std::uint64_t number) const;

  std::uint64_t Size;
  std::uint64_t Base; ///< of the streams' beginnings
};

}
