// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace dsm
{

/// The next multiple of a unit, or the number itself if it is one.
constexpr std::uint64_t RoundUp(std::uint64_t number, std::uint64_t unit)
{
  return (number + unit - 1) / unit * unit;
}

}
