// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/ReadAhead.h"

#include <algorithm>
#include <utility>

namespace dsm
{

const std::byte* ReadAhead::Find(FileOffset address, std::uint64_t size) const
{
  for (const Place& place : this->Kept)
  {
    if (size > 0 && address >= place.Begin && address + size <= place.End())
    {
      return reinterpret_cast<const std::byte*>(place.Here.data()) + (address - place.Begin);
    }
  }
  return nullptr;
}

std::optional<ByteRange> ReadAhead::Next(FileOffset address, std::uint64_t size, std::uint64_t end)
{
  const auto last = std::exchange(this->Last, address);
  // Whole windows, so that who goes backwards finds something as well.
  const std::uint64_t begin = address / Window * Window;
  std::uint64_t before = 0; // how much is here that ends there
  for (const Place& place : this->Kept)
  {
    if (begin > place.Begin && begin <= place.End())
    {
      before = std::max<std::uint64_t>(before, place.Here.size());
    }
  }
  const bool isNear = last && (address > *last ? address - *last : *last - address) <= 2 * Window;
  if ((before == 0 && !isNear) || size > MostAsked || address + size > end)
  {
    return std::nullopt;
  }
  const std::uint64_t windows = std::clamp(2 * (before / Window), UINT64_C(1), MostWindows);
  return ByteRange{ begin,
    std::min(end, std::max<std::uint64_t>(begin + windows * Window, address + size)) };
}

void ReadAhead::Keep(std::uint64_t begin, Bytes bytes)
{
  this->Kept[this->Oldest] = { begin, std::move(bytes) };
  this->Oldest = (this->Oldest + 1) % Places;
}

}
