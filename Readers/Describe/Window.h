// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Numbers.h"

#include <cstdint>

namespace dsm::describe
{

/// A run of indices.
struct Range
{
  std::uint64_t First = 0;
  std::uint64_t Count = 1;

  bool operator==(const Range&) const = default;
};

/// What is wanted of a source: a run along each of its part's roles. Components always come all.
struct Window
{
  Range X = {}, Y = {}, Z = {}, Index = {};
  std::uint64_t Block = 0;

  /// How many tuples these are.
  std::uint64_t Tuples() const
  {
    return this->X.Count * this->Y.Count * this->Z.Count * this->Index.Count;
  }
};

/// Where numbers go in memory: tuples of Components numbers each, X fastest, then Y and Z; the
/// source's first component becomes that at First.
struct Target
{
  void* To = nullptr;
  Number Type = Number::Float64;
  std::uint64_t Components = 1;
  std::uint64_t First = 0;
};

}
