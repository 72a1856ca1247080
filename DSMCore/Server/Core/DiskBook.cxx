// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/DiskBook.h"

#include "Base/Log.h"
#include "Server/Core/ServerStatus.h"
#include "Server/Core/SnapshotTable.h"

#include <algorithm>
#include <utility>

namespace dsm
{

namespace
{
constexpr std::size_t MostLost = 4096;
}

DiskBook::DiskBook(SnapshotTable& snapshots)
  : Snapshots(snapshots)
{
}

void DiskBook::SetRule(const std::string& rule)
{
  this->Queue.SetRule(
    rule, [this](SnapshotId number) { return this->Saved.contains(number); }, this->Snapshots);
  this->EverKept = this->EverKept || !this->Queue.Rule().IsNone();
  this->Fails = this->Fails && !this->Queue.Failures().empty();
}

void DiskBook::NoteSaved(SnapshotId number)
{
  std::erase_if(this->Saved, [this](SnapshotId saved) { return !this->Snapshots.Find(saved); });
  if (const auto* snapshot = this->Snapshots.Find(number))
  {
    this->Saved.insert(number);
    this->Saved.insert(snapshot->Parts.begin(), snapshot->Parts.end());
  }
}

bool DiskBook::IsSaved(const SnapshotDescription& snapshot) const
{
  const auto saved = [this](SnapshotId number) { return this->Saved.contains(number); };
  return saved(snapshot.Number) && std::all_of(snapshot.Parts.begin(), snapshot.Parts.end(), saved);
}

void DiskBook::Entered(const SnapshotDescription& snapshot, ImageId image)
{
  this->Families.Enter(snapshot.Number, snapshot.Family, image);
  this->Queue.Entered(snapshot.Number, this->Snapshots);
}

void DiskBook::Told(const SnapshotDescription& whole)
{
  this->Queue.Told(whole, this->Snapshots);
}

void DiskBook::Renamed(const SnapshotRenamed& renamed)
{
  if (!this->Saved.contains(renamed.Number))
  {
    this->Queue.Renamed(renamed, this->Snapshots);
  }
}

void DiskBook::ForgetReplaced()
{
  this->Queue.ForgetReplaced(this->Snapshots);
}

// The newest state of a file that is on disk in an older one.
bool DiskBook::IsNewerThanOnDisk(const SnapshotDescription& snapshot) const
{
  const SnapshotId written = this->Files.WrittenOf(snapshot.Family);
  return written != 0 && written < snapshot.Number &&
    this->Families.NewestOf(snapshot.Family) == snapshot.Number &&
    !this->Saved.contains(snapshot.Number);
}

void DiskBook::WantIfNewerThanOnDisk(const SnapshotDescription& snapshot)
{
  if (this->IsNewerThanOnDisk(snapshot))
  {
    this->Queue.Want(snapshot.Number, this->Snapshots);
  }
}

void DiskBook::TryNow()
{
  for (const SnapshotDescription& snapshot : this->Snapshots.All())
  {
    this->WantIfNewerThanOnDisk(snapshot);
  }
  this->Queue.TryNow();
}

std::optional<std::string> DiskBook::Left(const SnapshotDescription& snapshot)
{
  const auto why = this->Queue.Left(snapshot.Number);
  const bool isNewer = this->IsNewerThanOnDisk(snapshot);
  if (isNewer)
  {
    this->Lost[snapshot.Number] = snapshot;
    if (this->Lost.size() > MostLost)
    {
      this->Lost.erase(this->Lost.begin());
    }
  }
  if (!why && isNewer)
  {
    return fmt::format("snapshot {} ({}) had to leave the memory: what is on disk under its name "
                       "is older (snapshot {})",
      snapshot.Number, snapshot.FileName, this->Files.WrittenOf(snapshot.Family));
  }
  if (!why)
  {
    return std::nullopt;
  }
  ++this->NeverThere;
  return fmt::format("snapshot {} ({}) had to leave the memory and is not on disk: {}",
    snapshot.Number, snapshot.FileName, *why);
}

std::vector<SnapshotDescription> DiskBook::LostStates() const
{
  std::vector<SnapshotDescription> lost;
  for (const auto& [number, snapshot] : this->Lost)
  {
    if (this->IsNewerThanOnDisk(snapshot))
    {
      lost.push_back(snapshot);
    }
  }
  return lost;
}

std::optional<SnapshotDescription> DiskBook::Begin(Time now)
{
  return this->Queue.Begin(now, this->Snapshots);
}

std::optional<std::string> DiskBook::End(
  const SnapshotDescription& snapshot, const DiskOutcome& outcome, bool keep, Time now)
{
  std::optional<std::string> report;
  const bool written = outcome.What == DiskOutcome::Kind::Written;
  if (outcome.What == DiskOutcome::Kind::Failed)
  {
    report = fmt::format("snapshot {} ({}) is not on disk, and stays in memory {}: {}. It is tried "
                         "again every few seconds, as are those after it",
      snapshot.Number, snapshot.FileName, keep ? "until it is" : "as long as there is room",
      outcome.Text);
    if (std::exchange(this->Fails, true))
    {
      Log().info("{}", *report);
      report.reset();
    }
  }
  else
  {
    // What the simulation itself has overwritten, or removed, need not be saved either.
    if (written || outcome.Text.empty())
    {
      this->NoteSaved(snapshot.Number);
    }
    if (!outcome.Text.empty())
    {
      report = outcome.Text;
    }
    if (written && std::exchange(this->Fails, false))
    {
      Log().warn("snapshot {} ({}) is on disk now", snapshot.Number, snapshot.FileName);
    }
  }
  this->Queue.End(outcome, keep, now, this->Snapshots);
  // TryNow may have been called while this older state was being written.
  const auto* const newest = this->Snapshots.Find(this->Families.NewestOf(snapshot.Family));
  if (written && newest && this->Queue.IsHurrying())
  {
    this->WantIfNewerThanOnDisk(*newest);
  }
  return report;
}

void DiskBook::EnterWritten(const SnapshotDescription& snapshot, const FileMark& mark)
{
  this->Files.Enter(mark, { snapshot.Number, snapshot.Family, snapshot.Stream });
}

void DiskBook::EnterWhole(const SnapshotDescription& snapshot)
{
  this->Files.EnterWhole(snapshot.Number, snapshot.Family);
}

std::optional<WrittenFiles::File> DiskBook::WrittenAs(const FileMark& mark) const
{
  const auto* file = this->Files.Find(mark);
  return file ? std::optional(*file) : std::nullopt;
}

FoundOnDisk DiskBook::Find(const FindOnDisk& message) const
{
  FoundOnDisk found;
  if (const auto* ours = this->Files.Find(message.There))
  {
    found.Snapshot = ours->Snapshot;
    found.Stays = this->Rule().MayKeep(message.File, ours->Stream);
    const auto* newest = this->Snapshots.NewestOfFamily(ours->Family);
    const SnapshotId last = std::max(this->Families.NewestOf(ours->Family), ours->Snapshot);
    found.Gone = last > ours->Snapshot && (!newest || newest->Number < last) ? last : SnapshotId(0);
    // An older one may be in the ring for longer, since somebody reads it.
    found.Newest = newest && newest->Number >= ours->Snapshot ? newest->Number : SnapshotId(0);
  }
  return found;
}

SnapshotId DiskBook::FamilyOf(const PlaceholderAddress& placeholder) const
{
  const SnapshotId number =
    placeholder.Number != 0 ? placeholder.Number : placeholder.Before.value_or(SnapshotId(0));
  return number != 0 ? this->Families.FamilyOf(number)
                     : this->Families.FamilyOfImage(placeholder.Image.value_or(ImageId(0)));
}

void DiskBook::Tell(ServerStatus& status, Time now) const
{
  for (const SnapshotDescription& snapshot : status.Snapshots)
  {
    if (this->IsSaved(snapshot))
    {
      status.Saved.push_back(snapshot.Number);
    }
  }
  const auto backlog = this->Backlog(now);
  status.WaitingForDisk = backlog.Files.size();
  status.WaitingForDiskBytes = backlog.Bytes();
  status.DiskTrouble = this->Trouble();
  status.NeverOnDisk = this->NeverThere;
}

std::string DiskBook::Trouble() const
{
  return this->Queue.Failures().empty() ? "" : this->Queue.Failures().begin()->second;
}

}
