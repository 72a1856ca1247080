// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace dsm
{

/// The size of an image's file at its last flush, in one 64-bit number that processes share: the
/// last bits of the slot's generation, and the size in bytes. What was noted for the image that had
/// the slot before does not count for the one that has it now, so nobody need clear it.
struct FlushedSize
{
  static constexpr unsigned SizeBits = 48;
  static constexpr std::uint64_t Largest = (UINT64_C(1) << SizeBits) - 1;

  static std::uint64_t Encode(std::uint64_t generation, std::uint64_t bytes)
  {
    return generation << SizeBits | (bytes & Largest);
  }

  /// Returns 0 if nothing was noted for the image.
  static std::uint64_t Decode(std::uint64_t number, std::uint64_t generation)
  {
    const std::uint64_t bits = generation & ((UINT64_C(1) << (64 - SizeBits)) - 1);
    return number >> SizeBits == bits ? number & Largest : 0;
  }
};

}
