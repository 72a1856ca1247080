// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/ImageCloser.h"

#include <algorithm>
#include <utility>

namespace dsm
{

ImageCloser::ImageCloser(
  ImageState& state, Evictor& evictor, SnapshotBuilder& builder, FlushPublisher& publisher)
  : State(state)
  , Evictions(evictor)
  , Builder(builder)
  , Publisher(publisher)
{
}

ImageCloser::Sealed ImageCloser::Seal(const SealRequest& request)
{
  this->State.Images.RequireCapacity(request.Image, std::max(request.Size, request.Reach));
  Sealed sealed;
  const OpenImage image = this->State.Images.Take(request.Image);
  this->Publisher.Discard(request.Image);
  // Shared bytes stay, even if the file has become shorter.
  const std::uint64_t reach =
    std::max({ request.Reach, request.Size, this->State.Sharing.SizeIn(image.Slot) });
  sealed.Clearing = ReleaseWork(this->State.Memory.Seal(image.Slot, image.Map, reach));
  SnapshotDescription snapshot = SnapshotBuilder::Describe(image, request.Size, request.Statistics);
  this->Builder.Complete(snapshot, image.Place.Step, request.SealedAt);
  if (image.Source != 0)
  {
    this->State.Streams.EnterFurther(
      image.FileName, image.Begins, image.FlushedBytes + request.Statistics.Bytes);
  }
  if (!request.MayKeepOnDisk && this->Evictions.DropsNew(image.Map, request.Size))
  {
    ++this->State.Counters.SnapshotsSkipped;
    this->State.Sharing.Finish(this->State.Memory, image.Slot, image.Map, reach);
  }
  else
  {
    this->State.Snapshots.ReplaceHidden(image.Source);
    sealed.Number = this->Builder.Add(std::move(snapshot), request.Group);
  }
  this->Evictions.EvictSurplus();
  return sealed;
}

SlotWork ImageCloser::Disown(ImageId number, std::uint64_t size)
{
  OpenImage& image = this->State.Images.At(number);
  image.Owner.clear();
  image.Key = ~image.Key;
  this->Publisher.Discard(number);
  const std::uint64_t kept = std::max(size, this->State.Sharing.SizeIn(image.Slot));
  SlotWork work{ image.Slot, this->State.Memory.Freeze(image.Slot, image.Map, kept) };
  image.Generation = this->State.Memory.Generation(image.Slot);
  return work;
}

std::vector<SlotWork> ImageCloser::Finish(ImageId number, std::uint64_t reach)
{
  this->State.Images.RequireCapacity(number, reach);
  const OpenImage image = this->State.Images.Take(number);
  this->Publisher.Discard(number);
  return ReleaseWork(
    this->State.Sharing.Finish(this->State.Memory, image.Slot, image.Map, reach, image.Shown));
}

SlotWork ImageCloser::Undo(ImageId number)
{
  const OpenImage image = this->State.Images.Take(number);
  const SnapshotId whole = image.IsInPlace ? image.Source : SnapshotId(0);
  return { image.Slot, this->State.Sharing.Discard(this->State.Memory, image.Slot, whole) };
}

std::vector<SlotWork> ImageCloser::Drop(ImageId number, const std::string& why, bool changed)
{
  if (!this->State.Images.Find(number))
  {
    return {};
  }
  const OpenImage image = this->State.Images.TakeLost(number, why);
  ++this->State.Counters.ImagesAbandoned;
  this->Publisher.Discard(number);
  if (changed)
  {
    for (const auto sharers = this->State.Snapshots.SharersOf(image.Slot);
      const SnapshotId sharer : sharers)
    {
      this->Evictions.Evict(sharer);
    }
  }
  std::vector<SlotWork> clearing;
  clearing.push_back({ image.Slot, this->State.Sharing.Discard(this->State.Memory, image.Slot) });
  return clearing;
}

}
