// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/ReadService.h"

#include "Base/Error.h"
#include "Protocol/Peer.h"
#include "Server/Core/RequestRouter.h"
#include "Server/Core/StreamBook.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <string>
#include <utility>

namespace dsm
{

namespace
{
// How many snapshots a peer may wait for at once, and for how many seconds.
constexpr std::ptrdiff_t MostAwaited = 64;
constexpr double LongestAwait = 1e6;
}

void ReadService::Serve(RequestRouter& router)
{
  router.On<OpenSnapshot>(*this);
  router.On<OpenForRank>(*this);
  router.On<CloseForRank>(*this);
  router.On<LocateSnapshot>(*this);
  router.On<HoldSnapshots>(*this);
  router.On<CloseSnapshot>(*this);
  router.On<FindOnDisk>(*this);
  router.On<ListSnapshots>(*this);
  router.On<DeleteFile>(*this);
  router.On<RenameFile>(*this);
  router.On<TakeSnapshot>(*this);
  router.On<DropSnapshot>(*this);
  router.On<AwaitSnapshot>(*this);
}

// ---- Leases.

void ReadService::Handle(const Call& call, const OpenSnapshot& message)
{
  this->RequireRoom(call.Peer(), this->Part.Peers.Known(call.Peer()));
  this->TryOrWait(call, call.Peer(), [this, call, message, lease = this->Part.Leases.NextNumber()]
    { return this->TryOpen(call, call.Peer(), lease, message); });
}

void ReadService::Handle(const Call& call, const OpenForRank& message)
{
  const Peer& peer = this->Part.Peers.Speaking(message.Speaker);
  if (message.Lease < HoldSnapshots::FirstLease)
  {
    throw Error(Fault::Refused, "the number of a rank's lease is one of the server's own");
  }
  if (!this->Part.Leases.Find(message.Speaker, message.Lease))
  {
    this->RequireRoom(message.Speaker, peer);
  }
  this->TryOrWait(call, message.Speaker, [this, call, message]
    { return this->TryOpen(call, message.Speaker, message.Lease, message.Wanted); });
}

void ReadService::Handle(const Call& call, const CloseForRank& message)
{
  this->Part.Peers.Speaking(message.Speaker);
  this->Part.Leases.End(message.Speaker, message.Lease);
  call.Reply(Nothing());
}

void ReadService::Handle(const Call& call, const FindOnDisk& message)
{
  this->TryOrWait(
    call, call.Peer(), [this, call, message] { return this->TryFind(call, message); });
}

// Returns true if the writer has ended, of which the server is to hear soon. What that writer has
// flushed becomes the file's newest version then. On disk it is that at once.
bool ReadService::IsWriterEnding(ImageId image) const
{
  const auto found = this->Part.Images.OpenImages().find(image);
  const PeerId* const writer = found != this->Part.Images.OpenImages().end()
    ? &found->second.Owner
    : this->Part.Locks.WriterOfNotKept(image);
  return writer && this->Part.Peers.HasEnded(*writer);
}

ImageId ReadService::WriterOf(const OpenSnapshot& message) const
{
  if (message.Unfinished)
  {
    // The placeholder may name another version by now, of which its writer has ended as well.
    const UnfinishedFile& file = *message.Unfinished;
    const ImageId holder =
      this->Part.Locks.HolderOf({ file.Identity, {}, this->Part.Disk.FamilyOf(file.Before), true });
    return holder != 0 ? holder : file.Image;
  }
  return message.Number && !message.Identity.empty()
    ? this->Part.Locks.HolderOf(
        { message.Identity, {}, this->Part.Disk.FamilyOf(*message.Number), true })
    : ImageId(0);
}

ImageId ReadService::WriterOf(const FindOnDisk& message) const
{
  const auto put = this->Part.Disk.WrittenAs(message.There);
  return put ? this->Part.Locks.HolderOf({ {}, {}, put->Family, true }) : ImageId(0);
}

void ReadService::TryOrWait(const Call& call, const PeerId& reader, const Attempt& attempt)
{
  if (!attempt())
  {
    this->Openers.push_back({ call, reader, attempt });
  }
}

bool ReadService::TryOpen(
  const Call& call, const PeerId& id, std::uint64_t lease, const OpenSnapshot& message)
{
  if (this->IsWriterEnding(this->WriterOf(message)))
  {
    return false;
  }
  // A rank may have asked before.
  const auto* const leased = this->Part.Leases.Find(id, lease);
  call.Reply(LeasedSnapshot{
    lease, leased ? *leased : this->Lease(id, this->Part.Peers.Known(id), lease, message) });
  return true;
}

bool ReadService::TryFind(const Call& call, const FindOnDisk& message) const
{
  if (this->IsWriterEnding(this->WriterOf(message)))
  {
    return false;
  }
  call.Reply(this->Part.Disk.Find(message));
  return true;
}

bool ReadService::Serve(const Opener& opener)
{
  try
  {
    return opener.Try();
  }
  catch (const std::exception& error)
  {
    opener.Request.Refuse(error);
    return true;
  }
}

// Leases a snapshot by that number.
const SnapshotDescription& ReadService::Lease(
  const PeerId& id, Peer& peer, std::uint64_t number, const OpenSnapshot& message)
{
  OpenSnapshot wanted = message;
  if (message.Unfinished)
  {
    wanted.Number = this->FindNewestOf(*message.Unfinished);
    this->RequireInRing(*wanted.Number);
    if (wanted.Number == SnapshotId(0))
    {
      this->RequireOpen(message.Unfinished->Image, message.File);
    }
  }
  else if (message.Number && !message.Identity.empty())
  {
    wanted.Number = this->FindNewestBehind(*message.Number, message.Identity);
    if (wanted.Number != message.Number)
    {
      this->RequireInRing(*wanted.Number);
    }
  }
  const SnapshotDescription& snapshot =
    this->Part.Leases.Open(id, number, wanted, !peer.Guest.empty());
  if (!message.Peek)
  {
    this->Part.Runs.NoteOpened(peer, snapshot);
  }
  if (!message.Spare)
  {
    this->WatchMemoryFor(peer);
  }
  return snapshot;
}

// Returns the newest snapshot of a file that is being written, or that a killed writer has left. If
// the image was begun behind a version that its writer had not seen, only the table of locks knows
// that version.
SnapshotId ReadService::FindNewestOf(const UnfinishedFile& file) const
{
  const FileLocks::File* const begun = this->Part.Locks.FileOf(file.Image);
  SnapshotId number = this->Part.Disk.NewestOfImage(file.Image);
  if (number == 0)
  {
    number = this->Part.Disk.NewestOf(this->Part.Disk.FamilyOf(file.Before));
  }
  if (number == 0)
  {
    number = this->Part.Locks.NewestOf(begun ? begun->Identity : file.Identity);
  }
  return number;
}

// Returns the newest version of the file whose placeholder names that snapshot. A copy of the
// placeholder is another file.
SnapshotId ReadService::FindNewestBehind(SnapshotId number, const std::string& identity) const
{
  const DiskBook& disk = this->Part.Disk;
  const SnapshotId newest = this->Part.Locks.NewestOf(identity);
  return newest > number && disk.FamilyOf(newest) == disk.FamilyOf(number) ? newest : number;
}

void ReadService::RequireInRing(SnapshotId number) const
{
  if (number != 0 && !this->Table().Find(number))
  {
    throw Error(Fault::Gone,
      "snapshot {} has left the DSM server's ring to make room, and the file is being written: "
      "keep "
      "more snapshots (more memory per host), or read it when it is closed",
      number);
  }
}

// The program that asks may have read the placeholder before its writer ended.
void ReadService::RequireOpen(ImageId image, const std::string& file) const
{
  if (!this->Part.Images.OpenImages().contains(image))
  {
    throw Error(Fault::Gone, "{} {}", file, PlaceholderEnd(PlaceholderState::Unfinished));
  }
}

// A guest's own description does not count.
void ReadService::RequireRoom(const PeerId& id, const Peer& peer) const
{
  this->Part.Leases.RequireRoom(id, peer.Guest.empty() ? peer.Process.Ranks : 1);
}

// The other ranks of a peer that has a snapshot open may have no bell.
void ReadService::WatchMemoryFor(const Peer& peer) const
{
  if (peer.Process.Ranks > 1)
  {
    this->Part.State.Around.WatchMemory();
  }
}

// A rank without a channel asks as well.
void ReadService::Handle(const Call& call, const LocateSnapshot& message)
{
  if (call.HasPeer())
  {
    this->Part.Peers.Known(call.Peer());
  }
  const SnapshotDescription* const snapshot = this->Table().Find(message.Number);
  if (!snapshot)
  {
    this->Table().ThrowNone(std::to_string(message.Number));
  }
  call.Reply(*snapshot);
}

// Does nothing if a snapshot has left the ring or the peer has too many: the peer sees for itself
// whether it has the bytes.
void ReadService::Handle(const Call& call, const HoldSnapshots& message)
{
  Peer& peer = this->Part.Peers.Known(call.Peer());
  const bool isGuest = !peer.Guest.empty();
  SnapshotTable& table = this->Table();
  const auto noteOpened = [&](SnapshotId number)
  {
    if (const auto* opened = table.Find(number))
    {
      this->Part.Runs.NoteOpened(peer, *opened);
    }
  };
  std::ranges::for_each(message.Read, noteOpened);
  for (const SnapshotHold& hold : message.Begun)
  {
    if (!hold.Peek)
    {
      noteOpened(hold.Number);
    }
    this->Part.Leases.Enter(call.Peer(), hold.Lease, { hold.Number, hold.Peek || isGuest });
    if (hold.Entered && *hold.Entered < this->Part.State.Description.SlotCount)
    {
      this->Part.Slots.NoteReader(*hold.Entered);
    }
    this->WatchMemoryFor(peer);
  }
  for (const SnapshotId number : message.Read)
  {
    if (!isGuest && table.Find(number))
    {
      table.Retain(number);
      table.Release(number, true);
    }
  }
  for (const std::uint64_t lease : message.Ended)
  {
    this->Part.Leases.End(call.Peer(), lease);
  }
  if (!message.Read.empty() || !message.Ended.empty())
  {
    // Writers that wait for room go on also when what they wait for is read.
    this->Part.Allocations.Retry();
  }
}

void ReadService::Handle(const Call& call, const CloseSnapshot& message)
{
  this->Part.Peers.Known(call.Peer()); // says best why a peer that was given up is
  this->Part.Leases.End(call.Peer(), message.Lease);
  this->Part.Allocations.Retry();
}

void ReadService::EndLateReads()
{
  if (this->Part.Leases.EndLate())
  {
    this->Part.Allocations.Retry();
  }
}

// ---- Lists and names.

std::vector<SnapshotDescription> ReadService::Listed(bool hiddenToo) const
{
  auto all = hiddenToo ? this->Table().All() : this->Table().Shown();
  for (SnapshotDescription& snapshot : all)
  {
    snapshot.Shared.reset();
  }
  return all;
}

// All, or those of a name or number. If the peer wants that, the newest of them is kept for it.
void ReadService::Handle(const Call& call, const ListSnapshots& message)
{
  SnapshotList list;
  if (message.Number != 0 && message.HiddenToo && this->Table().Find(message.Number))
  {
    list.Snapshots = { this->Table().Described(message.Number) };
    list.Snapshots.front().Shared.reset();
  }
  else
  {
    list.Snapshots = this->Listed(message.HiddenToo);
  }
  std::erase_if(list.Snapshots,
    [&](const SnapshotDescription& one)
    {
      return (message.Number != 0 && one.Number != message.Number) ||
        !FitsStream(message.Match, one.FileName, one.Stream, one.Run);
    });
  if (message.Hold && !list.Snapshots.empty())
  {
    const Peer& peer = this->Part.Peers.Known(call.Peer());
    this->RequireRoom(call.Peer(), peer);
    list.Lease = this->Part.Leases.Grant(call.Peer(), { list.Snapshots.back().Number, true });
    this->WatchMemoryFor(peer);
  }
  call.Reply(list);
}

void ReadService::Handle(const Call& call, const DeleteFile& message)
{
  call.Reply(DeletedFile{ this->Table().ForgetName(message.File) });
}

// An image may have become a snapshot since its placeholder was read, or may never become one since
// its writer has ended.
void ReadService::Handle(const Call& call, const RenameFile& message)
{
  const auto& open = this->Part.Images.OpenImages();
  const auto placeOf = [&](const std::string& file, const std::string& stream)
  { return this->Part.Runs.StreamOfRenamed({ file, stream }, message.File); };
  const auto rename = [&](ImageId image, const OpenImage& file)
  {
    const auto [stream, step] = placeOf(file.FileName, file.Place.Stream);
    this->Part.Images.Rename(image, message.File, stream, step);
  };
  for (const ImageId image : this->Part.Locks.ImagesOf(message.Identity))
  {
    rename(image, open.at(image));
  }
  const auto image = message.Number == 0 ? open.find(message.Unfinished.Image) : open.end();
  if (image != open.end())
  {
    rename(image->first, image->second);
  }
  const SnapshotId number = message.Number == 0
    ? this->FindNewestOf(message.Unfinished)
    : this->FindNewestBehind(message.Number, message.Identity);
  if (const auto* snapshot = this->Table().Find(number))
  {
    const auto [stream, step] = placeOf(snapshot->FileName, snapshot->Stream);
    const auto changed = this->Table().Rename(number, message.File, stream, step);
    this->Part.Runs.NoteRenamed();
    for (const SnapshotDescription& before : changed)
    {
      this->Part.Events.Publish(&SnapshotObserver::OnRenamed,
        SnapshotRenamed{ before.Number, before.FileName, before.Stream });
    }
    this->ServeWaiting();
  }
  call.Reply(Nothing());
}

// ---- Waiting for snapshots.

Clock::time_point ReadService::In(double seconds) const
{
  const Seconds limit(seconds > 0 ? std::min(seconds, LongestAwait) : 0);
  return this->Part.State.Time.Now + std::chrono::duration_cast<Clock::duration>(limit);
}

void ReadService::Handle(const Call& call, const DropSnapshot& message)
{
  if (!this->Table().Find(message.Number))
  {
    throw Error(
      Fault::Gone, "cannot drop snapshot {}: it has left the memory already", message.Number);
  }
  if (!this->Part.Images.Drop(message.Number))
  {
    throw Error(Fault::Refused,
      "cannot drop snapshot {}: a program reads it or has pinned it, or it is the newest "
      "checkpoint",
      message.Number);
  }
  call.Reply(Nothing());
}

void ReadService::Handle(const Call& call, const TakeSnapshot& message)
{
  if (const Peer& peer = this->Part.Peers.Known(call.Peer()); !peer.Guest.empty())
  {
    this->RequireRoom(call.Peer(), peer);
  }
  this->Takers.push_back({ call, message, this->In(message.Seconds) });
  this->ServeWaiting();
}

void ReadService::Handle(const Call& call, const AwaitSnapshot& message)
{
  const Peer& peer = this->Part.Peers.Known(call.Peer());
  const auto awaits = std::count_if(this->Awaiters.begin(), this->Awaiters.end(),
    [&](const Awaiter& one) { return one.Request.Peer() == call.Peer(); });
  if (awaits >= MostAwaited || !std::isfinite(message.Seconds))
  {
    throw Error(Fault::Refused, "{} waits for {} snapshots at once: {} is one too many",
      PeerText(peer.Process), awaits, message.File);
  }
  this->Awaiters.push_back({ call, message, this->In(message.Seconds) });
  this->ServeWaiting();
}

void ReadService::ServeWaiting()
{
  std::erase_if(this->Openers, [](const Opener& opener) { return Serve(opener); });
  // Asked for all before anybody is answered: an answer changes what the others wait for.
  std::vector<bool> over;
  std::transform(this->Awaiters.begin(), this->Awaiters.end(), std::back_inserter(over),
    [this](const Awaiter& one) { return this->NoneWillCome(one); });
  auto isOver = over.begin();
  std::erase_if(this->Awaiters, [&](const Awaiter& one) { return this->Serve(one, *isOver++); });
  std::erase_if(this->Takers, [this](const Taker& taker) { return this->Serve(taker); });
}

bool ReadService::Serve(const Awaiter& one, bool noneWillCome)
{
  const auto* const found = one.TakesAny()
    ? this->After(one.Wanted.After, false)
    : this->Table().NextNamed(one.Wanted.File, one.Wanted.After);
  if (!found && !noneWillCome && !this->IsOver(one.Until))
  {
    return false;
  }
  if (found && !one.TakesAny())
  {
    this->Part.Peers.Known(one.Request.Peer()).HasRead = true;
  }
  one.Request.Reply(AwaitedSnapshot{ found ? found->Number : SnapshotId(0), noneWillCome });
  return true;
}

bool ReadService::Serve(const Taker& taker)
{
  TakenSnapshot taken;
  if (const auto* const found = this->After(taker.Wanted.After, taker.Wanted.Next))
  {
    const PeerId& peer = taker.Request.Peer();
    const Peer& known = this->Part.Peers.Known(peer);
    this->WatchMemoryFor(known);
    const bool isGuest = !known.Guest.empty();
    const auto lease = this->Part.Leases.Grant(peer, { found->Number, isGuest, {}, 0, !isGuest });
    taken.Snapshot = LeasedSnapshot{ lease, this->Table().Described(found->Number) };
    taken.Counts = this->Table().CountsFor(taker.Wanted.After, found->Number);
  }
  else if (!this->IsOver(taker.Until) && !this->NoneWillCome())
  {
    return false;
  }
  taker.Request.Reply(taken);
  return true;
}

bool ReadService::NoneWillCome() const
{
  return this->Part.Peers.WritersSeen() > 0 && !this->Part.Peers.HasSimulations() &&
    this->Part.Images.OpenImages().empty();
}

// Returns true if no connected program could write what one waits for.
//
// A program of a chain writes as well, but not while it waits. Of several such, the one that came
// first hears it first, because the others may wait for what it writes when it has heard. One that
// has read nothing yet came before the program that it waits for, unless another has come and left
// since.
bool ReadService::NoneWillCome(const Awaiter& one) const
{
  PeerRegistry& peers = this->Part.Peers;
  const Peer& reader = peers.Known(one.Request.Peer());
  const bool begins = !reader.HasRead && !reader.Opened && one.Wanted.After == 0 &&
    peers.WritersSeen() == reader.WritersBefore;
  if (one.TakesAny() || peers.WritersSeen() == 0 || begins || peers.LostLastSimulation())
  {
    return false;
  }
  std::map<std::string, double> waiting; // since when they are connected, by their jobs
  for (const Awaiter& other : this->Awaiters)
  {
    if (other.TakesAny())
    {
      continue; // a viewer, which writes nothing
    }
    const Peer& peer = peers.Known(other.Request.Peer());
    waiting[IdentityOf(peer.Process)] = peer.Since;
  }
  const std::string job = IdentityOf(reader.Process);
  std::size_t theirs = 0;
  for (const auto& [id, peer] : peers.All())
  {
    const auto waits = waiting.find(IdentityOf(peer.Process));
    const bool mayWrite = peer.IsSimulation() && IdentityOf(peer.Process) != job;
    const bool isFirst =
      reader.IsSimulation() && waits != waiting.end() && reader.Since <= waits->second;
    if (mayWrite && !isFirst)
    {
      return false;
    }
    theirs += waits != waiting.end() ? this->Part.Images.ImagesOf(id).size() : 0;
  }
  return this->Part.Images.OpenImages().size() == theirs;
}

bool ReadService::RanksRead() const
{
  const auto& all = this->Part.Peers.All();
  return std::any_of(all.begin(), all.end(), [this](const auto& entry)
    { return entry.second.Process.Ranks > 1 && this->Part.Leases.HasAny(entry.first); });
}

// ---- The host program.

const SnapshotDescription* ReadService::After(SnapshotId after, bool next) const
{
  return this->Table().After(after, next);
}

SnapshotDescription ReadService::Take(SnapshotId number)
{
  this->Table().Take(number);
  return this->Table().Described(number);
}

void ReadService::Release(SnapshotId number)
{
  this->Table().GiveBack(number);
  this->Part.Allocations.Retry();
}

// ---- Events.

void ReadService::OnAllAnnounced()
{
  if (this->Part.State.IsOpen)
  {
    this->ServeWaiting();
  }
  this->Part.Waiting.WakeReaders();
}

void ReadService::OnPeerLeft(const PeerLeft& left)
{
  const auto isTheirs = [&](const auto& one) { return one.Request.Peer() == left.Id; };
  std::erase_if(this->Openers, [&](const Opener& one) { return one.Reader == left.Id; });
  std::erase_if(this->Takers, isTheirs);
  std::erase_if(this->Awaiters, isTheirs);
  this->Part.Leases.EndAll(left.Id, left.IsLost);
}

}
