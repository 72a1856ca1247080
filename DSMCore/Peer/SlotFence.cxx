// SPDX-License-Identifier: BSD-3-Clause
#include "Peer/SlotFence.h"

#include "Memory/SegmentLayout.h"
#include "Memory/SharedNumber.h"

#include <utility>

namespace dsm
{

SlotFence::SlotFence(std::shared_ptr<Transport> route, const ServerDescription& server,
  SlotIndex slot, std::uint64_t generation)
  : Route(std::move(route))
  , Offset(SegmentLayout(server.SlotSize, server.SlotCount).Generations.OffsetOf(slot))
  , Generation(generation)
{
  for (HostIndex host = 0; host < server.Hosts.size(); ++host)
  {
    this->Words.push_back(this->Route->Direct(host, this->Offset));
  }
}

bool SlotFence::Holds(HostIndex host) const
{
  if (const std::byte* word = this->Words[host])
  {
    return SharedNumber(const_cast<std::byte*>(word)).Load() == this->Generation;
  }
  std::uint64_t found = 0;
  this->Route->Get(host, this->Offset, &found, sizeof found);
  this->Route->Flush();
  return found == this->Generation;
}

}
