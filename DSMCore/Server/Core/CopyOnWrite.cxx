// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/CopyOnWrite.h"

#include "Base/Error.h"

#include <algorithm>
#include <ranges>
#include <utility>

namespace dsm
{

CopyOnWrite::CopyOnWrite(ImageState& state, Evictor& evictor)
  : State(state)
  , Evictions(evictor)
{
}

CopyOnWrite::Preservation CopyOnWrite::Preserve(ImageId number, HostIndex host, ByteRange bytes)
{
  const OpenImage& image = this->State.Images.At(number);
  if (host >= this->State.Memory.Hosts())
  {
    throw Error(Fault::Refused, "{} is on {} hosts: there is none of number {}", image.FileName,
      this->State.Memory.Hosts(), host);
  }
  Preservation preservation;
  preservation.Telling.Slot = image.Slot;
  for (const SnapshotId sharer : this->WithoutCopies(image, host, bytes))
  {
    // The snapshot that is evicted to make room may be this one, or one whose copies were just
    // ordered.
    while (const SnapshotDescription* snapshot = this->State.Snapshots.Find(sharer))
    {
      if (auto copy = this->Copy(this->Latest(*snapshot), host, bytes))
      {
        PendingCopies& pending = this->State.Pending[sharer];
        pending.Snapshot = copy->Snapshot;
        ++pending.Orders;
        preservation.Snapshots.push_back(std::move(*copy));
        break;
      }
      const auto candidates = this->Evictions.Candidates();
      const bool mustStay = this->State.Policy.WhenFull == FullRing::Block ||
        this->State.Snapshots.KeptCheckpoints().contains(sharer);
      if (candidates.empty() && mustStay)
      {
        preservation.Complete = false;
        return preservation;
      }
      this->Evictions.Evict(candidates.empty() ? sharer : candidates.front());
    }
  }
  // Evicted snapshots shared the bytes as well, and somebody may still read them.
  preservation.Telling.Plan = this->State.Memory.RaiseAll();
  return preservation;
}

// The snapshots that share some of these bytes and have no copies of them, or for which the hosts
// are copying; oldest first. If a snapshot has copies, so have those before it. So there are few,
// though thousands may share the slot.
std::vector<SnapshotId> CopyOnWrite::WithoutCopies(
  const OpenImage& image, HostIndex host, ByteRange bytes) const
{
  const bool onlyGrew = this->State.Sharing.OnlyGrew(image.Slot);
  std::vector<SnapshotId> found;
  for (const SnapshotId number : std::views::reverse(this->State.Snapshots.SharersOf(image.Slot)))
  {
    const SnapshotDescription& snapshot = *this->State.Snapshots.Find(number);
    const auto& shared = snapshot.Shared;
    const std::uint64_t end = image.Map.Held(host, bytes.Begin, snapshot.FileSize).End;
    const bool isPending = this->State.Pending.contains(number);
    if (!isPending && end <= bytes.Begin)
    {
      if (onlyGrew)
      {
        break;
      }
      continue;
    }
    if (isPending || !shared || !shared->Aside[host].Has({ bytes.Begin, std::min(end, bytes.End) }))
    {
      found.push_back(number);
    }
    else if (end >= bytes.End)
    {
      break;
    }
  }
  return { found.rbegin(), found.rend() };
}

// A snapshot as it will be when the hosts have made its copies.
const SnapshotDescription& CopyOnWrite::Latest(const SnapshotDescription& snapshot) const
{
  const auto pending = this->State.Pending.find(snapshot.Number);
  return pending == this->State.Pending.end() ? snapshot : pending->second.Snapshot;
}

// Returns nothing if there is no room.
std::optional<CopyOnWrite::SnapshotCopy> CopyOnWrite::Copy(
  const SnapshotDescription& before, HostIndex host, ByteRange bytes)
{
  SnapshotCopy copy{ before, { before.Slot, {} } };
  if (!copy.Snapshot.Shared)
  {
    return copy;
  }
  SharedBytes& shared = *copy.Snapshot.Shared;
  const AddressMap map(before.Map);
  const auto added = shared.Aside[host].Add(bytes, map.Held(host, bytes.Begin, before.FileSize));
  if (added.empty())
  {
    return copy; // but the hosts may still be making it
  }
  auto widened = this->State.Memory.WidenAside(before.Slot, AsideSizes(shared));
  if (!widened)
  {
    return std::nullopt;
  }
  copy.Snapshot.Generation = widened->Generation;
  copy.Copying.Plan = std::move(widened->Plan);
  copy.Copying.Plan.Copy.Slot = shared.Slot;
  copy.Copying.Plan.Copy.Bytes.resize(shared.Aside.size());
  copy.Copying.Plan.Copy.Bytes[host] = added;
  return copy;
}

void CopyOnWrite::Confirm(const SnapshotDescription& snapshot)
{
  const auto pending = this->State.Pending.find(snapshot.Number);
  if (pending == this->State.Pending.end())
  {
    return; // it was evicted
  }
  this->State.Snapshots.Update(snapshot);
  if (--pending->second.Orders == 0)
  {
    this->State.Pending.erase(pending);
  }
}

SlotWork CopyOnWrite::Revoke(SnapshotId number)
{
  SlotWork telling;
  if (const auto* snapshot = this->State.Snapshots.Find(number))
  {
    telling.Slot = snapshot->Slot;
    this->Evictions.Evict(number);
    telling.Plan = this->State.Memory.RaiseAll();
  }
  return telling;
}

}
