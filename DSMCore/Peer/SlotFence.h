// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Protocol/Descriptions.h"
#include "Transport/Transport.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace dsm
{

/// Whether a slot is still what this process was given: SegmentLayout::Generations says why. Not
/// thread safe, as the transport is not.
class SlotFence
{
public:
  SlotFence() = default;
  SlotFence(std::shared_ptr<Transport> route, const ServerDescription& server, SlotIndex slot,
    std::uint64_t generation);

  /// Asks a host's memory. Behind gets that have arrived (Transport::Flush), and before puts.
  bool Holds(HostIndex host) const;

  /// True when asking costs no more than a load from memory.
  bool IsMapped(HostIndex host) const { return this->Words[host] != nullptr; }

private:
  std::shared_ptr<Transport> Route;
  std::uint64_t Offset = 0;
  std::uint64_t Generation = 0;
  std::vector<const std::byte*> Words; ///< per host, where this process maps it
};

}
