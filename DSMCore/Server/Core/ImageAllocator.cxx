// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/ImageAllocator.h"

#include "Base/Environment.h"
#include "Base/Error.h"

#include <utility>

namespace dsm
{

ImageAllocator::ImageAllocator(
  ImageState& state, Evictor& evictor, MapChoice& maps, const GrantSizes& sizes)
  : State(state)
  , Evictions(evictor)
  , Maps(maps)
  , Sizes(sizes)
  , Reopener(state, evictor, maps, sizes)
{
}

std::optional<BeginResult> ImageAllocator::Begin(const BeginRequest& request)
{
  auto result = this->TryBegin(request);
  if (!result)
  {
    this->Evictions.RequireMemory();
  }
  return result;
}

std::optional<BeginResult> ImageAllocator::TryBegin(const BeginRequest& request)
{
  if (!request.Source)
  {
    const std::uint64_t expected = this->Sizes.Expected(request.FileName);
    return this->BeginAnew(request, expected, this->Maps.For({ expected, request.MayOutgrow }));
  }
  const SnapshotDescription source = *this->State.Snapshots.Find(*request.Source);
  if (this->Reopener.MayReopen(request, source))
  {
    if (auto result = this->Reopener.Reopen(request, source))
    {
      return result;
    }
  }
  return this->BeginCopy(request, source);
}

std::optional<BeginResult> ImageAllocator::BeginCopy(
  const BeginRequest& request, const SnapshotDescription& source)
{
  const AddressMap& map = this->Maps.For({ source.FileSize, request.MayOutgrow });
  if (!request.MayOutgrow && !this->State.Memory.CouldEverFit(map, source.FileSize))
  {
    throw Error(Fault::RingFull, "a copy of {} ({}) does not fit the DSM server's hosts",
      request.FileName, environment::FormatBytes(source.FileSize));
  }
  // It must stay until the writer has copied it.
  this->State.Snapshots.Retain(source.Number);
  auto result = this->BeginAnew(request, source.FileSize, map);
  if (!result)
  {
    this->State.Snapshots.Release(source.Number, false);
    return std::nullopt;
  }
  OpenImage& image = this->State.Images.At(result->Image);
  image.Source = source.Number;
  image.Begins = source.FileSize;
  result->Source = source;
  return result;
}

std::optional<BeginResult> ImageAllocator::BeginAnew(
  const BeginRequest& request, std::uint64_t expected, const AddressMap& map)
{
  Ring& memory = this->State.Memory;
  if (!memory.CouldEverFit(map, expected))
  {
    expected = 0; // it was learned under another map; this one will show its limits itself
  }
  const std::uint64_t least = expected > 0 ? expected : this->Sizes.First(map);
  const bool fits = this->Evictions.MakeRoom(
    [&](const Ring& ring, std::uint64_t snapshots)
    {
      return (request.HasOthers || snapshots < this->State.Policy.MaximumSnapshots) &&
        ring.Room(map) >= least;
    });
  if (!fits)
  {
    return std::nullopt;
  }
  const std::uint64_t grant = this->Sizes.ForNew(map, expected);
  auto reserved = memory.Reserve(map, expected, grant, request.Clears);
  if (!reserved)
  {
    return std::nullopt;
  }
  const ImageId number = this->State.Images.Add({ .Owner = request.Owner,
    .Key = request.Key,
    .FileName = request.FileName,
    .Map = map,
    .Slot = reserved->Slot,
    .Generation = reserved->Generation,
    .Grant = grant,
    .Stale = std::move(reserved->Stale),
    .Foreseen = expected > 0 || memory.IsPinned(),
    .MayOutgrow = request.MayOutgrow });
  return BeginResult{ number, { reserved->Slot, std::move(reserved->Plan) }, {}, {} };
}

}
