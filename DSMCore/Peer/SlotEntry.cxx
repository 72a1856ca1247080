// SPDX-License-Identifier: BSD-3-Clause
#include "Peer/SlotEntry.h"

#include "Memory/SegmentLayout.h"

#include <utility>

namespace dsm
{

SlotEntry::SlotEntry(std::shared_ptr<Transport> route, SharedNumber readers, SlotIndex slot)
  : Route(std::move(route))
  , Readers(readers)
  , Slot(slot)
{
}

std::optional<SlotEntry> SlotEntry::Enter(
  std::shared_ptr<Transport> route, const ServerDescription& server, SlotIndex slot)
{
  const SegmentLayout layout(server.SlotSize, server.SlotCount);
  const ReaderGate gate(SharedNumber(route->Shared(0, layout.Signals.OffsetOf(layout.Gate))));
  const SharedNumber readers(route->Shared(0, layout.Readers.OffsetOf(slot)));
  if (!gate.Enter(readers))
  {
    return std::nullopt;
  }
  return SlotEntry(std::move(route), readers, slot);
}

SlotEntry::~SlotEntry()
{
  if (this->Route)
  {
    ReaderGate::Leave(this->Readers);
  }
}

SlotIndex SlotEntry::HandOver()
{
  this->Route.reset();
  return this->Slot;
}

}
