// SPDX-License-Identifier: BSD-3-Clause
#include "Server/DiskAccess.h"

#include "Server/CoreRunner.h"

namespace dsm
{

void DiskAccess::Offer(bool offered) const
{
  if (this->Runner)
  {
    this->Runner->Router().Do([&] { this->Runner->Core().Storage.OfferDisk(offered); });
  }
}

std::optional<SnapshotDescription> DiskAccess::WaitForOrder() const
{
  if (!this->Runner)
  {
    return std::nullopt;
  }
  StorageService& storage = this->Runner->Core().Storage;
  RequestRouter::Visit visit(this->Runner->Router());
  while (this->Runner->Core().State.IsOpen && storage.WritesToDisk())
  {
    if (auto next = storage.TakeDiskOrder())
    {
      return next;
    }
    visit.WaitAsDiskWriter(storage.NextDiskTry());
  }
  return std::nullopt;
}

void DiskAccess::EnterWritten(const SnapshotDescription& snapshot, const FilePut& file) const
{
  if (this->Runner)
  {
    this->Runner->Router().Do([&] { this->Runner->Core().Storage.EnterWritten(snapshot, file); });
  }
}

void DiskAccess::Done(const SnapshotDescription& snapshot, const DiskOutcome& outcome) const
{
  if (this->Runner)
  {
    this->Runner->Router().Do([&] { this->Runner->Core().Storage.DiskDone(snapshot, outcome); });
  }
}

std::optional<WrittenFiles::File> DiskAccess::WrittenAs(const FileMark& mark) const
{
  return this->Runner
    ? this->Runner->Router().Do([&] { return this->Runner->Core().Disk.WrittenAs(mark); })
    : std::nullopt;
}

std::vector<SnapshotDescription> DiskAccess::LostStates() const
{
  return this->Runner
    ? this->Runner->Router().Do([&] { return this->Runner->Core().Disk.LostStates(); })
    : std::vector<SnapshotDescription>();
}

SnapshotId DiskAccess::WrittenOf(SnapshotId family) const
{
  return this->Runner
    ? this->Runner->Router().Do([&] { return this->Runner->Core().Disk.WrittenOf(family); })
    : SnapshotId(0);
}

SnapshotId DiskAccess::FamilyOf(const PlaceholderAddress& placeholder) const
{
  return this->Runner
    ? this->Runner->Router().Do([&] { return this->Runner->Core().Disk.FamilyOf(placeholder); })
    : SnapshotId(0);
}

void DiskAccess::TryNow() const
{
  if (this->Runner)
  {
    this->Runner->Router().Do([&] { this->Runner->Core().Storage.TryDiskNow(); });
  }
}

DiskBacklog DiskAccess::Await(const Deadline& deadline) const
{
  if (!this->Runner)
  {
    return {};
  }
  ServerCore& core = this->Runner->Core();
  RequestRouter::Visit visit(this->Runner->Router());
  while (core.State.IsOpen && core.Storage.WritesToDisk() && core.Storage.IsDiskBusy() &&
    !deadline.Expired())
  {
    visit.WaitAsReader(deadline.TimePoint());
  }
  return core.Storage.Backlog();
}

}
