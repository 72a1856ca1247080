// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/AxisValues.h"

#include <algorithm>
#include <cmath>

namespace dsm::describe
{

std::vector<double> EquallySpaced(std::size_t count, double first, double spacing)
{
  std::vector<double> numbers(count);
  for (std::size_t index = 0; index < count; ++index)
  {
    numbers[index] = first + static_cast<double>(index) * spacing;
  }
  return numbers;
}

AxisValues Examine(const std::vector<double>& values)
{
  AxisValues found;
  if (values.empty() ||
    !std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); }))
  {
    return found;
  }
  const auto follows = [&](auto compare)
  {
    return std::adjacent_find(values.begin(), values.end(),
             [&](double a, double b) { return !compare(a, b); }) == values.end();
  };
  const bool ascends = follows([](double a, double b) { return a < b; });
  if (!ascends && !follows([](double a, double b) { return a > b; }))
  {
    return found;
  }
  found.Is = ascends ? AxisValues::Order::Ascending : AxisValues::Order::Descending;
  found.First = std::min(values.front(), values.back());
  if (values.size() == 1)
  {
    found.Regular = true;
    return found;
  }
  const double step = (values.back() - values.front()) / static_cast<double>(values.size() - 1);
  found.Spacing = std::abs(step);
  // Sums and single precision make neighbours differ a little.
  const double greatest = std::max(std::abs(values.front()), std::abs(values.back()));
  const double tolerance =
    std::max(1e-6 * found.Spacing, std::min(1e-2 * found.Spacing, 3e-7 * greatest));
  found.Regular = true;
  for (std::size_t index = 0; found.Regular && index < values.size(); ++index)
  {
    const double expected = values.front() + step * static_cast<double>(index);
    found.Regular = std::abs(values[index] - expected) <= tolerance;
  }
  return found;
}

}
