// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/Announcements.h"

#include "Base/FileName.h"

#include <algorithm>

namespace dsm
{

namespace
{
// Ranks that open a file together come one after the other: so long one is waited for that will be
// opened again, and what comes later is another matter.
const Seconds Soon(2);

// Nobody knows yet: long enough for a program that does so at once, and short enough for a first
// picture.
const Seconds Unknown(0.2);

// The same for what is no shell: at least so long, for the ranks to come.
const Seconds ShortestUnknown(0.05);

Announcements::Time After(Announcements::Time moment, Seconds wait)
{
  return moment + std::chrono::duration_cast<Clock::duration>(wait);
}
}

void Announcements::Begun(
  ImageId image, const std::string& owner, const std::string& fileName, SnapshotId source, Time now)
{
  std::erase_if(
    this->Snapshots, [&](const auto& recent) { return now - recent.second.SealedAt > Soon; });
  Image begun{ { StreamName(fileName), owner }, source, now };
  const auto before = this->Snapshots.find(source);
  if (before != this->Snapshots.end())
  {
    begun.File = before->second.File;
    ++begun.File.Reopened;
    begun.File.Waited += now - before->second.SealedAt;
    // An older file was opened again more often than this one yet: so may this be.
    std::uint64_t& known = this->Reopenings[begun.File.Stream];
    known = std::max(known, begun.File.Reopened);
  }
  else
  {
    begun.File.Settled = source != 0;
  }
  if (source == 0)
  {
    this->Created(begun.File, now);
  }
  const auto held = this->HeldBack.find(source);
  if (held != this->HeldBack.end())
  {
    ++held->second.Writers;
  }
  this->Images[image] = std::move(begun);
}

// Who goes on with the next file is likely done with the one before.
void Announcements::Created(const History& file, Time now)
{
  if (this->Reopenings.contains(file.Stream))
  {
    return;
  }
  for (auto& [number, held] : this->HeldBack)
  {
    if (held.Waiting && held.Waiting->Stream == file.Stream && held.Waiting->Owner == file.Owner)
    {
      held.Until = std::min(held.Until, now);
    }
  }
}

// How long a file may wait to be opened again.
Seconds Announcements::Patience(const Image& sealed, Written written, Time now) const
{
  const History& file = sealed.File;
  if (file.Settled)
  {
    return Seconds(0);
  }
  const auto known = this->Reopenings.find(file.Stream);
  if (known == this->Reopenings.end())
  {
    return written == Written::Whole
      ? std::clamp(Seconds(now - sealed.BegunAt), ShortestUnknown, Unknown)
      : Unknown;
  }
  return file.Reopened < known->second ? std::max(Soon - file.Waited, Seconds(0)) : Seconds(0);
}

void Announcements::Sealed(ImageId image, SnapshotId snapshot, Written written, Time now)
{
  const auto node = this->Images.extract(image);
  if (!node)
  {
    return;
  }
  const Image& sealed = node.mapped();
  this->HeldBack.erase(sealed.Source);
  const Seconds patience = this->Patience(sealed, written, now);
  Held& held = this->HeldBack[snapshot];
  held.Until = After(now, patience);
  if (patience > Seconds(0))
  {
    held.Waiting = sealed.File;
  }
  this->Snapshots[snapshot] = { sealed.File, now };
}

void Announcements::Shown(ImageId image, SnapshotId snapshot, Time now)
{
  const auto found = this->Images.find(image);
  if (found != this->Images.end())
  {
    this->HeldBack.erase(found->second.Source);
  }
  this->HeldBack[snapshot].Until = now;
}

void Announcements::Ended(ImageId image, Time now)
{
  const auto node = this->Images.extract(image);
  const auto held = node ? this->HeldBack.find(node.mapped().Source) : this->HeldBack.end();
  if (held != this->HeldBack.end() && --held->second.Writers == 0)
  {
    held->second.Until = now;
    held->second.Waiting.reset();
  }
}

std::vector<SnapshotId> Announcements::TakeDue(Time now)
{
  std::vector<SnapshotId> due;
  for (auto next = this->HeldBack.begin(); next != this->HeldBack.end();)
  {
    const auto& [number, held] = *next;
    if (held.Writers > 0)
    {
      ++next;
      continue;
    }
    if (held.Until > now)
    {
      break;
    }
    if (held.Waiting)
    {
      // Nobody came: the next are likely opened again as often as this one, and no more.
      this->Reopenings[held.Waiting->Stream] = held.Waiting->Reopened;
    }
    due.push_back(number);
    next = this->HeldBack.erase(next);
  }
  return due;
}

std::optional<Announcements::Time> Announcements::NextDue() const
{
  const auto first =
    std::ranges::find_if(this->HeldBack, [](const auto& held) { return held.second.Writers == 0; });
  return first != this->HeldBack.end() ? std::optional(first->second.Until) : std::nullopt;
}

std::vector<SnapshotId> Announcements::TakeAll()
{
  std::vector<SnapshotId> all;
  all.reserve(this->HeldBack.size());
  for (const auto& [number, held] : this->HeldBack)
  {
    all.push_back(number);
  }
  this->HeldBack.clear();
  return all;
}

}
