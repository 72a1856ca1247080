// SPDX-License-Identifier: BSD-3-Clause
// The coordinator's half that deals with images: who gets room, who waits for it, what goes.
#include "Session/Coordinator.h"

#include "Base/Environment.h"
#include "Base/Error.h"
#include "Base/FileName.h"
#include "Base/Log.h"
#include "Session/Peer.h"

#include <algorithm>
#include <utility>

namespace dsm
{

namespace
{
// A new image may grow by this over the last of its stream without asking again.
std::uint64_t WithMargin(std::uint64_t bytes)
{
  return bytes + bytes / 8;
}

// What an image of unknown size must at least get to be begun.
constexpr std::uint64_t SmallestGrant = UINT64_C(16) << 20;
}

// The map of an image that begins now and will likely have that size; kept for those that wait and
// try again.
const AddressMap& Coordinator::MapFor(std::uint64_t likelySize)
{
  const std::uint64_t expected = likelySize + likelySize / 32;
  const MapParameters wanted =
    this->Wanted.Over(this->Description.Hosts.size(), this->Memory.Budget(), expected);
  if (wanted != this->Current.Parameters())
  {
    this->Current = AddressMap(wanted);
  }
  return this->Current;
}

// The size an image of that file will likely have; 0 when there is nothing to learn from.
std::uint64_t Coordinator::Expected(const std::string& fileName) const
{
  const auto last = this->LastSizes.find(StreamName(fileName));
  return last != this->LastSizes.end() ? last->second : this->Options.ExpectedFileSize;
}

void Coordinator::Begin(const PeerId& peer, const Json& message)
{
  PeerDescription& who = this->Known(peer).Who;
  if (who.Role != "writer")
  {
    // A program that only read until now: what writes is a simulation.
    who.Role = "writer";
    ++this->Counters.WritersSeen;
    this->LostLastSimulation = false;
    this->Changed.notify_all();
  }
  if (this->HostLost)
  {
    throw Error(Fault::PeerLost,
      "the DSM server has lost a host and takes no more data ({}): "
      "restart ParaView's side",
      this->Counters.LastError);
  }
  this->TryOrWait(peer, message, [this, peer, message] { return this->TryBegin(peer, message); });
}

void Coordinator::Extend(const PeerId& peer, const Json& message)
{
  this->Known(peer);
  this->TryOrWait(peer, message, [this, peer, message] { return this->TryExtend(peer, message); });
}

void Coordinator::TryOrWait(
  const PeerId& peer, const Json& message, const std::function<bool()>& attempt)
{
  // Those who wait already come first.
  if (!this->Queue.empty() || !attempt())
  {
    // Not longer than the peer was told: it would have given up.
    const Seconds limit = std::min(this->Options.FullRingLimit, this->Known(peer).Patience);
    this->Queue.push_back({ peer, message, Deadline(limit), attempt, Clock::now() });
    this->RetryWaiting();
  }
}

void Coordinator::RetryWaiting()
{
  if (!this->Door)
  {
    return;
  }
  for (auto waiting = this->Queue.begin(); waiting != this->Queue.end();)
  {
    bool settled = true;
    try
    {
      settled = waiting->Try();
    }
    catch (const std::exception& error)
    {
      this->Door->Refuse(waiting->Peer, waiting->Request, error);
    }
    waiting = settled ? this->Queue.erase(waiting) : waiting + 1;
  }
}

void Coordinator::Tick()
{
  this->Steered.Tick();
  const std::lock_guard lock(this->Guard);
  if (!this->Door)
  {
    return;
  }
  this->Links.Tick();
  for (const std::uint64_t number : this->Together.Expired())
  {
    this->Snapshots.LetGo(number);
    this->RetryWaiting();
  }
  std::erase_if(this->Queue,
    [this](const Waiting& waiting)
    {
      if (!waiting.Until.Expired())
      {
        return false;
      }
      const Error error(Fault::RingFull, "{}; waited {:.3g} s for room. {}", this->FullText(),
        waiting.Until.LimitInSeconds(),
        this->KeepsUnread()
          ? "A viewer must read snapshots (the server's policy keeps unread ones), or the memory "
            "per host must grow, or the policy must be to drop the oldest"
          : "A viewer holds them open: it must let go, or the memory per host must grow");
      this->Report(error.what());
      this->Door->Refuse(waiting.Peer, waiting.Request, error);
      return true;
    });
}

std::string Coordinator::FullText() const
{
  return fmt::format("the DSM server's ring is full: {} snapshots (at most {}) and {} images being "
                     "written use {} of {} on {} hosts",
    this->Snapshots.Size(), this->Options.MaximumSnapshots, this->Images.size(),
    environment::FormatBytes(this->Memory.UsedByAll()),
    environment::FormatBytes(this->Memory.Budget() * this->Memory.Hosts()), this->Memory.Hosts());
}

// The snapshots that may go to make room, in that order. Where new ones are to be dropped, they
// were, at their seal; if there is no room all the same (files grow), the newest that nobody has
// seen goes rather than let a simulation wait.
std::vector<std::uint64_t> Coordinator::Victims() const
{
  auto victims = this->Snapshots.Evictable(this->Options.WhenFull == FullRing::DropOldest);
  if (this->Options.WhenFull == FullRing::DropNewest)
  {
    auto unread = this->Snapshots.Evictable(true);
    std::erase_if(unread, [this](std::uint64_t number) { return this->Snapshots.WasRead(number); });
    victims.insert(victims.end(), unread.rbegin(), unread.rend());
  }
  return victims;
}

// Evicts snapshots, oldest first, until there is enough room; none when that could not help, since
// snapshots in use or images being written hold it. `enough` gets the ring's books and the number
// of snapshots.
bool Coordinator::MakeRoom(const std::function<bool(const Ring&, std::uint64_t)>& enough)
{
  if (enough(this->Memory, this->Snapshots.Size()))
  {
    return true;
  }
  const auto victims = this->Victims();
  Ring without = this->Memory;
  for (const std::uint64_t number : victims)
  {
    without.Discard(this->Snapshots.Find(number)->Slot);
  }
  if (!enough(without, this->Snapshots.Size() - victims.size()))
  {
    return false;
  }
  for (const std::uint64_t number : victims)
  {
    this->Evict(number);
    if (enough(this->Memory, this->Snapshots.Size()))
    {
      break;
    }
  }
  return true;
}

void Coordinator::Evict(std::uint64_t number)
{
  if (!this->Snapshots.WasRead(number))
  {
    ++this->Counters.SnapshotsDropped;
  }
  const SnapshotDescription gone = this->Snapshots.Remove(number);
  this->Memory.Free(gone.Slot, AddressMap(gone.Map), gone.FileSize);
}

bool Coordinator::TryBegin(const PeerId& peer, const Json& message)
{
  const auto file = message.at("file").get<std::string>();
  std::optional<SnapshotDescription> source;
  if (message.value("copy", false))
  {
    source = this->Snapshot(message);
  }
  std::uint64_t expected = source ? source->FileSize : this->Expected(file);
  const AddressMap& map = this->MapFor(expected);

  // A copy's source must stay until the writer has copied it: its lease is held for the writer.
  if (source)
  {
    if (!this->Memory.CouldEverFit(map, source->FileSize))
    {
      throw Error(Fault::RingFull, "a copy of {} ({}) does not fit the DSM server's hosts", file,
        environment::FormatBytes(source->FileSize));
    }
    this->Snapshots.Hold(source->Number);
  }
  if (!this->Memory.CouldEverFit(map, expected))
  {
    expected = 0; // learned under another map; this one will show its limits itself
  }

  const std::uint64_t least =
    expected > 0 ? expected : 2 * std::min(SmallestGrant, this->Memory.Budget() / 4);
  const bool fits = this->MakeRoom(
    [&](const Ring& memory, std::uint64_t snapshots)
    {
      return snapshots + this->Images.size() < this->Options.MaximumSnapshots &&
        memory.Room(map) >= least;
    });
  std::uint64_t grant = 0;
  std::optional<Ring::Reservation> reserved;
  if (fits)
  {
    const std::uint64_t room = this->Memory.Room(map);
    grant = expected > 0 ? std::min(WithMargin(expected), room) : room / 2;
    reserved = this->Memory.Reserve(map, expected, grant);
  }
  if (!reserved)
  {
    if (source)
    {
      this->Snapshots.LetGo(source->Number);
    }
    return false;
  }
  this->Pending.clear();
  const std::uint64_t number = ++this->LastImage;
  this->Images[number] = { peer, file, map, reserved->Slot, grant, false };
  this->Keeper.Carry(reserved->Plan, reserved->Slot,
    [this, peer, message, number, source](const std::string& failure)
    { this->GrantImage(peer, message, number, source ? &*source : nullptr, failure); });
  return true;
}

// The slot is clean: the writer may begin.
void Coordinator::GrantImage(const PeerId& peer, const Json& message, std::uint64_t number,
  const SnapshotDescription* source, const std::string& failure)
{
  const auto found = this->Images.find(number);
  const auto writer = this->Peers.find(peer);
  const bool writerIsHere = found != this->Images.end() && writer != this->Peers.end();
  if (source && (!writerIsHere || !failure.empty()))
  {
    this->Snapshots.LetGo(source->Number);
  }
  if (!writerIsHere)
  {
    return;
  }
  if (!failure.empty())
  {
    this->Drop(number, failure);
    this->Door->Refuse(peer, message, Error(Fault::System, "{}", failure));
    return;
  }
  const OpenImage& image = found->second;
  ImageDescription description;
  description.Image = number;
  description.Slot = image.Slot;
  description.Map = image.Map.Parameters();
  description.Grant = image.Grant;
  Json reply{ { "image", description } };
  if (source)
  {
    writer->second.Leases[++this->LastLease] = { source->Number, false, {} };
    reply["source"] = *source;
    reply["lease"] = this->LastLease;
  }
  this->Door->Reply(peer, message, this->WithNews(peer, std::move(reply)));
}

Coordinator::OpenImage& Coordinator::Writing(const Json& message)
{
  const auto found = this->Images.find(message.at("image").get<std::uint64_t>());
  if (found == this->Images.end())
  {
    throw Error(Fault::PeerLost, "the DSM server has given up the image being written: {}",
      this->Counters.LastError.empty() ? "it was abandoned" : this->Counters.LastError);
  }
  return found->second;
}

bool Coordinator::TryExtend(const PeerId& peer, const Json& message)
{
  OpenImage& image = this->Writing(message);
  const auto bytes = message.at("bytes").get<std::uint64_t>();
  if (bytes > image.Grant)
  {
    const bool fits = this->MakeRoom([&](const Ring& memory, std::uint64_t)
      { return memory.Room(image.Map, image.Slot) >= bytes; });
    const std::uint64_t room = this->Memory.Room(image.Map, image.Slot);
    if (!fits)
    {
      if (this->Victims().size() == this->Snapshots.Size() && this->Images.size() == 1)
      {
        throw Error(Fault::RingFull,
          "the image of {} needs {} or more, and the DSM server's {} hosts lend {} each ({} with "
          "strategy \"{}\"): raise the memory per host, or write less per file",
          image.FileName, environment::FormatBytes(bytes), this->Memory.Hosts(),
          environment::FormatBytes(this->Memory.Budget()), environment::FormatBytes(room),
          image.Map.Parameters().Strategy);
      }
      return false;
    }
    // Doubling keeps the number of questions small; half of what is left stays for others.
    const std::uint64_t grant =
      std::max(bytes, std::min(2 * image.Grant, bytes + (room - bytes) / 2));
    CleaningPlan plan;
    if (!this->Memory.Extend(image.Slot, image.Map, grant, plan.Release))
    {
      return false;
    }
    image.Grant = grant;
    this->Keeper.Carry(plan, image.Slot, {});
  }
  this->Door->Reply(peer, message, this->WithNews(peer, { { "grant", image.Grant } }));
  return true;
}

void Coordinator::Seal(const PeerId& peer, const Json& message)
{
  this->Known(peer);
  const OpenImage image = this->Writing(message);
  SnapshotDescription snapshot = this->Describe(image, message);
  const auto reach = std::max(message.at("reach").get<std::uint64_t>(), snapshot.FileSize);
  this->Memory.Seal(image.Slot, image.Map, reach);
  const auto number = message.at("image").get<std::uint64_t>();
  this->DropCopies(number);
  this->Images.erase(number);
  this->Date(snapshot);
  std::uint64_t kept = 0;
  if (this->IsToBeSkipped(image, snapshot.FileSize))
  {
    ++this->Counters.SnapshotsSkipped;
    this->Memory.Free(image.Slot, image.Map, reach);
    Log().info("{} was not kept: the ring is full of unread snapshots", image.FileName);
    this->Changed.notify_all();
  }
  else
  {
    kept = this->Enter(std::move(snapshot));
  }
  this->Door->Reply(peer, message, this->WithNews(peer, { { "number", kept } }));
  // A file that was shown at flushes as well comes on top of what those left room for.
  const bool unreadToo = this->Options.WhenFull == FullRing::DropOldest;
  while (this->Snapshots.Size() > this->Options.MaximumSnapshots)
  {
    const auto victim = this->Snapshots.OldestEvictable(unreadToo);
    if (!victim || *victim == this->Snapshots.LastNumber())
    {
      break;
    }
    this->Evict(*victim);
  }
  this->RetryWaiting();
  this->PrepareNext(image.FileName);
}

void Coordinator::Count(const WriteStatistics& statistics)
{
  this->Counters.BytesReceived += statistics.Bytes;
  this->Counters.BlockedSeconds += statistics.BlockedSeconds;
  for (std::size_t host = 0;
    host < std::min(statistics.HostBytes.size(), this->Counters.HostBytes.size()); ++host)
  {
    this->Counters.HostBytes[host] += statistics.HostBytes[host];
  }
}

// Whether a new image, sealed just now, goes at once, so that there is room for the next of its
// size without dropping what was not read. The first is kept anyway, or nobody would see any.
bool Coordinator::IsToBeSkipped(const OpenImage& image, std::uint64_t size)
{
  if (this->Options.WhenFull != FullRing::DropNewest || this->Snapshots.Size() == 0)
  {
    return false;
  }
  Ring without = this->Memory;
  const auto read = this->Snapshots.Evictable(false);
  for (const std::uint64_t number : read)
  {
    without.Discard(this->Snapshots.Find(number)->Slot);
  }
  const std::uint64_t kept = this->Snapshots.Size() - read.size();
  return kept + 1 + this->Images.size() >= this->Options.MaximumSnapshots ||
    without.Room(image.Map) < size;
}

// Has a slot cleaned and its pages touched before the stream's next image asks for it, so that the
// simulation does not wait for that. What was read goes first; when the policy drops unread
// snapshots anyway, the oldest of those goes now instead of then, but never the newest.
void Coordinator::PrepareNext(const std::string& fileName)
{
  const std::uint64_t expected = this->Expected(fileName);
  const AddressMap& map = this->MapFor(expected);
  const bool unreadToo = this->Options.WhenFull == FullRing::DropOldest;
  while (this->Memory.Room(map) < expected)
  {
    auto victim = this->Snapshots.OldestEvictable(false);
    if (!victim && unreadToo)
    {
      victim = this->Snapshots.OldestEvictable(true);
    }
    if (!victim || *victim == this->Snapshots.LastNumber())
    {
      break;
    }
    this->Evict(*victim);
  }
  if (const auto ready = this->Memory.Prepare(map, expected))
  {
    this->Keeper.Carry(ready->Plan, ready->Slot, {});
  }
}

void Coordinator::Abandon(const PeerId&, const Json& message)
{
  const auto number = message.at("image").get<std::uint64_t>();
  if (this->Images.count(number))
  {
    this->Drop(number, message.value("why", std::string("the simulation gave it up")));
    this->RetryWaiting();
    this->Changed.notify_all();
  }
}

void Coordinator::Drop(std::uint64_t number, const std::string& why)
{
  const OpenImage image = this->Images.at(number);
  this->DropCopies(number);
  this->Images.erase(number);
  ++this->Counters.ImagesAbandoned;
  this->Report(fmt::format("the image of {} was discarded: {}", image.FileName, why));
  CleaningPlan plan;
  plan.Release.push_back(this->Memory.Discard(image.Slot));
  this->Keeper.Carry(plan, image.Slot, {});
}

}
