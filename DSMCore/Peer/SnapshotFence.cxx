// SPDX-License-Identifier: BSD-3-Clause
#include "Peer/SnapshotFence.h"

#include "Memory/SegmentLayout.h"
#include "Memory/SharedNumber.h"
#include "Memory/SlotEnding.h"

#include <utility>

namespace dsm
{

SnapshotFence::SnapshotFence(std::shared_ptr<Transport> route, const ServerDescription& server,
  const SnapshotDescription& snapshot)
  : Own(route, server, snapshot.Slot, snapshot.Generation)
  , Route(std::move(route))
  , Shared(snapshot.Shared.has_value())
{
  if (this->Shared)
  {
    const SegmentLayout layout(server.SlotSize, server.SlotCount);
    this->Ending = layout.Endings.OffsetOf(snapshot.Shared->Slot);
    this->Generation = snapshot.Shared->Generation;
  }
}

bool SnapshotFence::IsIntact() const
{
  if (!this->Shared)
  {
    return true;
  }
  alignas(std::uint64_t) std::byte copy[sizeof(std::uint64_t)] = {};
  auto* word = this->Route->Shared(0, this->Ending);
  if (!word)
  {
    this->Route->Get(0, this->Ending, copy, sizeof copy);
    this->Route->Flush();
    word = copy;
  }
  return !SlotEnding(SharedNumber(word)).IsAlone(this->Generation);
}

}
