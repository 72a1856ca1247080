// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace dsm
{

/// Bytes [Begin, End).
struct ByteRange
{
  std::uint64_t Begin = 0;
  std::uint64_t End = 0;

  bool operator==(const ByteRange&) const = default;
};

}
