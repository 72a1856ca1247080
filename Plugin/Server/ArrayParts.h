// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dsm
{
class Communicator;
}

/// A block of a larger grid: its first and last index along x, y and z, both within.
using GridBlock = std::array<std::int64_t, 6>;

/// Elements of a block of an array on a structured grid, which one rank has or, joined, rank 0. A
/// grid point, or cell, has its elements side by side; the points follow each other by x, then y,
/// then z.
struct ArrayPart
{
  GridBlock Block = { 0, -1, 0, -1, 0, -1 }; ///< empty
  std::vector<std::byte> Elements;
  std::vector<std::uint8_t> Known; ///< for each point: 0 if there is no value for it

  /// Returns how many points the block has.
  std::uint64_t Points() const;
};

/// Says which value counts if several ranks have the same point.
enum class Overlap
{
  FirstCounts, ///< in the order of ranks
  MustAgree    ///< throws AgreedError if the values differ
};

/// Joins the parts of all ranks on rank 0; elsewhere the result is empty. Collective. `whole` is
/// the block that they lie in, `pointBytes` the bytes of a point's elements.
ArrayPart Join(const dsm::Communicator& ranks, const ArrayPart& part, const GridBlock& whole,
  std::uint64_t pointBytes, Overlap overlap);

/// Returns the smallest block that holds all those of the ranks. Collective.
GridBlock UnionOf(const dsm::Communicator& ranks, const GridBlock& mine);

/// Returns the sizes of a block along x, y and z.
std::array<std::uint64_t, 3> SizesOf(const GridBlock& block);
