// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Memory/SharedNumber.h"

#include <cstddef>
#include <cstdint>

namespace dsm
{

/// Where a table of SharedNumbers is in a segment, one for each slot.
class SlotTable
{
public:
  SlotTable(std::uint64_t begin, std::uint64_t slots)
    : Begin(begin)
    , Slots(slots)
  {
  }

  std::uint64_t OffsetOf(std::uint64_t slot) const
  {
    return this->Begin + slot * sizeof(std::uint64_t);
  }

  /// A slot's number, in a segment that this process maps there.
  SharedNumber In(std::byte* segment, std::uint64_t slot) const
  {
    return SharedNumber(segment + this->OffsetOf(slot));
  }

  std::uint64_t End() const { return this->OffsetOf(this->Slots); }

private:
  std::uint64_t Begin;
  std::uint64_t Slots;
};

}
