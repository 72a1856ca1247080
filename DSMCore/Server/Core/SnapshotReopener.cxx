// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/SnapshotReopener.h"

#include "Base/Error.h"

#include <utility>

namespace dsm
{

namespace
{
// The slot of a snapshot's bytes, except for those that it has aside.
SlotIndex SlotOf(const SnapshotDescription& snapshot)
{
  return snapshot.Shared ? snapshot.Shared->Slot : snapshot.Slot;
}
}

SnapshotReopener::SnapshotReopener(
  ImageState& state, Evictor& evictor, const MapChoice& maps, const GrantSizes& sizes)
  : State(state)
  , Evictions(evictor)
  , Maps(maps)
  , Sizes(sizes)
{
}

bool SnapshotReopener::MayReopen(
  const BeginRequest& request, const SnapshotDescription& source) const
{
  const SlotIndex slot = SlotOf(source);
  const SharedSlots& sharing = this->State.Sharing;
  if (this->State.Snapshots.IsKept(source.Number) ||
    (source.Shared && !sharing.IsWhole(slot, source.Number)) ||
    sharing.SizeIn(slot) > source.FileSize)
  {
    return false;
  }
  // If most of a file is written anew, copying it by all ranks is faster than asking for each
  // piece. A single process has a connection to ask by. Of several ranks, each that asks needs one.
  return this->State.Streams.IsAppended(request.FileName).value_or(request.Ranks == 1) &&
    this->Maps.StillFits(source, request.MayOutgrow);
}

std::optional<BeginResult> SnapshotReopener::Reopen(
  const BeginRequest& request, const SnapshotDescription& source)
{
  Ring& memory = this->State.Memory;
  const bool fits = this->MakeRoom(request, source);
  const AddressMap map(source.Map);
  const SlotIndex slot = SlotOf(source);
  const std::uint64_t grant = this->Sizes.ForReopened(request.FileName, map, slot, source.FileSize);
  auto reopened = fits ? memory.Reopen(slot, map, source.FileSize, grant) : std::nullopt;
  if (!reopened)
  {
    return std::nullopt;
  }
  BeginResult result{ 0, { slot, std::move(reopened->Plan) }, {}, {} };
  if (source.Shared)
  {
    this->State.Sharing.Reopen(slot);
  }
  else
  {
    result.Moved = this->Share(source, reopened->Generation, result.BeforeWriting.Plan);
  }
  result.Image = this->State.Images.Add({ .Owner = request.Owner,
    .Key = request.Key,
    .FileName = request.FileName,
    .Map = map,
    .Slot = slot,
    .Generation = reopened->Generation,
    .Grant = grant,
    .Source = source.Number,
    .Foreseen = true,
    .IsInPlace = true,
    .Begins = source.FileSize,
    .Shown = source.Number,
    .MayOutgrow = request.MayOutgrow });
  return result;
}

// Evicts other snapshots than the source.
bool SnapshotReopener::MakeRoom(const BeginRequest& request, const SnapshotDescription& source)
{
  const AddressMap map(source.Map);
  const SlotIndex slot = SlotOf(source);
  const Ring::Sizes nothing(this->State.Memory.Hosts(), 0);
  this->State.Snapshots.Retain(source.Number);
  const bool fits = this->Evictions.MakeRoom(
    [&](const Ring& memory, std::uint64_t snapshots)
    {
      return (request.HasOthers || snapshots < this->State.Policy.MaximumSnapshots) &&
        memory.Room(map, slot) >= source.FileSize &&
        (source.Shared || memory.HasRoomAside(nothing));
    });
  this->State.Snapshots.Release(source.Number, false);
  return fits;
}

// From now on the snapshot shares its slot, which has that generation. There must be room.
SnapshotDescription SnapshotReopener::Share(
  SnapshotDescription snapshot, std::uint64_t generation, CleaningPlan& plan)
{
  const std::uint64_t hosts = this->State.Memory.Hosts();
  const auto aside = this->State.Memory.ReserveAside(Ring::Sizes(hosts, 0));
  if (!aside)
  {
    throw Error(Fault::RingFull, "there is no slot for what {} is to keep", snapshot.FileName);
  }
  plan.Raise.insert(plan.Raise.end(), aside->Plan.Raise.begin(), aside->Plan.Raise.end());
  plan.Release.insert(plan.Release.end(), aside->Plan.Release.begin(), aside->Plan.Release.end());
  this->State.Sharing.Share(snapshot.Slot, AddressMap(snapshot.Map), snapshot.FileSize);
  snapshot.Shared = { snapshot.Slot, generation, std::vector<AsideBytes>(hosts) };
  snapshot.Slot = aside->Slot;
  snapshot.Generation = aside->Generation;
  this->State.Snapshots.Update(snapshot);
  return snapshot;
}

}
