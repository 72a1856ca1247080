// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/ImageManager.h"

#include <utility>

namespace dsm
{

ImageManager::ImageManager(Ring memory, const Policy& policy, SlotSignals* slots)
  : State{ std::move(memory) }
  , Evictions(this->State, slots)
  , Maps(this->State)
  , Sizes(this->State)
  , Builder(this->State)
  , Report(this->State, this->Evictions)
  , Allocator(this->State, this->Evictions, this->Maps, this->Sizes)
  , Extender(this->State, this->Evictions)
  , Publisher(this->State, this->Evictions, this->Builder, this->Report)
  , Copier(this->State, this->Evictions)
  , Closer(this->State, this->Evictions, this->Builder, this->Publisher)
  , Preallocation(this->State, this->Evictions, this->Maps, this->Sizes)
{
  this->State.Counters.HostBytes.assign(this->State.Memory.Hosts(), 0);
  this->SetPolicy(policy);
}

std::optional<ImageManager::Granted> ImageManager::Begin(const BeginRequest& request)
{
  this->Preallocation.NoteBegin(request);
  return this->Allocator.Begin(request);
}

std::optional<ImageManager::Extended> ImageManager::Extend(ImageId image, std::uint64_t bytes)
{
  return this->Extender.Extend(image, bytes);
}

std::optional<ImageManager::Extended> ImageManager::ExtendFurther(ImageId image)
{
  return this->Extender.ExtendFurther(image);
}

std::optional<ImageManager::Extended> ImageManager::ExtendAhead(
  ImageId image, std::uint64_t reached)
{
  return this->Extender.ExtendAhead(image, reached);
}

bool ImageManager::ConfirmGrant(ImageId image, std::uint64_t grant)
{
  return this->Extender.Confirm(image, grant);
}

void ImageManager::WithdrawGrant(ImageId image)
{
  this->Extender.Withdraw(image);
}

std::optional<ImageManager::Published> ImageManager::Publish(ImageId image, std::uint64_t size,
  const SlotBytes& changing, const WriteStatistics& statistics, bool joins)
{
  return this->Publisher.Publish({ image, size, changing, statistics, joins });
}

void ImageManager::DiscardCopies(ImageId image)
{
  this->Publisher.Discard(image);
}

ImageManager::Sealed ImageManager::Confirm(
  ImageId image, std::uint64_t copy, double now, std::uint64_t group)
{
  return { this->Publisher.Confirm(image, copy, now, group), {} };
}

bool ImageManager::IsAwaited(std::uint64_t copy) const
{
  return this->Publisher.IsAwaited(copy);
}

ImageManager::KeptByAll ImageManager::Keep(ImageId image, HostIndex host, ByteRange bytes)
{
  return this->Copier.Preserve(image, host, bytes);
}

void ImageManager::ConfirmKept(const SnapshotDescription& snapshot)
{
  this->Copier.Confirm(snapshot);
}

ImageManager::Work ImageManager::Revoke(SnapshotId snapshot)
{
  return this->Copier.Revoke(snapshot);
}

ImageManager::Sealed ImageManager::Seal(const SealRequest& request)
{
  return this->Closer.Seal(request);
}

ImageManager::Work ImageManager::Disown(ImageId image, std::uint64_t size)
{
  return this->Closer.Disown(image, size);
}

std::vector<ImageManager::Work> ImageManager::Finish(ImageId image, std::uint64_t reach)
{
  return this->Closer.Finish(image, reach);
}

ImageManager::Work ImageManager::Undo(ImageId image)
{
  return this->Closer.Undo(image);
}

std::vector<ImageManager::Work> ImageManager::Drop(
  ImageId image, const std::string& why, bool changed)
{
  return this->Closer.Drop(image, why, changed);
}

std::optional<ImageManager::Work> ImageManager::PrepareNext(const std::string& fileName)
{
  return this->Preallocation.PrepareNext(fileName);
}

std::vector<CleaningPlan::Range> ImageManager::Warm(const std::string& fileName, bool untilHalf)
{
  return this->Preallocation.Warm(fileName, untilHalf);
}

bool ImageManager::IsNextReady(const std::string& fileName)
{
  return this->Preallocation.IsNextReady(fileName);
}

bool ImageManager::AreSmall(const std::vector<CleaningPlan::Range>& pages)
{
  return Preallocator::AreSmall(pages);
}

void ImageManager::NoteWarm(const std::vector<CleaningPlan::Range>& pages)
{
  this->Preallocation.NoteWarm(pages);
}

std::vector<ImageManager::Work> ImageManager::Cool(SlotIndex slot)
{
  return this->Preallocation.Cool(slot);
}

void ImageManager::SetPolicy(const Policy& policy)
{
  this->Maps.SetRules(policy.Map); // or throws
  this->State.Policy = policy;
  this->State.Snapshots.SetCheckpoints(policy.Checkpoints);
}

const ImageManager::Policy& ImageManager::GetPolicy() const
{
  return this->State.Policy;
}

std::vector<ImageManager::Work> ImageManager::SetBudget(std::uint64_t budget)
{
  return budget == this->State.Memory.Budget() ? std::vector<Work>()
                                               : ReleaseWork(this->State.Memory.SetBudget(budget));
}

std::optional<CleaningPlan> ImageManager::MakeRoomFor(SnapshotId snapshot)
{
  if (!this->State.Snapshots.Find(snapshot))
  {
    return std::nullopt;
  }
  this->State.Snapshots.Retain(snapshot);
  const bool fits = this->Evictions.MakeRoom(
    [](const Ring& memory, std::uint64_t) { return memory.IsWithinLimits(); });
  this->State.Snapshots.Release(snapshot, false);
  if (!fits)
  {
    return std::nullopt;
  }
  CleaningPlan plan = this->State.Memory.ReleaseExcess();
  const CleaningPlan telling = this->State.Memory.RaiseAll();
  plan.Raise.insert(plan.Raise.end(), telling.Raise.begin(), telling.Raise.end());
  return plan;
}

std::vector<ImageManager::Work> ImageManager::HostIsBack(HostIndex host)
{
  auto work = ReleaseWork(this->State.Memory.ReleaseAllSpare(host));
  for (const auto& [number, image] : this->OpenImages())
  {
    work.push_back({ image.Slot, this->State.Memory.ReserveAgain(image.Slot, host) });
  }
  return work;
}

std::optional<ImageManager::Work> ImageManager::TakeForgotten()
{
  Work work;
  work.Plan = this->State.Memory.TakeForgotten();
  if (work.Plan.Forget.empty())
  {
    return std::nullopt;
  }
  work.Slot = work.Plan.Forget.front().Slot;
  return work;
}

const std::map<ImageId, OpenImage>& ImageManager::OpenImages() const
{
  return this->State.Images.All();
}

const OpenImage& ImageManager::Image(ImageId image) const
{
  return this->State.Images.At(image);
}

std::vector<ImageId> ImageManager::ImagesOf(const std::string& owner) const
{
  return this->State.Images.OwnedBy(owner);
}

void ImageManager::RequireOwner(ImageId image, const std::string& owner) const
{
  this->State.Images.RequireOwner(image, owner);
}

void ImageManager::RequireKey(ImageId image, std::uint64_t key) const
{
  this->State.Images.RequireKey(image, key);
}

void ImageManager::EnterStream(
  ImageId number, const StreamBook::Place& place, const PeerDescription& writer)
{
  if (dsm::OpenImage* image = this->State.Images.Find(number))
  {
    image->Place = place;
    image->Program = writer.Program;
    image->Machine = writer.Machine;
  }
}

void ImageManager::Rename(const SnapshotTable::Renaming& rename)
{
  for (const auto& [number, image] : this->State.Images.All())
  {
    dsm::OpenImage& open = *this->State.Images.Find(number);
    rename(image.FileName, open.Place.Stream, open.Place.Step);
  }
  this->State.Snapshots.Rename(rename);
}

void ImageManager::NoteNamed(ImageId number, SnapshotId family)
{
  if (dsm::OpenImage* image = this->State.Images.Find(number))
  {
    image->Named = true;
    image->Family = family;
  }
}

void ImageManager::NoteAccess(ImageId number, const std::optional<FileAccess>& access)
{
  if (dsm::OpenImage* image = this->State.Images.Find(number))
  {
    image->Access = access;
  }
}

void ImageManager::Rename(ImageId number, const std::string& name, const std::string& stream,
  const std::optional<double>& step)
{
  if (dsm::OpenImage* image = this->State.Images.Find(number))
  {
    image->FileName = name;
    image->Place.Stream = stream;
    image->Place.Step = step ? step : image->Place.Step;
  }
}

void ImageManager::NoteFlushed(ImageId number, std::uint64_t size)
{
  if (dsm::OpenImage* image = this->State.Images.Find(number))
  {
    image->FlushedSize = size;
  }
}

std::vector<SnapshotDescription> ImageManager::TakeEvicted()
{
  return this->Evictions.TakeEvicted();
}

bool ImageManager::IsAppended(const std::string& fileName) const
{
  return this->State.Streams.IsAppended(fileName).value_or(false);
}

bool ImageManager::KeepsUnread() const
{
  return this->Evictions.KeepsUnread();
}

bool ImageManager::Drop(SnapshotId snapshot)
{
  return this->Evictions.Drop(snapshot);
}

void ImageManager::OpenToReaders()
{
  this->Evictions.OpenToReaders();
}

bool ImageManager::TakeHindered()
{
  return this->Evictions.TakeHindered();
}

SnapshotTable& ImageManager::Snapshots()
{
  return this->State.Snapshots;
}

const SnapshotTable& ImageManager::Snapshots() const
{
  return this->State.Snapshots;
}

const Ring& ImageManager::Memory() const
{
  return this->State.Memory;
}

const ImageCounters& ImageManager::Counters() const
{
  return this->State.Counters;
}

std::string ImageManager::FullText() const
{
  return this->Report.FullText();
}

std::string ImageManager::RoomAdvice() const
{
  return this->Report.Advice();
}

}
