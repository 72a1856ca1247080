// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/GrantSizes.h"

#include <algorithm>

namespace dsm
{

namespace
{
// An image of unknown size begins with this share of all memory, within these limits.
constexpr std::uint64_t FirstShare = 4096;
constexpr std::uint64_t SmallestFirstGrant = UINT64_C(64) << 10;
constexpr std::uint64_t LargestFirstGrant = UINT64_C(4) << 20;

// For files of unknown size, slots for this share of what a host lends are made ready, and one slot
// for a large file. Such files get no more than half of the budget before they ask, since many may
// be open at once, and all of them on one host.
constexpr std::uint64_t FirstReadyShare = 16;
constexpr std::uint64_t LargestFirstReady = UINT64_C(160) << 20;
constexpr std::uint64_t LargeFirstShare = 4;
constexpr std::uint64_t UnforeseenShare = 2;
}

GrantSizes::GrantSizes(const ImageState& state)
  : State(state)
{
}

std::uint64_t GrantSizes::WithMargin(std::uint64_t bytes)
{
  return bytes + bytes / 32;
}

std::uint64_t GrantSizes::Expected(const std::string& fileName) const
{
  return this->State.Streams.LastSize(fileName).value_or(this->State.Policy.ExpectedFileSize);
}

std::uint64_t GrantSizes::First(const AddressMap& map) const
{
  const Ring& memory = this->State.Memory;
  const std::uint64_t share = memory.Budget() * memory.Hosts() / FirstShare;
  return std::min(std::clamp(share, SmallestFirstGrant, LargestFirstGrant), map.Capacity());
}

std::uint64_t GrantSizes::ForNew(const AddressMap& map, std::uint64_t expected) const
{
  const Ring& memory = this->State.Memory;
  if (memory.IsPinned())
  {
    return memory.Room(map); // a whole slot, which no other image can have
  }
  const std::uint64_t least = expected > 0 ? WithMargin(expected) : this->First(map);
  std::uint64_t ready = memory.Ready(map);
  if (expected == 0)
  {
    ready = std::min(ready, this->LargeFirstReady());
    if (this->GrantedUnforeseen() + ready > memory.Budget() / UnforeseenShare)
    {
      return least;
    }
  }
  const bool fits = least < ready && (expected == 0 || ready <= 2 * least);
  return std::min(fits ? ready : least, memory.Room(map));
}

std::uint64_t GrantSizes::ForReopened(
  const std::string& fileName, const AddressMap& map, SlotIndex slot, std::uint64_t size) const
{
  const std::uint64_t room = this->State.Memory.Room(map, slot);
  const std::uint64_t growth = WithMargin(this->State.Streams.LastGrowth(fileName));
  return this->State.Memory.IsPinned() ? room
                                       : std::min(size + std::max(growth, this->First(map)), room);
}

std::uint64_t GrantSizes::FirstReady() const
{
  return std::min(this->State.Memory.Budget() / FirstReadyShare, LargestFirstReady);
}

std::uint64_t GrantSizes::LargeFirstReady() const
{
  return this->State.Memory.Budget() / LargeFirstShare;
}

// File bytes that open images of unknown size were granted.
std::uint64_t GrantSizes::GrantedUnforeseen() const
{
  std::uint64_t granted = 0;
  for (const auto& [number, image] : this->State.Images.All())
  {
    granted += image.Foreseen ? 0 : image.Grant;
  }
  return granted;
}

}
