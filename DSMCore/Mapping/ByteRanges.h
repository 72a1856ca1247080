// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Mapping/ByteRange.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace dsm
{

/// A set of bytes, kept as the ranges that it consists of.
class ByteRanges
{
public:
  void Add(ByteRange range);

  /// From the first byte to the last of a range that are not in the set; none when all are.
  std::optional<ByteRange> Missing(ByteRange range) const;

  /// In order, apart from each other.
  std::vector<ByteRange> List() const;

private:
  std::map<std::uint64_t, std::uint64_t> Ends; ///< of the ranges, by their beginnings
};

}
