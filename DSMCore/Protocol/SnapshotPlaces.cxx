// SPDX-License-Identifier: BSD-3-Clause
#include "Protocol/SnapshotPlaces.h"

#include "Base/Error.h"

#include <algorithm>

namespace dsm
{

SnapshotPlaces::SnapshotPlaces(const SnapshotDescription& snapshot, std::uint64_t slotSize)
  : Map(snapshot.Map)
  , Shared(snapshot.Shared)
  , Own(snapshot.Slot * slotSize)
  , Image(snapshot.Shared ? snapshot.Shared->Slot * slotSize : 0)
{
  if (this->Shared && this->Shared->Aside.size() != snapshot.Map.Hosts)
  {
    throw Error(Fault::Refused, "snapshot {} is on {} hosts, and the DSM server says of {} where",
      snapshot.Number, snapshot.Map.Hosts, this->Shared->Aside.size());
  }
}

SnapshotPlaces::Run SnapshotPlaces::At(FileOffset address) const
{
  const Location place = this->Map.Locate(address);
  if (!this->Shared)
  {
    return { place.Host, this->Own + place.Offset, place.Run };
  }
  const AsideBytes::Run run = this->Shared->Aside[place.Host].At(place.Offset);
  return { place.Host, (run.IsAside ? this->Own : this->Image) + run.Offset,
    std::min(run.Size, place.Run) };
}

}
