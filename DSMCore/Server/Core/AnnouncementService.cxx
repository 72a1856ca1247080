// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/AnnouncementService.h"

#include "Steering/SentArray.h"

#include <algorithm>

namespace dsm
{

AnnouncementService::AnnouncementService(
  CoreState& state, SnapshotTable& snapshots, const SnapshotEvents& events)
  : State(state)
  , Snapshots(snapshots)
  , Events(events)
{
}

namespace
{
// An array for a simulation is none of a stream's files, and viewers are not told of it.
bool IsSentArray(const std::string& fileName)
{
  return fileName.ends_with(SentArraySuffix);
}
}

void AnnouncementService::OnBegun(const ImageBegun& image)
{
  if (IsSentArray(image.FileName))
  {
    return;
  }
  const auto now = this->State.Time.Now;
  this->Timing.Begun(image.Image, image.Owner, image.FileName, image.Source, now);
  this->Groups.Begun(image.Image, image.Writer, image.FileName, now);
  if (image.Writer.Job.empty())
  {
    this->ByAll.insert(image.Image);
  }
}

// A shell is small, or has room for data that are still to be written, or one rank of several has
// made it.
Announcements::Written AnnouncementService::HowWritten(const SnapshotSealed& snapshot) const
{
  constexpr std::uint64_t LargestShell = 64 << 10;
  const auto* const sealed = this->Snapshots.Find(snapshot.Number);
  return sealed && this->ByAll.contains(snapshot.Image) && sealed->FileSize > LargestShell &&
      sealed->Statistics.Bytes >= sealed->FileSize / 2
    ? Announcements::Written::Whole
    : Announcements::Written::MayBeShell;
}

void AnnouncementService::OnSealed(const SnapshotSealed& snapshot)
{
  if (const auto* sealed = this->Snapshots.Find(snapshot.Number);
    sealed && IsSentArray(sealed->FileName))
  {
    this->Snapshots.Hide(snapshot.Number);
    return;
  }
  const auto now = this->State.Time.Now;
  if (snapshot.GoesOn || snapshot.StaysClosed)
  {
    this->Timing.Shown(snapshot.Image, snapshot.Number, now);
  }
  else
  {
    this->Timing.Sealed(snapshot.Image, snapshot.Number, this->HowWritten(snapshot), now);
  }
  if (!snapshot.GoesOn)
  {
    this->ByAll.erase(snapshot.Image);
  }
  if (snapshot.StaysClosed && !snapshot.GoesOn)
  {
    this->Timing.Ended(snapshot.Image, now);
  }
  this->Groups.Sealed(snapshot.Image, snapshot.Number, snapshot.GoesOn);
  this->Snapshots.Hide(snapshot.Number);
}

void AnnouncementService::OnEnded(const ImageEnded& image)
{
  this->ByAll.erase(image.Image);
  this->Timing.Ended(image.Image, this->State.Time.Now);
  this->Groups.Ended(image.Image, image.WasSkipped);
}

void AnnouncementService::OnEvicted(const SnapshotDescription& snapshot)
{
  if (const auto group = this->Groups.Left(snapshot.Number))
  {
    this->ReportIncomplete(*group);
  }
}

void AnnouncementService::ReportIncomplete(const std::string& name)
{
  this->State.Trouble.Report(
    fmt::format("{} is not shown: one of these files had to leave the memory before "
                "all of them were there (raise the memory per host)",
      name));
}

void AnnouncementService::OnPeerLeft(const PeerLeft& left)
{
  this->Groups.Gone(left.Id, this->State.Time.Now);
}

// The next tick announces what this leaves.
void AnnouncementService::AnnounceDue()
{
  if (this->State.IsEnding)
  {
    this->AnnounceAll();
    return;
  }
  if (this->State.Around.Rarely())
  {
    return;
  }
  const auto now = this->State.Time.Now;
  for (const SnapshotId number : this->Timing.TakeDue(now))
  {
    this->Groups.Due(number, now);
  }
  this->Announce(this->Groups.TakeReady(now));
  // Ticks are rarer than the first picture of a program may wait.
  if (const auto next = this->Timing.NextDue(); next && *next != this->Asked)
  {
    this->Asked = *next;
    this->State.Around.TickBy(*next);
  }
}

void AnnouncementService::AnnounceAll()
{
  const auto now = this->State.Time.Now;
  for (const SnapshotId number : this->Timing.TakeAll())
  {
    this->Groups.Due(number, now);
  }
  this->Announce(this->Groups.TakeAll());
}

// A part may have left within this event. The groups hear of that at its end.
bool AnnouncementService::LacksPart(const SnapshotGroups::Group& group) const
{
  return group.Snapshots.size() > 1 &&
    std::ranges::any_of(
      group.Snapshots, [this](SnapshotId number) { return !this->Snapshots.Find(number); });
}

// There is no picture of a file without its group, but it is a file.
void AnnouncementService::Withhold(SnapshotId number)
{
  if (this->Snapshots.Find(number))
  {
    this->Events.Publish(&SnapshotObserver::OnWithheld, this->Snapshots.Described(number));
  }
  this->Snapshots.ReplaceHidden(number);
}

void AnnouncementService::Announce(const std::vector<SnapshotGroups::Group>& groups)
{
  SnapshotTable& table = this->Snapshots;
  for (const SnapshotId number : this->Groups.TakeUseless())
  {
    this->Withhold(number);
  }
  this->Events.Publish(&SnapshotObserver::OnReplaced);
  for (const auto& group : groups)
  {
    if (this->LacksPart(group))
    {
      this->ReportIncomplete(group.Name);
      std::ranges::for_each(group.Snapshots, [this](SnapshotId number) { this->Withhold(number); });
      continue;
    }
    if (group.Snapshots.size() > 1)
    {
      table.Gather(group.Snapshots, group.Name);
    }
    if (group.Missing > 0)
    {
      this->State.Trouble.Report(
        fmt::format("{} is shown with the files of {} processes: those of {} others "
                    "did not come in time",
          group.Name, group.Snapshots.size(), group.Missing));
    }
    const SnapshotId last = *std::max_element(group.Snapshots.begin(), group.Snapshots.end());
    for (const SnapshotId number : group.Snapshots)
    {
      table.Show(number, group.Missing > 0);
    }
    if (table.Find(last))
    {
      this->Events.Publish(
        group.IsExtended ? &SnapshotObserver::OnExtended : &SnapshotObserver::OnAnnounced,
        table.Described(last));
    }
  }
  if (!groups.empty())
  {
    this->Events.Publish(&SnapshotObserver::OnAllAnnounced);
  }
}

}
