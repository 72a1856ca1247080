// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/ReadAhead.h"

#include <algorithm>
#include <utility>

namespace dsm
{

const std::byte* ReadAhead::Find(std::uint64_t address, std::uint64_t size) const
{
  const bool isHere =
    address >= this->Begin && address + size <= this->Begin + this->Here.size() && size > 0;
  return isHere ? reinterpret_cast<const std::byte*>(this->Here.data()) + (address - this->Begin)
                : nullptr;
}

std::optional<ByteRange> ReadAhead::Next(
  std::uint64_t address, std::uint64_t size, std::uint64_t end)
{
  const auto last = std::exchange(this->Last, address);
  const bool isNear = last && (address > *last ? address - *last : *last - address) <= 2 * Window;
  if (!isNear || size > MostAsked || address + size > end)
  {
    return std::nullopt;
  }
  // Whole windows, so that who goes backwards finds something as well.
  const std::uint64_t begin = address / Window * Window;
  return ByteRange{ begin, std::min(end, std::max(begin + Window, address + size)) };
}

void ReadAhead::Keep(std::uint64_t begin, Bytes bytes)
{
  this->Begin = begin;
  this->Here = std::move(bytes);
}

}
