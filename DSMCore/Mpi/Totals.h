// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

namespace dsm
{

/// Numbers of which the ranks want the largest, and others of which they want the sum.
struct Totals
{
  std::vector<std::uint64_t> Maxima;
  std::vector<std::uint64_t> Sums;
};

}
