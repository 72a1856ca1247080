// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dsm
{
class Fields;
}

/// A small picture of an array, and its range, before it is sent.
struct ArraySummary
{
  double Smallest = 0;
  double Largest = 0;
  double Mean = 0;
  std::uint64_t NotANumber = 0; ///< elements that the above leave out
  /// The picture's size in values. Of more than two indices it shows the middle of the slowest.
  std::uint64_t Width = 0;
  std::uint64_t Height = 0;
  /// Its values by rows, that of the largest index first, so that it looks as in a 3-D view: 0 for
  /// Smallest to 255 for Largest, as two hexadecimal digits each.
  std::string Picture;

  /// `sizes` are those of the array, that of the slowest index first.
  static ArraySummary Of(
    const std::vector<double>& numbers, const std::vector<std::uint64_t>& sizes);
};

void Describe(dsm::Fields& fields, ArraySummary& summary);
