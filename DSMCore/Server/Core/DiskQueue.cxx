// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/DiskQueue.h"

#include "Server/Core/SnapshotTable.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace dsm
{

namespace
{
// How long after a failure what has failed is tried again.
constexpr std::chrono::seconds TryAgain(5);
// How long a file that stays open is not written again, in what the last time took.
constexpr int Pause = 4;

// Of a snapshot as viewers see it.
std::vector<SnapshotId> PartsOf(const SnapshotDescription& whole)
{
  return whole.Parts.empty() ? std::vector<SnapshotId>{ whole.Number } : whole.Parts;
}

// Returns true if both snapshots are states of one file. Another file may have had the name while
// this one was open.
bool IsStateOfOneFile(const SnapshotDescription& one, const SnapshotDescription& other)
{
  return one.FileName == other.FileName && one.Named == other.Named &&
    (!one.Named || one.Family == other.Family);
}
}

std::uint64_t DiskBacklog::Bytes() const
{
  return std::accumulate(this->Files.begin(), this->Files.end(), UINT64_C(0),
    [](std::uint64_t sum, const File& file) { return sum + file.Snapshot.FileSize; });
}

void DiskQueue::SetRule(const std::string& text, const std::function<bool(SnapshotId)>& isOnDisk,
  SnapshotTable& snapshots)
{
  this->Wanted = KeepRule::FromText(text);
  if (this->Wanted.IsNone())
  {
    for (const SnapshotId number : std::exchange(this->Kept, {}))
    {
      snapshots.Release(number, false);
    }
    this->Failed.clear();
    this->Again.clear();
    return;
  }
  this->Decided.clear();
  const auto known = this->Missing();
  std::set<SnapshotId> shown;
  for (const SnapshotDescription& whole : snapshots.Shown())
  {
    const bool keeps = this->Decide(whole);
    for (const SnapshotId number : PartsOf(whole))
    {
      shown.insert(number);
      if (keeps && !known.contains(number) && !isOnDisk(number))
      {
        snapshots.Retain(number);
        this->Waiting.push_back(number);
      }
    }
  }
  // Viewers will be told of the others.
  for (const SnapshotDescription& hidden : snapshots.All())
  {
    const SnapshotId number = hidden.Number;
    if (!shown.contains(number) && !this->Undecided.contains(number) &&
      !snapshots.WasReplaced(number) && !known.contains(number))
    {
      this->Entered(number, snapshots);
    }
  }
}

void DiskQueue::Entered(SnapshotId number, SnapshotTable& snapshots)
{
  if (!this->Wanted.IsNone() && snapshots.Find(number))
  {
    snapshots.Retain(number);
    this->Undecided.insert(number);
  }
}

// The rule counts each group once.
bool DiskQueue::Decide(const SnapshotDescription& whole)
{
  std::optional<bool> keeps;
  for (const SnapshotId part : PartsOf(whole))
  {
    const auto before = this->Decided.find(part);
    if (before != this->Decided.end())
    {
      keeps = keeps.value_or(false) || before->second;
    }
  }
  keeps = keeps.has_value() ? keeps : this->Wanted.Keeps(whole);
  for (const SnapshotId part : PartsOf(whole))
  {
    this->Decided[part] = *keeps;
  }
  return *keeps;
}

// What a flush has shown is of the same file as what comes of that later, which has more.
void DiskQueue::Told(const SnapshotDescription& whole, SnapshotTable& snapshots)
{
  // What was told of before is told of again, with its group.
  auto parts = PartsOf(whole);
  std::erase_if(parts, [this](SnapshotId part) { return !this->Undecided.contains(part); });
  const bool keeps = !parts.empty() && this->Decide(whole);
  for (const SnapshotId number : parts)
  {
    this->Undecided.erase(number);
    const auto* snapshot = snapshots.Find(number);
    if (!snapshot)
    {
      continue;
    }
    if (!keeps)
    {
      snapshots.Release(number, false);
      continue;
    }
    std::erase_if(this->Waiting,
      [&](SnapshotId earlier)
      {
        const auto* flushed = snapshots.Find(earlier);
        const bool superseded = flushed && flushed->Shared && IsStateOfOneFile(*flushed, *snapshot);
        if (superseded)
        {
          snapshots.Release(earlier, false);
        }
        return superseded;
      });
    this->Waiting.push_back(number);
  }
}

void DiskQueue::Recount(SnapshotTable& snapshots)
{
  if (!this->Wanted.CountsStreams())
  {
    return;
  }
  this->Wanted.Restart();
  for (const SnapshotDescription& whole : snapshots.Shown())
  {
    const auto parts = PartsOf(whole);
    const bool isDecided = std::all_of(
      parts.begin(), parts.end(), [this](SnapshotId part) { return this->Decided.contains(part); });
    if (!isDecided || !this->Wanted.Keeps(whole))
    {
      continue;
    }
    for (const SnapshotId number : parts)
    {
      if (!std::exchange(this->Decided[number], true))
      {
        snapshots.Retain(number);
        this->Waiting.push_back(number);
      }
    }
  }
}

void DiskQueue::Renamed(const SnapshotRenamed& renamed, SnapshotTable& snapshots)
{
  const auto* snapshot = snapshots.Find(renamed.Number);
  if (snapshot && !snapshots.WasReplaced(renamed.Number) &&
    !this->Wanted.MayKeep(renamed.Before, renamed.StreamBefore) &&
    this->Wanted.MayKeep(snapshot->FileName, snapshot->Stream))
  {
    this->Want(renamed.Number, snapshots);
  }
}

void DiskQueue::Want(SnapshotId number, SnapshotTable& snapshots)
{
  if (snapshots.Find(number) && !this->Undecided.contains(number) &&
    !this->Missing().contains(number))
  {
    snapshots.Retain(number);
    this->Waiting.push_back(number);
  }
}

void DiskQueue::ForgetReplaced(SnapshotTable& snapshots)
{
  std::erase_if(this->Undecided,
    [&](SnapshotId number)
    {
      const bool replaced = snapshots.WasReplaced(number);
      if (replaced)
      {
        snapshots.Release(number, false);
      }
      return replaced;
    });
}

std::optional<SnapshotDescription> DiskQueue::Begin(Time now, SnapshotTable& snapshots)
{
  if (this->Waiting.empty() && this->Again.empty() && !this->Failed.empty() && now >= this->Next)
  {
    for (const auto& [number, why] : this->Failed)
    {
      this->Again.push_back(number);
    }
    this->Next = now + TryAgain;
  }
  std::erase_if(this->Earliest, [now](const auto& file) { return file.second <= now; });
  for (auto* from : { &this->Waiting, &this->Again })
  {
    for (auto next = from->begin(); next != from->end();)
    {
      const SnapshotId number = *next;
      if (this->IsEarly(number, snapshots))
      {
        ++next;
        continue;
      }
      next = from->erase(next);
      const auto* snapshot = snapshots.Find(number);
      if (!snapshot)
      {
        continue; // Left is about to be told
      }
      if (from == &this->Again && this->Kept.erase(number) == 0)
      {
        snapshots.Retain(number);
      }
      this->Underway = number;
      this->Begun = now;
      return *snapshot;
    }
  }
  return std::nullopt;
}

bool DiskQueue::IsEarly(SnapshotId number, const SnapshotTable& snapshots) const
{
  const auto* snapshot = snapshots.Find(number);
  return snapshot && snapshot->Shared && this->Earliest.contains(snapshot->FileName);
}

std::optional<DiskQueue::Time> DiskQueue::NextTry() const
{
  std::optional<Time> next;
  if (!this->Failed.empty())
  {
    next = this->Again.empty() ? this->Next : Time();
  }
  for (const auto& [file, earliest] : this->Earliest)
  {
    if (!this->Waiting.empty() && (!next || earliest < *next))
    {
      next = earliest;
    }
  }
  return next;
}

void DiskQueue::TryNow()
{
  this->Next = Time();
  this->Hurries = true;
  this->Earliest.clear();
}

void DiskQueue::End(const DiskOutcome& outcome, bool keep, Time now, SnapshotTable& snapshots)
{
  const SnapshotId number = std::exchange(this->Underway, {});
  if (number == 0)
  {
    return; // it has left the ring
  }
  if (const auto* snapshot = snapshots.Find(number); snapshot && snapshot->Shared && !this->Hurries)
  {
    this->Earliest[snapshot->FileName] = now + Pause * (now - this->Begun);
  }
  if (outcome.What == DiskOutcome::Kind::Failed)
  {
    this->Failed[number] = outcome.Text;
    this->Next = now + TryAgain;
    if (keep)
    {
      this->Kept.insert(number);
      return;
    }
  }
  else
  {
    this->Failed.erase(number);
  }
  snapshots.Release(number, false);
}

std::optional<std::string> DiskQueue::Left(SnapshotId number)
{
  this->Undecided.erase(number);
  this->Decided.erase(number);
  std::erase(this->Waiting, number);
  std::erase(this->Again, number);
  this->Kept.erase(number);
  if (this->Underway == number)
  {
    this->Underway = 0;
  }
  const auto failed = this->Failed.extract(number);
  return failed ? std::optional(failed.mapped()) : std::nullopt;
}

bool DiskQueue::IsBusy(Time now) const
{
  return this->Underway != 0 || !this->Waiting.empty() || !this->Again.empty() ||
    (!this->Failed.empty() && now >= this->Next);
}

bool DiskQueue::IsEmpty() const
{
  return this->Undecided.empty() && this->Missing().empty();
}

std::set<SnapshotId> DiskQueue::Missing() const
{
  std::set<SnapshotId> missing(this->Waiting.begin(), this->Waiting.end());
  for (const auto& [number, why] : this->Failed)
  {
    missing.insert(number);
  }
  if (this->Underway != 0)
  {
    missing.insert(this->Underway);
  }
  return missing;
}

DiskBacklog DiskQueue::Backlog(Time now, const SnapshotTable& snapshots) const
{
  DiskBacklog backlog;
  backlog.Busy = this->IsBusy(now);
  for (const SnapshotId number : this->Missing())
  {
    const auto failed = this->Failed.find(number);
    if (const auto* snapshot = snapshots.Find(number))
    {
      backlog.Files.push_back(
        { *snapshot, failed == this->Failed.end() ? std::string() : failed->second });
    }
  }
  return backlog;
}

}
