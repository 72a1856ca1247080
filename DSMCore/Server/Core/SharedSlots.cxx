// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/SharedSlots.h"

#include <algorithm>

namespace dsm
{

void SharedSlots::Share(SlotIndex slot, const AddressMap& map, std::uint64_t size)
{
  Shared& shared = this->Slots[slot];
  shared.Map = map;
  ++shared.Sharers;
  shared.Grew = shared.Grew && size >= shared.Size;
  shared.Size = std::max(shared.Size, size);
}

void SharedSlots::Free(Ring& ring, const SnapshotDescription& snapshot)
{
  if (!snapshot.Shared)
  {
    this->Finish(ring, snapshot.Slot, AddressMap(snapshot.Map), snapshot.FileSize);
    return;
  }
  ring.FreeAside(snapshot.Slot);
  const auto found = this->Slots.find(snapshot.Shared->Slot);
  if (--found->second.Sharers == 0)
  {
    if (!found->second.Owned)
    {
      ring.Free(found->first, found->second.Map, found->second.Size);
    }
    this->Slots.erase(found);
  }
}

CleaningPlan SharedSlots::Finish(
  Ring& ring, SlotIndex slot, const AddressMap& map, std::uint64_t reach, SnapshotId whole)
{
  const auto found = this->Slots.find(slot);
  if (found == this->Slots.end())
  {
    return ring.Free(slot, map, reach);
  }
  found->second.Owned = false;
  found->second.Whole = whole;
  return ring.Seal(slot, map, std::max(reach, found->second.Size));
}

bool SharedSlots::IsWhole(SlotIndex slot, SnapshotId snapshot) const
{
  const auto found = this->Slots.find(slot);
  return found != this->Slots.end() && !found->second.Owned && found->second.Whole == snapshot;
}

void SharedSlots::Reopen(SlotIndex slot)
{
  Shared& shared = this->Slots.at(slot);
  shared.Owned = true;
  shared.Whole = 0;
}

bool SharedSlots::OnlyGrew(SlotIndex slot) const
{
  const auto found = this->Slots.find(slot);
  return found == this->Slots.end() || found->second.Grew;
}

std::uint64_t SharedSlots::SizeIn(SlotIndex slot) const
{
  const auto found = this->Slots.find(slot);
  return found == this->Slots.end() ? 0 : found->second.Size;
}

CleaningPlan SharedSlots::Discard(Ring& ring, SlotIndex slot, SnapshotId whole)
{
  const auto found = this->Slots.find(slot);
  if (found == this->Slots.end())
  {
    return ring.Discard(slot);
  }
  found->second.Owned = false;
  found->second.Whole = whole;
  return ring.Freeze(slot, found->second.Map, found->second.Size);
}

Ring::Sizes AsideSizes(const SharedBytes& shared)
{
  Ring::Sizes sizes;
  for (const AsideBytes& aside : shared.Aside)
  {
    sizes.push_back(aside.Size());
  }
  return sizes;
}

}
