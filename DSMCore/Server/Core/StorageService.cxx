// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/StorageService.h"

#include "Server/Core/RequestRouter.h"

#include <utility>

namespace dsm
{
void StorageService::Serve(RequestRouter& router)
{
  router.On<NoteSaved>(*this);
}

void StorageService::Handle(const Call& call, const NoteSaved& message)
{
  this->Part.Disk.NoteSaved(message.Number);
  call.Reply(Nothing());
}

// ---- Files that are on disk as well.

void StorageService::OfferDisk(bool offered)
{
  this->IsWritingToDisk = offered;
  this->Part.Waiting.WakeAll();
}

std::optional<SnapshotDescription> StorageService::TakeDiskOrder()
{
  return this->Part.Disk.Begin(this->Part.State.Time.Now);
}

void StorageService::EnterWritten(const SnapshotDescription& snapshot, const FilePut& file)
{
  this->Part.Disk.EnterWritten(snapshot, file.Mark);
  this->Part.Locks.NotePut(file);
}

void StorageService::DiskDone(const SnapshotDescription& snapshot, const DiskOutcome& outcome)
{
  const bool keep = this->Part.State.Options.WhenFull == FullRing::Block;
  if (const auto trouble = this->Part.Disk.End(snapshot, outcome, keep, this->Part.State.Time.Now))
  {
    this->Part.State.Trouble.Report(*trouble);
  }
  this->Part.Allocations.Retry();
  this->Part.Waiting.WakeAll();
}

void StorageService::TryDiskNow()
{
  this->Part.Disk.TryNow();
  this->Part.Waiting.WakeAll();
}

DiskBacklog StorageService::Backlog() const
{
  auto backlog = this->Part.Disk.Backlog(this->Part.State.Time.Now);
  backlog.Busy = backlog.Busy && this->Part.State.IsOpen && this->IsWritingToDisk;
  return backlog;
}

// ---- Orders.

void StorageService::OfferSaving(bool offered)
{
  this->IsSaving = offered;
  if (!offered && this->Saves.HasStanding())
  {
    this->Part.Announcer.AnnounceAll(); // what they are for is written
  }
  this->Part.Waiting.WakeAll();
}

std::string StorageService::Order(std::uint64_t ticket, const SaveRequest& request)
{
  if (!this->IsSaving)
  {
    return "this server writes no files: the program that hosts it offers none";
  }
  std::string refusal = this->Saves.Order(ticket, request, this->Part.Snapshots);
  this->Part.Waiting.WakeAll();
  return refusal;
}

std::optional<SaveOrder> StorageService::TakeSaveOrder()
{
  auto next = this->Saves.Take(this->Part.State.Time.Now, this->Part.Snapshots);
  this->Writing = next ? std::optional(FileBeingSaved{ next->Snapshot.Number,
                           next->Snapshot.FileName, next->Snapshot.FileSize, 0 })
                       : std::nullopt;
  return next;
}

void StorageService::NoteSaving(std::uint64_t bytes)
{
  if (this->Writing)
  {
    this->Writing->Bytes += bytes;
  }
}

void StorageService::SaveDone(const SaveOrder& order, const std::string& failure)
{
  this->Writing.reset();
  this->Saves.Done(order, failure, this->Part.State.Time.Now, this->Part.Snapshots);
  if (!failure.empty() && (!order.OfMany || !std::exchange(this->ArchiveFails, true)))
  {
    this->Part.State.Trouble.Report(failure);
  }
  else if (failure.empty() && order.OfMany)
  {
    this->ArchiveFails = false;
  }
  this->Part.Allocations.Retry();
}

void StorageService::FillIn(ServerStatus& status) const
{
  this->Part.Disk.Tell(status, this->Part.State.Time.Now);
  status.Standing = this->Saves.Standing(this->Part.State.Time.Now, this->Part.Snapshots);
  status.SavingNow = this->Writing;
}

void StorageService::Recount()
{
  this->Part.Disk.Recount();
  this->Saves.Recount(this->Part.Snapshots);
  this->OnAllAnnounced();
}

// ---- Events.

void StorageService::OnSealed(const SnapshotSealed& snapshot)
{
  if (const auto* entered = this->Part.Snapshots.Find(snapshot.Number))
  {
    this->Part.Disk.Entered(*entered, snapshot.Image);
  }
  this->Saves.Entered(snapshot.Number, this->Part.Snapshots);
}

void StorageService::OnAnnounced(const SnapshotDescription& snapshot)
{
  this->Saves.Come(snapshot, this->Part.Snapshots);
  this->OnExtended(snapshot);
}

void StorageService::OnExtended(const SnapshotDescription& snapshot)
{
  this->Saves.Told(snapshot, this->Part.Snapshots);
  this->Part.Disk.Told(snapshot);
}

// There is no picture of it without its group, but it is a file.
void StorageService::OnWithheld(const SnapshotDescription& snapshot)
{
  this->Part.Disk.Told(snapshot);
  this->Saves.Told(snapshot, this->Part.Snapshots);
}

void StorageService::OnRenamed(const SnapshotRenamed& renamed)
{
  this->Part.Disk.Renamed(renamed);
  this->Saves.Renamed(renamed, this->Part.Snapshots);
  this->Part.Waiting.WakeDiskWriters();
}

void StorageService::OnReplaced()
{
  this->Part.Disk.ForgetReplaced();
  this->Saves.ForgetReplaced(this->Part.Snapshots);
}

void StorageService::OnAllAnnounced()
{
  if (!this->Saves.IsEmpty() || !this->Part.Disk.IsEmpty())
  {
    this->Part.Waiting.WakeDiskWriters();
  }
}

void StorageService::OnEvicted(const SnapshotDescription& snapshot)
{
  if (const auto why = this->Saves.Left(snapshot.Number))
  {
    this->Part.State.Trouble.Report(
      fmt::format("snapshot {} ({}) had to leave the memory and is not in the archive: {}",
        snapshot.Number, snapshot.FileName, *why));
  }
  if (const auto trouble = this->Part.Disk.Left(snapshot))
  {
    this->Part.State.Trouble.Report(*trouble);
  }
}

}
