// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/ImageService.h"

#include "Base/Error.h"
#include "Base/Log.h"
#include "Protocol/Peer.h"
#include "Server/Core/RequestRouter.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

namespace dsm
{

namespace
{
// Returns the last snapshot of an image's file: that of its last flush, or what it began as.
SnapshotId LastOfFile(const OpenImage& image)
{
  return image.Shown != 0 ? image.Shown : image.Source;
}
}

ImageService::ImageService(const Parts& parts, std::function<bool()> writesToDisk)
  : Part(parts)
  , WritesToDisk(std::move(writesToDisk))
{
}

void ImageService::RequireTaking() const
{
  if (this->Part.State.IsEnding)
  {
    throw Error(Fault::NoServer, "the DSM server ends, and takes no more files");
  }
}

void ImageService::RequireWriter(const Call& call, ImageId image)
{
  this->Part.Peers.Known(call.Peer()); // says best why a peer that was given up is
  this->Part.Images.RequireOwner(image, call.Peer());
}

void ImageService::Serve(RequestRouter& router)
{
  router.On<BeginImage>(*this);
  router.On<SealImage>(*this);
  router.On<NoteFlush>(*this);
  router.On<DiscardImage>(*this);
  router.On<FinishImage>(*this);
  router.On<PublishImage>(*this);
  router.On<ConfirmCopy>(*this);
}

// ---- Begin.

void ImageService::Handle(const Call& call, const BeginImage& message)
{
  this->RequireTaking();
  Peer& peer = this->Part.Peers.Known(call.Peer());
  if (peer.Role() != PeerRole::Writer && peer.Role() != PeerRole::Archive)
  {
    this->Part.Peers.BecomeWriter(peer);
    this->Part.Waiting.WakeAll();
  }
  this->Part.Presence.RequireAll(" and takes no more data");
  if (message.Locks)
  {
    // The writer is refused at once, although other writers wait for memory.
    this->RequireLockable(this->FileOf(message), message.IsNew);
  }
  this->Part.Allocations.TryOrWait(call,
    [this, wanted = Wanted<BeginImage>{ call, message, this->Part.State.Time.Now }]
    { return this->TryBegin(wanted); });
}

bool ImageService::TryBegin(const Wanted<BeginImage>& wanted)
{
  const auto& [call, message, since] = wanted;
  const FileLocks::File file = this->FileOf(message);
  if (message.Locks)
  {
    this->RequireLockable(file, message.IsNew);
    if (this->Part.Locks.HolderOf(file) != 0)
    {
      return false;
    }
  }
  SnapshotTable& table = this->Part.Images.Snapshots();
  const SnapshotId copyOf = this->SourceOf(message, file);
  std::optional<SnapshotId> source;
  if (copyOf != 0)
  {
    if (!table.Find(copyOf))
    {
      table.ThrowNone(std::to_string(copyOf));
    }
    source = copyOf;
  }
  Peer& peer = this->Part.Peers.Known(call.Peer());
  const SnapshotGroups::Writer writer = this->WriterOf(call.Peer(), message.Ranks);
  const auto granted = this->Part.Images.Begin({ .Owner = call.Peer(),
    .FileName = message.File,
    .Source = source,
    .Key = this->Part.State.Around.RandomNumber(),
    .HasOthers = this->Part.Announcer.WouldJoin(writer, message.File).HasOthers,
    .Clears = message.Clears,
    .Ranks = message.Ranks,
    .MayOutgrow = this->MayOutgrow(peer.Process, message.File) });
  if (!granted)
  {
    return false;
  }
  // A copy of a placeholder may have been written over the file's newer one.
  const SnapshotId base = copyOf == 0 ? SnapshotId(0) : std::max(copyOf, this->NewestOf(file));
  this->Part.Locks.Enter(granted->Image, file, base, message.Locks);
  try
  {
    if (const auto* opened = source ? table.Find(*source) : nullptr)
    {
      this->Part.Runs.NoteOpened(peer, *opened);
    }
    this->NoteBegun(message, peer, { granted->Image, call.Peer(), writer, message.File, copyOf });
  }
  catch (...)
  {
    // The table of slots counts on this work. Whoever gets one of these slots next relies on it.
    this->Part.Hosts.Submit(granted->BeforeWriting);
    this->TakeBack(*granted);
    throw;
  }
  this->Part.Hosts.Submit(granted->BeforeWriting,
    [this, wanted, granted = *granted](const TaskFailure& failure)
    { this->Grant(wanted, granted, failure); });
  this->Part.Announcer.AnnounceDue(); // the writer does not wait for this
  return true;
}

void ImageService::NoteBegun(const BeginImage& message, const Peer& writer, const ImageBegun& begun)
{
  if (message.Ranks > 1)
  {
    this->Part.Growth.Watch(begun.Image);
  }
  this->Part.Settings.NoteImageBegun();
  this->Part.Preallocation.NoteBegun();
  this->Part.Runs.Enter(writer, begun.Image, message.File, begun.Source != 0);
  this->Part.Events.Publish(&SnapshotObserver::OnBegun, begun);
}

void ImageService::ReleaseSource(const ImageManager::Granted& granted)
{
  if (granted.Source)
  {
    this->Part.Images.Snapshots().Release(granted.Source->Number, true);
  }
}

// Nobody has written to the image.
void ImageService::TakeBack(const ImageManager::Granted& granted)
{
  this->ReleaseSource(granted);
  this->Part.Hosts.Submit(this->Part.Images.Undo(granted.Image));
  this->EndWithoutSnapshot({ granted.Image });
}

FileLocks::File ImageService::FileOf(const BeginImage& message) const
{
  const NameThere& there = message.OnDisk;
  const auto put = there.Mark ? this->Part.Disk.WrittenAs(*there.Mark) : std::nullopt;
  const SnapshotId before = there.Before != 0 ? there.Before : message.CopyOf;
  // Another program may have closed a version, or a killed one may have left it, while this writer
  // waited for the lock. The writer has not seen that version.
  const SnapshotId known = before != 0 ? before : this->Part.Locks.NewestOf(there.File);
  const SnapshotId family = known == 0 ? SnapshotId(0) : this->Part.Disk.FamilyOf(known);
  return { there.File, message.File, put ? put->Family : family, put.has_value() };
}

// The newest snapshot of a file; 0 if there is none.
SnapshotId ImageService::NewestOf(const FileLocks::File& file) const
{
  const SnapshotTable& table = this->Part.Images.Snapshots();
  const auto numberOf = [](const SnapshotDescription* snapshot)
  { return snapshot ? snapshot->Number : SnapshotId(0); };
  if (file.Identity.empty())
  {
    return numberOf(table.NewestNamed(file.Name));
  }
  const SnapshotId ofFamily =
    file.IsPutByServer ? numberOf(table.NewestOfFamily(file.Family)) : SnapshotId(0);
  return std::max(ofFamily, this->Part.Locks.NewestOf(file.Identity));
}

// Returns what an image begins as. The writer has looked at the name before it asked. If another
// writer has closed the file since, its version must not be lost. A version of another family is
// not what the writer has seen: a copy of another file's placeholder was written over the file.
SnapshotId ImageService::SourceOf(const BeginImage& message, const FileLocks::File& file) const
{
  const SnapshotId newest = message.CopyOf == 0 ? SnapshotId(0) : this->NewestOf(file);
  const auto familyOf = [this](SnapshotId number) { return this->Part.Disk.FamilyOf(number); };
  const bool isOfFile = file.Identity.empty() || familyOf(newest) == familyOf(message.CopyOf);
  return newest > message.CopyOf && isOfFile ? newest : message.CopyOf;
}

// The error has HDF5's words for a locked file, where programs look for the number. If the holder's
// process has ended, the lock is about to be free: the server is to hear of that soon, and a job
// may go on right after a crash, as on disk.
void ImageService::RequireLockable(const FileLocks::File& file, bool isNew) const
{
  const ImageId holder = this->Part.Locks.HolderOf(file);
  if (holder == 0)
  {
    // A file without a name on disk is known by its name alone, and nothing there refuses a second
    // program that creates it.
    const auto made =
      file.Identity.empty() ? this->NewestOf(file) : this->Part.Locks.NewestOf(file.Identity);
    if (isNew && made != 0)
    {
      throw Error(Fault::Usage,
        "unable to lock {}: another program has opened and closed it since this one has created it "
        "(errno = {}, error message = '{}')",
        file.Name, EAGAIN, std::strerror(EAGAIN));
    }
    return;
  }
  const PeerId* const notKept = this->Part.Locks.WriterOfNotKept(holder);
  const PeerId& owner = notKept ? *notKept : this->Part.Images.Image(holder).Owner;
  if (!this->Part.Peers.HasEnded(owner))
  {
    throw Error(Fault::Usage,
      "unable to lock {}: {} has it open for writing (errno = {}, error message = '{}'). Try again "
      "when it is closed, or set HDF5_USE_FILE_LOCKING=FALSE",
      file.Name, PeerText(this->Part.Peers.Known(owner).Process), EAGAIN, std::strerror(EAGAIN));
  }
}

// Without locks, another image may have begun as the same snapshot, and become the next one first.
void ImageService::RequireNewestBase(ImageId image) const
{
  const SnapshotId base = this->Part.Locks.BaseOf(image);
  const FileLocks::File* const file = this->Part.Locks.FileOf(image);
  const SnapshotId newest = base != 0 && file ? this->NewestOf(*file) : SnapshotId(0);
  if (newest > base)
  {
    throw Error(Fault::Refused,
      "cannot save what was written into {}: the program began with snapshot {}, and another one "
      "has changed the file since (snapshot {}). Let one program write at a time, or do not turn "
      "HDF5's file locking off",
      file->Name, base, newest);
  }
}

// A file that all processes of a job write together is not a part of others. A process that writes
// such a file may write one of its own as well, over the same channel.
SnapshotGroups::Writer ImageService::WriterOf(const PeerId& id, std::uint64_t ranks)
{
  const PeerDescription& process = this->Part.Peers.Known(id).Process;
  const bool isPart = 0 < ranks && ranks < process.JobProcesses;
  return isPart
    ? SnapshotGroups::Writer{ id, process.Job, process.JobProcesses / ranks, ranks == 1 }
    : SnapshotGroups::Writer{ id, {}, 1 };
}

// If memory is short, files that are to be on disk as well continue there. All hosts must see their
// folder, as they must for that in any case.
bool ImageService::MayOutgrow(const PeerDescription& writer, const std::string& fileName) const
{
  const KeepRule& rule = this->Part.Disk.Rule();
  return this->Part.State.Description.DiskSize != 0 && this->WritesToDisk() && !rule.IsNone() &&
    rule.MayKeep(fileName, this->Part.Runs.StreamOf(writer, fileName));
}

// The slot is clean: the writer may begin.
void ImageService::Grant(const Wanted<BeginImage>& wanted, const ImageManager::Granted& granted,
  const TaskFailure& failure)
{
  const Call& call = wanted.From;
  ImageManager& images = this->Part.Images;
  const auto found = images.OpenImages().find(granted.Image);
  const bool writerIsHere = found != images.OpenImages().end() && this->Part.Peers.Has(call.Peer());
  if (granted.Moved && images.Snapshots().Find(granted.Moved->Number))
  {
    this->Part.Events.Publish(&SnapshotObserver::OnMoved, *granted.Moved);
  }
  if (!writerIsHere)
  {
    this->ReleaseSource(granted);
    return;
  }
  // Another image may have needed memory meanwhile that could not be had in any other way.
  const bool isWithoutSource = granted.Source && !images.Snapshots().Find(granted.Source->Number);
  if (failure.LacksMemory || (failure.IsEmpty() && isWithoutSource))
  {
    // For the next attempt, snapshots are evicted, or another one is the source, if there is any.
    this->TakeBack(granted);
    this->Part.Allocations.TryAgain(
      call.Peer(), wanted.Since, [this, wanted] { return this->TryBegin(wanted); },
      [call](const std::exception& error) { call.Refuse(error); });
    return;
  }
  if (!failure.IsEmpty())
  {
    this->ReleaseSource(granted);
    this->Drop(granted.Image, failure.Why);
    call.Refuse(Error(Fault::System, "{}", failure.Why));
    return;
  }
  const auto& image = found->second;
  images.ConfirmGrant(granted.Image, image.Grant);
  this->Part.Growth.TellGrant(granted.Image);
  ImageGranted reply;
  reply.Image = { granted.Image, image.Slot, image.Generation, image.Map.Parameters(), image.Grant,
    image.Key, image.Stale, image.Foreseen, image.IsInPlace ? image.Begins : 0,
    image.MayOutgrow ? this->Part.State.Description.DiskSize / DiskWindows::Count : 0 };
  if (granted.Source)
  {
    const auto lease = this->Part.Leases.Inherit(call.Peer(), granted.Source->Number);
    reply.Source = LeasedSnapshot{ lease, *granted.Source };
  }
  reply.CopyOf = image.Source;
  this->Part.Settings.AnnounceServer(call.Peer());
  call.Reply(reply);
  if (this->Part.Growth.IsWatched(granted.Image))
  {
    this->Part.State.Around.WatchMemory(); // its other ranks may have no bell
  }
}

// ---- Seal.

void ImageService::Handle(const Call& call, const SealImage& message)
{
  this->RequireTaking();
  this->RequireWriter(call, message.Image);
  const auto& image = this->Part.Images.Image(message.Image);
  const std::string file = image.FileName;
  // This server was stopped, or had no time, and the writer has given up waiting. The image stays
  // as it is, because the writer may be reading it, until the writer discards it or leaves.
  if (const double late = this->Part.State.Time.Steady() - message.Until; late > 0)
  {
    throw Error(Fault::TimedOut,
      "the DSM server was asked to make {} a snapshot and got to it {:.1f} s too late: its writer "
      "had given up waiting",
      file, late);
  }
  this->RequireNewestBase(message.Image);
  // From now on the writer cannot give it up any more.
  if (!this->Part.Slots.DecideSealed(image.Slot, image.Generation))
  {
    throw Error(Fault::TimedOut, "the writer of {} had given up waiting for its snapshot", file);
  }
  this->EnterName(message.Image, message.OnDisk);
  const SnapshotId before = LastOfFile(image);
  const auto sealed = this->Part.Images.Seal({ .Image = message.Image,
    .Size = message.Size,
    .Reach = message.Reach,
    .Statistics = message.Statistics,
    .SealedAt = this->Part.State.Time.Wall,
    .Group = this->Part.Announcer.WillJoin(message.Image).Number,
    .MayKeepOnDisk = this->Part.Disk.Rule().MayKeep(file, image.Place.Stream) });
  this->Part.Hosts.Submit(sealed.Clearing);
  if (sealed.Number == 0)
  {
    Log().info("{} was not kept: the ring is full of unread snapshots", file);
    this->Part.Locks.NoteNotKept(message.Image, call.Peer());
    this->PublishEnded({ message.Image, true });
  }
  else
  {
    if (message.OnDisk.IsThere)
    {
      this->LastOf[call.Peer()] = { file, message.Image, before, sealed.Number, message.Size };
    }
    this->EnterWhole(sealed.Number, message.OnDisk);
    const bool isRestored = this->Part.Peers.Known(call.Peer()).Role() == PeerRole::Archive;
    this->Announce({ message.Image, sealed.Number, false, isRestored });
  }
  this->Part.Settings.AnnounceServer(call.Peer());
  call.Reply(Sealed{ sealed.Number });
  this->Part.Allocations.Retry();
  this->Part.Preallocation.NoteSealed(file);
}

// What is left on disk under an image's name. What it was begun as a copy of was there before.
void ImageService::EnterName(ImageId image, const NameLeft& name)
{
  const SnapshotId before =
    name.Before != 0 ? name.Before : LastOfFile(this->Part.Images.Image(image));
  this->Part.Images.NoteAccess(image, name.Access);
  if (name.IsThere)
  {
    this->Part.Images.NoteNamed(image, this->FamilyOf(image, before));
  }
}

// The server must not put on disk what the writer has put there itself.
void ImageService::EnterWhole(SnapshotId number, const NameLeft& name)
{
  const auto* const snapshot = this->Part.Images.Snapshots().Find(number);
  if (name.IsWhole && snapshot)
  {
    this->Part.Disk.EnterWhole(*snapshot);
  }
}

// Returns the family of an image that has a name on disk.
SnapshotId ImageService::FamilyOf(ImageId image, SnapshotId before) const
{
  if (before != 0)
  {
    return this->Part.Disk.FamilyOf(before);
  }
  const FileLocks::File* const begun = this->Part.Locks.FileOf(image);
  return begun ? begun->Family : SnapshotId(0);
}

// Makes readers of the version before ask the server. The placeholder leads them to that version
// until the writer has entered a newer one.
void ImageService::CloseBase(ImageId image)
{
  const auto* const before = this->Part.Images.Snapshots().Find(this->Part.Locks.BaseOf(image));
  if (before && !before->Shared)
  {
    this->Part.Slots.CloseSlot(before->Slot);
  }
}

void ImageService::Announce(const SnapshotSealed& snapshot)
{
  this->CloseBase(snapshot.Image);
  const auto* const sealed = this->Part.Images.Snapshots().Find(snapshot.Number);
  this->Part.Locks.NoteVersion(
    snapshot.Image, snapshot.Number, sealed ? sealed->Family : SnapshotId(0));
  if (!snapshot.GoesOn)
  {
    this->Part.Locks.Release(snapshot.Image);
  }
  this->Part.Events.Publish(&SnapshotObserver::OnSealed, snapshot);
  this->Part.Announcer.AnnounceDue();
}

// ---- Flushes.

void ImageService::Handle(const Call& call, const PublishImage& message)
{
  this->RequireTaking();
  this->RequireWriter(call, message.Image);
  this->Part.Presence.RequireAll(", and with it a part of the file being written");
  this->Part.Images.DiscardCopies(message.Image);
  this->Part.Allocations.TryOrWait(call,
    [this, wanted = Wanted<PublishImage>{ call, message, this->Part.State.Time.Now }]
    { return this->TryPublish(wanted); });
}

bool ImageService::TryPublish(const Wanted<PublishImage>& wanted)
{
  const auto& [call, message, since] = wanted;
  const auto published = this->Part.Images.Publish(message.Image, message.Size, message.Changing,
    message.Statistics, this->Part.Announcer.WillJoin(message.Image).HasOthers);
  if (!published)
  {
    return false;
  }
  if (published->Copy == 0)
  {
    if (published->FirstSkipped)
    {
      this->Part.State.Trouble.Report(published->Skipped);
    }
    call.Reply(Published{ 0, published->Skipped });
    return true;
  }
  this->Part.Hosts.Submit(published->Copying,
    [this, wanted, slot = published->Copying.Slot, copy = published->Copy](
      const TaskFailure& failure)
    {
      const Call& asked = wanted.From;
      if (!this->Part.Images.IsAwaited(copy))
      {
        return; // its writer has left, or has given up waiting
      }
      if (failure.IsEmpty())
      {
        asked.Reply(Published{ copy, {} });
        return;
      }
      this->Part.Images.DiscardCopies(wanted.What.Image);
      this->Part.Hosts.Cool(slot);
      if (failure.LacksMemory)
      {
        this->Part.Allocations.TryAgain(
          asked.Peer(), wanted.Since, [this, wanted] { return this->TryPublish(wanted); },
          [asked](const std::exception& error) { asked.Refuse(error); });
        return;
      }
      asked.Refuse(Error(Fault::System, "{}", failure.Why));
    });
  return true;
}

void ImageService::Handle(const Call& call, const ConfirmCopy& message)
{
  this->RequireTaking();
  this->RequireWriter(call, message.Image);
  this->RequireNewestBase(message.Image);
  this->EnterName(message.Image, message.OnDisk);
  const auto sealed = this->Part.Images.Confirm(message.Image, message.Copy,
    this->Part.State.Time.Wall, this->Part.Announcer.WillJoin(message.Image).Number);
  this->Part.Runs.NoteShown(this->Part.Peers.Known(call.Peer()), message.Image);
  this->Announce({ message.Image, sealed.Number, true, false });
  this->Part.Settings.AnnounceServer(call.Peer());
  call.Reply(Sealed{ sealed.Number });
  this->Part.Allocations.Retry();
}

void ImageService::Handle(const Call& call, const NoteFlush& message)
{
  this->RequireWriter(call, message.Image);
  this->EnterName(message.Image, message.OnDisk);
  this->Part.Images.NoteFlushed(message.Image, message.Size);
  this->CloseBase(message.Image); // the writer may be killed at any time from now on
  call.Reply(Nothing());
}

// ---- Ends without a close.

// A file on disk has what its writer has flushed when that ends without closing it. So has this:
// the bytes that were written since are there as well, as they would be on disk.
void ImageService::EndUnfinished(ImageId image, const std::string& why)
{
  const auto& open = this->Part.Images.Image(image);
  const std::string file = open.FileName;
  const std::uint64_t size = this->FlushedSize(image);
  if (size == 0 || !this->Part.Slots.Disown(open.Slot, open.Generation))
  {
    this->TellUnfinished(image, file);
    this->Drop(image, why);
    return;
  }
  this->Part.State.Trouble.Report(
    fmt::format("{} was not closed: {}. It is kept as it was last flushed", file, why));
  this->Part.Hosts.Submit(this->Part.Images.Disown(image, size),
    [this, image, size](const TaskFailure& failure)
    {
      if (!this->Part.Images.OpenImages().contains(image))
      {
        return;
      }
      if (failure.IsEmpty())
      {
        this->SealFlushed(image, size);
      }
      else
      {
        this->Drop(image, failure.Why);
      }
      this->Part.Allocations.Retry();
      this->Part.Waiting.WakeAll();
    });
}

bool ImageService::IsEndingUnfinished() const
{
  return std::ranges::any_of(
    this->Part.Images.OpenImages(), [](const auto& image) { return image.second.Owner.empty(); });
}

// Returns 0 if the image has no flush that no snapshot shows.
std::uint64_t ImageService::FlushedSize(ImageId image) const
{
  const auto& open = this->Part.Images.Image(image);
  if (this->Part.Slots.WentAlone(open.Slot, open.Generation))
  {
    return 0;
  }
  const std::uint64_t noted = this->Part.Slots.Flushed(open.Slot, open.Generation);
  const std::uint64_t size = noted != 0 ? noted : open.FlushedSize;
  return size <= open.Map.Capacity() ? size : 0;
}

// Nobody can write to the image any more.
void ImageService::SealFlushed(ImageId image, std::uint64_t size)
{
  const auto& open = this->Part.Images.Image(image);
  const std::string file = open.FileName;
  const SnapshotId before = LastOfFile(open);
  this->Part.Slots.DecideSealed(open.Slot, open.Generation);
  // Its placeholder stays on disk, so the snapshot is a state of what has the name.
  const FileLocks::File* const begun = this->Part.Locks.FileOf(image);
  if (begun && !begun->Identity.empty())
  {
    this->Part.Images.NoteNamed(image, this->FamilyOf(image, before));
  }
  const auto sealed = this->Part.Images.Seal({ .Image = image,
    .Size = size,
    .Reach = size,
    .SealedAt = this->Part.State.Time.Wall,
    .Group = this->Part.Announcer.WillJoin(image).Number,
    .MayKeepOnDisk = this->Part.Disk.Rule().MayKeep(file, open.Place.Stream) });
  this->Part.Hosts.Submit(sealed.Clearing);
  if (sealed.Number == 0)
  {
    this->TellUnfinished(image, file);
    this->Part.State.Trouble.Report(
      fmt::format("{} was not kept: the ring is full of unread snapshots", file));
    this->EndWithoutSnapshot({ image, true });
    return;
  }
  this->FileLeft({ file, image, before, sealed.Number, size });
  this->Announce({ image, sealed.Number, false, true });
}

// The name shows what the file was before: not what another file was that had the name.
void ImageService::TellUnfinished(ImageId image, const std::string& file) const
{
  const FileLocks::File* const begun = this->Part.Locks.FileOf(image);
  const auto* newest =
    this->Part.Images.Snapshots().Find(begun ? this->NewestOf(*begun) : SnapshotId(0));
  this->FileLeft(
    { file, image, 0, newest ? newest->Number : SnapshotId(0), newest ? newest->FileSize : 0 });
}

// ---- Ends without another snapshot.

// The file is closed, and there is no other snapshot: its last flush shows all there is, or the
// server has not kept it.
void ImageService::Handle(const Call& call, const FinishImage& message)
{
  if (const PeerId* const writer = this->Part.Locks.WriterOfNotKept(message.Image);
    writer && *writer == call.Peer())
  {
    this->ReleaseNotKept(message.Image);
    call.Reply(Nothing());
    this->Part.Allocations.Retry();
    return;
  }
  this->RequireWriter(call, message.Image);
  this->EnterWhole(LastOfFile(this->Part.Images.Image(message.Image)), message.OnDisk);
  this->Part.Hosts.Submit(this->Part.Images.Finish(message.Image, message.Reach));
  this->EndWithoutSnapshot({ message.Image });
  call.Reply(Nothing());
  this->Part.Waiting.WakeAll();
  this->Part.Allocations.Retry();
}

void ImageService::Handle(const Call& call, const DiscardImage& message)
{
  if (this->Part.Images.OpenImages().contains(message.Image))
  {
    this->RequireWriter(call, message.Image);
    if (message.KeepsFlush)
    {
      this->EndUnfinished(message.Image, message.Why);
    }
    else
    {
      this->Drop(message.Image, message.Why);
    }
    this->Part.Allocations.Retry();
    this->Part.Waiting.WakeAll();
  }
}

void ImageService::Drop(ImageId image, const std::string& why)
{
  const auto& dropped = this->Part.Images.Image(image);
  const std::string text =
    fmt::format("the unfinished file {} was discarded: {}", dropped.FileName, why);
  const bool wentAlone = this->Part.Slots.WentAlone(dropped.Slot, dropped.Generation);
  this->TellIfGone(image, dropped.FileName);
  const auto work = this->Part.Images.Drop(image, text, wentAlone);
  this->EndWithoutSnapshot({ image });
  this->Part.State.Trouble.Report(text);
  this->Part.Hosts.Submit(work);
}

void ImageService::TellIfGone(ImageId image, const std::string& name) const
{
  const FileLocks::File* const file = this->Part.Locks.FileOf(image);
  const SnapshotId before = file ? this->Part.Locks.NewestOf(file->Identity) : SnapshotId(0);
  if (before != 0 && !this->Part.Images.Snapshots().Find(before))
  {
    this->GoneIsShown(name, before);
  }
}

void ImageService::EndWithoutSnapshot(const ImageEnded& image)
{
  this->Part.Locks.Release(image.Image);
  this->PublishEnded(image);
}

void ImageService::PublishEnded(const ImageEnded& image)
{
  this->Part.Events.Publish(&SnapshotObserver::OnEnded, image);
  this->Part.Announcer.AnnounceDue();
}

// The file's name shows what it showed before the image, so others may write the file.
void ImageService::ReleaseNotKept(ImageId image)
{
  this->Part.Locks.Release(image);
  this->Part.Waiting.WakeAll();
}

void ImageService::OnPeerLeft(const PeerLeft& left)
{
  if (const auto last = this->LastOf.extract(left.Id); last && left.IsLost)
  {
    this->FileLeft(last.mapped()); // it may have ended before it could say so on disk
  }
  for (const ImageId image : this->Part.Locks.NotKeptBy(left.Id))
  {
    this->TellUnfinished(image, this->Part.Locks.FileOf(image)->Name);
    this->ReleaseNotKept(image);
  }
  for (const ImageId image : this->Part.Images.ImagesOf(left.Id))
  {
    this->EndUnfinished(
      image, fmt::format("{} {} before it closed the file", PeerText(left.Who.Process), left.How));
  }
}

}
