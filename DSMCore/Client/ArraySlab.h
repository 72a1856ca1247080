// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dsm
{

/// The part of an array that one rank has, in that rank's memory: a block without gaps, the last
/// index fastest.
class ArraySlab
{
public:
  /// Makes the block that begins at the indices `starts` of an array of `sizes` and has `counts`
  /// elements, in each direction. Throws Error(Usage) if that is not within the array.
  ArraySlab(std::vector<std::uint64_t> sizes, std::vector<std::uint64_t> starts,
    std::vector<std::uint64_t> counts, std::uint64_t elementBytes, std::byte* memory);

  /// Copies what the block has of `size` bytes that begin `offset` bytes behind the first element
  /// of the whole array, whose last index is the fastest.
  void Take(std::uint64_t offset, const std::byte* bytes, std::uint64_t size);

private:
  std::uint64_t OffsetOfRun(std::uint64_t run) const;

  std::vector<std::uint64_t> Sizes;
  std::vector<std::uint64_t> Starts;
  std::vector<std::uint64_t> Counts;
  std::uint64_t ElementBytes;
  std::byte* Memory;
  std::size_t Directions = 0; ///< those whose indices count the runs
  std::uint64_t Runs = 1;     ///< pieces of the block that follow one another in the array
  std::uint64_t RunBytes = 0;
};

}
