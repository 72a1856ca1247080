// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

namespace dsm
{

/// Bytes of the largest message. MPI counts with an int.
constexpr std::uint64_t LargestMpiMessage = UINT64_C(1) << 30;

/// Calls move(begin, size) for each piece of a transfer that one MPI call can carry, of `largest`
/// bytes at most.
template <typename Move>
void InPieces(std::uint64_t size, const Move& move, std::uint64_t largest = LargestMpiMessage)
{
  for (std::uint64_t done = 0; done < size; done += largest)
  {
    move(done, std::min(largest, size - done));
  }
}

}
