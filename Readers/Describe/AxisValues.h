// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

namespace dsm::describe
{

/// How coordinates along an axis lie.
struct AxisValues
{
  enum class Order
  {
    Ascending,
    Descending,
    None ///< some do not follow each other, or are no numbers
  };
  Order Is = Order::None;
  bool Regular = false; ///< at equal distances, as well as the precision of float tells
  double First = 0;     ///< of the ascending ones
  double Spacing = 1;
};

/// Returns `count` numbers at equal distances.
std::vector<double> EquallySpaced(std::size_t count, double first = 0, double spacing = 1);

AxisValues Examine(const std::vector<double>& values);

}
