// SPDX-License-Identifier: BSD-3-Clause
#include "ArraySummary.h"

#include "Encoding/Encoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace
{
constexpr std::uint64_t MostPixels = 160;
constexpr double White = 255;

std::string Pixel(double number, const ArraySummary& summary)
{
  const double range = summary.Largest - summary.Smallest;
  const double part = range > 0 && !std::isnan(number) ? (number - summary.Smallest) / range : 0;
  return fmt::format("{:02x}", static_cast<int>(std::lround(std::clamp(part, 0.0, 1.0) * White)));
}
}

ArraySummary ArraySummary::Of(
  const std::vector<double>& numbers, const std::vector<std::uint64_t>& sizes)
{
  ArraySummary summary;
  summary.Smallest = std::numeric_limits<double>::infinity();
  summary.Largest = -summary.Smallest;
  double sum = 0;
  for (const double number : numbers)
  {
    if (std::isnan(number))
    {
      ++summary.NotANumber;
      continue;
    }
    summary.Smallest = std::min(summary.Smallest, number);
    summary.Largest = std::max(summary.Largest, number);
    sum += number;
  }
  const auto count = numbers.size() - summary.NotANumber;
  if (count == 0)
  {
    summary.Smallest = summary.Largest = 0;
  }
  summary.Mean = count > 0 ? sum / static_cast<double>(count) : 0;

  const std::uint64_t columns = sizes.empty() ? 1 : sizes.back();
  const std::uint64_t rows = sizes.size() < 2 ? 1 : sizes[sizes.size() - 2];
  const std::uint64_t slices = numbers.size() / std::max<std::uint64_t>(rows * columns, 1);
  const std::uint64_t first = slices / 2 * rows * columns;
  summary.Width = std::min(columns, MostPixels);
  summary.Height = std::min(rows, MostPixels);
  for (std::uint64_t y = summary.Height; y-- > 0;)
  {
    for (std::uint64_t x = 0; x < summary.Width; ++x)
    {
      summary.Picture +=
        Pixel(numbers[first + y * rows / summary.Height * columns + x * columns / summary.Width],
          summary);
    }
  }
  return summary;
}

void Describe(dsm::Fields& fields, ArraySummary& summary)
{
  fields("Smallest", summary.Smallest);
  fields("Largest", summary.Largest);
  fields("Mean", summary.Mean);
  fields("NotANumber", summary.NotANumber);
  fields("Width", summary.Width);
  fields("Height", summary.Height);
  fields("Picture", summary.Picture);
}
