// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/FlushPublisher.h"

#include "Base/Environment.h"
#include "Base/Error.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace dsm
{

FlushPublisher::FlushPublisher(
  ImageState& state, Evictor& evictor, SnapshotBuilder& builder, const RingReport& report)
  : State(state)
  , Evictions(evictor)
  , Builder(builder)
  , Report(report)
{
}

std::optional<FlushPublisher::Published> FlushPublisher::Publish(const PublishRequest& request)
{
  this->State.Images.RequireCapacity(request.Image, request.Size);
  OpenImage& image = this->State.Images.At(request.Image);
  SnapshotDescription snapshot = SnapshotBuilder::Describe(image, request.Size, request.Statistics);
  SharedBytes& shared = snapshot.Shared.emplace();
  CleaningPlan::Copying copying = this->PutAside(request, image, shared);
  const Ring::Sizes sizes = AsideSizes(shared);
  std::optional<Ring::Reservation> reserved;
  if (this->Evictions.MakeRoom([&](const Ring& memory, std::uint64_t snapshots)
        { return this->IsEnough(request, sizes, memory, snapshots); }))
  {
    reserved = this->State.Memory.ReserveAside(sizes);
  }
  Published published;
  if (reserved)
  {
    published.Copy = ++this->LastCopy;
    published.Copying = { reserved->Slot, std::move(reserved->Plan) };
    published.Copying.Plan.Copy = std::move(copying);
    snapshot.Slot = reserved->Slot;
    snapshot.Generation = reserved->Generation;
    this->State.Sharing.Share(image.Slot, image.Map, request.Size);
    this->Copies[published.Copy] = { request.Image, std::move(snapshot) };
    return published;
  }
  const bool canHelp = this->CanWaitingHelp(request, sizes);
  if (this->State.Policy.WhenFull == FullRing::Block && canHelp)
  {
    return std::nullopt;
  }
  published.Skipped = fmt::format("a flush of {} ({}) could not be shown: {}. {}", image.FileName,
    environment::FormatBytes(request.Size), this->Report.FullText(),
    canHelp ? "Viewers hold all snapshots open, or the memory per host must grow"
            : "What a file changes between two flushes needs as much memory again: raise the "
              "memory per host, or show files when they are closed");
  published.FirstSkipped = !std::exchange(image.ReportedUnpublished, true);
  return published;
}

// Enters the bytes that change into the snapshot. Returns what the hosts copy for that.
CleaningPlan::Copying FlushPublisher::PutAside(
  const PublishRequest& request, const OpenImage& image, SharedBytes& shared) const
{
  const std::uint64_t hosts = this->State.Memory.Hosts();
  shared.Slot = image.Slot;
  shared.Generation = image.Generation;
  shared.Aside.resize(hosts);
  CleaningPlan::Copying copying{ image.Slot, {} };
  copying.Bytes.resize(hosts);
  for (HostIndex host = 0; host < std::min<std::uint64_t>(hosts, request.Changing.size()); ++host)
  {
    for (const ByteRange& range : request.Changing[host])
    {
      const auto added =
        shared.Aside[host].Add(range, image.Map.Held(host, range.Begin, request.Size));
      copying.Bytes[host].insert(copying.Bytes[host].end(), added.begin(), added.end());
    }
  }
  return copying;
}

// The newest flush of a file may use the place that the file itself has among the snapshots.
bool FlushPublisher::IsEnough(const PublishRequest& request, const Ring::Sizes& sizes,
  const Ring& memory, std::uint64_t snapshots) const
{
  return (request.HasOthers ||
           snapshots + this->Copies.size() < this->State.Policy.MaximumSnapshots) &&
    memory.HasRoomAside(sizes);
}

// Whether there would be room without any snapshot.
bool FlushPublisher::CanWaitingHelp(const PublishRequest& request, const Ring::Sizes& sizes) const
{
  std::vector<SnapshotId> all;
  for (const auto& snapshot : this->State.Snapshots.All())
  {
    all.push_back(snapshot.Number);
  }
  return this->IsEnough(request, sizes, this->Evictions.MemoryWithout(all), 0);
}

SnapshotId FlushPublisher::Confirm(
  ImageId number, std::uint64_t copyNumber, double sealedAt, std::uint64_t group)
{
  const auto found = this->Copies.find(copyNumber);
  if (found == this->Copies.end() || found->second.Image != number)
  {
    this->State.Images.At(number); // throws if that is why
    throw Error(Fault::Refused, "the DSM server has discarded the copy made at a flush");
  }
  SnapshotDescription snapshot = std::move(found->second.Snapshot);
  this->Copies.erase(found);
  OpenImage& image = this->State.Images.At(number);
  this->State.Snapshots.ReplaceHidden(image.Source);
  this->Builder.Complete(snapshot, image.Place.Step, sealedAt);
  snapshot.Stream = image.Place.Stream; // as it is known by now
  snapshot.Named = image.Named;
  snapshot.Family = image.Family;
  snapshot.Access = image.Access;
  image.FlushedBytes += snapshot.Statistics.Bytes;
  image.Shown = this->Builder.Add(std::move(snapshot), group);
  image.FlushedSize = 0; // this snapshot has it
  return image.Shown;
}

void FlushPublisher::Discard(ImageId image)
{
  std::erase_if(this->Copies,
    [&](const auto& copy)
    {
      const bool isDiscarded = copy.second.Image == image;
      if (isDiscarded)
      {
        this->State.Sharing.Free(this->State.Memory, copy.second.Snapshot);
      }
      return isDiscarded;
    });
}

bool FlushPublisher::IsAwaited(std::uint64_t copy) const
{
  return this->Copies.contains(copy);
}

}
