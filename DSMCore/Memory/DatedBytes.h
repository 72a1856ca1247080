// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace dsm
{

/// A number of bytes that was said of a slot's image, in one 64-bit number that processes share:
/// whole pages, rounded up, and behind them the last bits of the slot's generation. So what was
/// said of the image that had the slot before says nothing of the one that has it now, and nobody
/// need clear it.
struct DatedBytes
{
  static constexpr std::uint64_t Page = 4096;
  static constexpr unsigned PageBits = 48;

  static std::uint64_t Encode(std::uint64_t generation, std::uint64_t bytes)
  {
    const std::uint64_t pages = bytes / Page + (bytes % Page != 0 ? 1 : 0);
    return generation << PageBits | (pages & ((UINT64_C(1) << PageBits) - 1));
  }

  /// 0 where it was said of another image, or nothing was said.
  static std::uint64_t Decode(std::uint64_t number, std::uint64_t generation)
  {
    const bool isOf = number >> PageBits == (generation & ((UINT64_C(1) << (64 - PageBits)) - 1));
    return isOf ? (number & ((UINT64_C(1) << PageBits) - 1)) * Page : 0;
  }
};

}
