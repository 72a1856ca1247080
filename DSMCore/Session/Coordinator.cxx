// SPDX-License-Identifier: BSD-3-Clause
#include "Session/Coordinator.h"

#include "Base/Environment.h"
#include "Base/Error.h"
#include "Base/FileName.h"
#include "Base/Log.h"
#include "Control/Channel.h"
#include "Session/Peer.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace dsm
{

namespace
{
bool IsSimulation(const PeerDescription& peer)
{
  return peer.Role == "writer" || peer.Role == "steering";
}

// How long a snapshot stays for the ranks of a viewer that have not come to read it yet.
const Seconds JointReadLimit(10);

double Now()
{
  return Seconds(std::chrono::system_clock::now().time_since_epoch()).count();
}
}

Coordinator::Coordinator(const ServerOptions& options, const ServerDescription& description,
  std::uint64_t lent, MpiOffer offer)
  : LentAtStart(lent)
  , Options(options)
  , Description(description)
  , Memory(description.Hosts.size(), lent, description.SlotCount)
  , Together(JointReadLimit)
  , Keeper(description.Hosts.size(),
      [this](std::uint64_t host, Json event) { this->ToHost(host, std::move(event)); })
  , Links(std::move(offer),
      { [this](const PeerId& peer, const Json& request, Json reply)
        { this->Door->Reply(peer, request, std::move(reply)); },
        [this](const PeerId& peer, const Json& request, const std::exception& error)
        { this->Door->Refuse(peer, request, error); },
        [this](std::uint64_t host, Json event) { this->ToHost(host, std::move(event)); },
        [this](const std::string& trouble) { this->Report(trouble); } })
  , Steered(AbsoluteName(options.ContactFile) + ".steering.log", this->SteeringMail(),
      OrphanedFromEnvironment())
{
  this->Counters.HostBytes.assign(description.Hosts.size(), 0);
  this->SetMap(options.Map);
  this->Pending.clear();
}

void Coordinator::ToHost(std::uint64_t host, Json event)
{
  for (const auto& [id, peer] : this->Peers)
  {
    if (peer.Host == host)
    {
      this->Door->Send(id, std::move(event));
      return;
    }
  }
}

Coordinator::~Coordinator()
{
  this->Close();
}

void Coordinator::Listen(Contact& contact)
{
  Listener::Handler handler;
  handler.Received = [this](const PeerId& peer, const Json& message)
  { this->Received(peer, message); };
  handler.Gone = [this](const PeerId& peer, bool lost) { this->Gone(peer, lost); };
  handler.Tick = [this] { this->Tick(); };
  // Peers may speak before this returns: they wait for the lock until the door is in its place.
  const std::lock_guard lock(this->Guard);
  this->Door = std::make_unique<Listener>(contact, std::move(handler));
}

void Coordinator::Close()
{
  this->Steered.Close();
  std::unique_ptr<Listener> door;
  {
    const std::lock_guard lock(this->Guard);
    door = std::move(this->Door);
    this->Queue.clear();
  }
  // Ends outside the lock: the listener's thread may be waiting for it.
  door.reset();
  this->Changed.notify_all();
}

void Coordinator::Received(const PeerId& peer, const Json& message)
{
  static const std::map<std::string, Answer> answers{
    { "hello", &Coordinator::Hello },
    { "begin", &Coordinator::Begin },
    { "extend", &Coordinator::Extend },
    { "seal", &Coordinator::Seal },
    { "abandon", &Coordinator::Abandon },
    { "finish", &Coordinator::Finish },
    { "publish", &Coordinator::Publish },
    { "confirm", &Coordinator::Confirm },
    { "open", &Coordinator::OpenSnapshot },
    { "close", &Coordinator::CloseSnapshot },
    { "snapshots", &Coordinator::ListSnapshots },
    { "delete", &Coordinator::DeleteFile },
    { "cleaned", &Coordinator::Cleaned },
    { "trouble", &Coordinator::Trouble },
    { "join", &Coordinator::JoinHosts },
    { "enter", &Coordinator::EnterLink },
    { "link-met", &Coordinator::LinkMet },
    { "linked", &Coordinator::Linked },
    { "leave", &Coordinator::LeaveLink },
  };
  const auto what = message.value("ask", std::string());
  if (what == "interactions")
  {
    // A program that only looks has no step of its own to tell: the newest file's stands for it.
    Json dated = message;
    {
      const std::lock_guard lock(this->Guard);
      const auto* newest = this->Snapshots.After(0, false);
      dated["at"] = newest ? newest->Step : 0.0;
    }
    this->Steered.Received(peer, dated);
    return;
  }
  if (SteeringDesk::Handles(what))
  {
    this->Steered.Received(peer, message);
    return;
  }
  const std::lock_guard lock(this->Guard);
  if (!this->Door)
  {
    return; // closing
  }
  const auto found = answers.find(what);
  if (found == answers.end())
  {
    throw Error(Fault::Refused,
      "this DSM server does not understand \"{}\": its version is older "
      "or newer than the peer's",
      what);
  }
  (this->*found->second)(peer, message);
}

SteeringDesk::Mail Coordinator::SteeringMail()
{
  SteeringDesk::Mail mail;
  mail.Send = [this](const std::string& peer, Json event)
  {
    const std::lock_guard lock(this->Guard);
    if (this->Door)
    {
      this->Door->Send(peer, std::move(event));
    }
  };
  mail.Reply = [this](const std::string& peer, const Json& request, Json reply)
  {
    const std::lock_guard lock(this->Guard);
    if (this->Door)
    {
      this->Door->Reply(peer, request, std::move(reply));
    }
  };
  mail.Save = [this](std::uint64_t number, const Json& request)
  { return this->OrderSave(number, request); };
  return mail;
}

Coordinator::Peer& Coordinator::Known(const PeerId& peer)
{
  const auto found = this->Peers.find(peer);
  if (found == this->Peers.end())
  {
    throw Error(Fault::PeerLost,
      "the DSM server does not know this program any more: it was silent for more than {:.3g} s "
      "(DSM_PEER_TIMEOUT), so the server gave it up",
      PeerTimeout().count());
  }
  return found->second;
}

void Coordinator::Hello(const PeerId& id, const Json& message)
{
  const int version = message.at("protocol").get<int>();
  if (version != ProtocolVersion)
  {
    throw Error(Fault::Refused,
      "the simulation's side speaks version {} of the DSM protocol and ParaView's side version {}: "
      "use the same release of ParaView DSM on both sides",
      version, ProtocolVersion);
  }
  Peer peer;
  peer.Who = message.at("peer").get<PeerDescription>();
  peer.Since = Now();
  peer.ToldOf = this->Revision;
  peer.Patience = this->Options.FullRingLimit;
  if (message.contains("host"))
  {
    peer.Host = message.at("host").get<std::uint64_t>();
  }
  if (peer.Who.Role == "writer")
  {
    Log().info("{} connected", PeerText(peer.Who));
    ++this->Counters.WritersSeen;
  }
  if (IsSimulation(peer.Who))
  {
    this->LostLastSimulation = false;
  }
  this->Peers[id] = std::move(peer);
  this->Door->Reply(id, message,
    { { "server", this->Description }, { "full_ring_limit", this->Options.FullRingLimit.count() },
      { "intake", this->Options.Files } });
  const auto hosts = std::count_if(this->Peers.begin(), this->Peers.end(),
    [](const auto& known) { return known.second.Host.has_value(); });
  if (this->Peers[id].Host && static_cast<std::uint64_t>(hosts) == this->Memory.Hosts())
  {
    this->PrepareNext({}); // all hosts are here: memory can be touched before any writer comes
  }
  this->Changed.notify_all();
}

void Coordinator::Gone(const PeerId& id, bool lost)
{
  this->Steered.Gone(id, lost);
  const std::lock_guard lock(this->Guard);
  const auto found = this->Peers.find(id);
  if (found == this->Peers.end() || !this->Door)
  {
    return;
  }
  const Peer peer = std::move(found->second);
  this->Peers.erase(found);
  std::erase_if(this->Queue, [&](const Waiting& waiting) { return waiting.Peer == id; });
  for (const auto& [number, lease] : peer.Leases)
  {
    this->EndLease(id, lease);
  }
  this->Links.Gone(id);
  std::vector<std::uint64_t> unfinished;
  for (const auto& [number, image] : this->Images)
  {
    if (image.Owner == id)
    {
      unfinished.push_back(number);
    }
  }
  const std::string how = lost
    ? fmt::format("vanished (nothing heard for {:.3g} s)", PeerTimeout().count())
    : std::string("ended");
  for (const std::uint64_t number : unfinished)
  {
    this->Drop(number, fmt::format("{} {} before it closed the file", PeerText(peer.Who), how));
  }
  if (peer.Host)
  {
    this->HostLost = true;
    const auto text = fmt::format("DSM host {} {}: its memory is lost", *peer.Host, how);
    if (lost)
    {
      this->Report(text);
    }
    this->Counters.LastError = text;
    this->Counters.LastErrorAt = Now();
    this->Keeper.FailAll(text);
  }
  if (IsSimulation(peer.Who))
  {
    const auto text = fmt::format("{} {}", PeerText(peer.Who), how);
    Log().info("{}", text);
    // One that writes and is steered has two lines, and is reported once.
    if (lost && !std::exchange(this->LostLastSimulation, true))
    {
      this->Report(text);
    }
  }
  this->RetryWaiting();
  this->Changed.notify_all();
}

void Coordinator::OpenSnapshot(const PeerId& id, const Json& message)
{
  Peer& peer = this->Known(id);
  const SnapshotDescription& snapshot = this->Snapshot(message);
  Lease lease{ snapshot.Number, message.value("peek", false), {} };
  if (const auto together = message.find("together"); together != message.end())
  {
    lease.Viewer = together->at("viewer").get<std::string>();
    lease.Wanted = message.at("number").get<std::uint64_t>();
    if (this->Together.Opened(lease.Wanted, lease.Viewer, id,
          together->at("ranks").get<std::uint64_t>(), snapshot.Number))
    {
      this->Snapshots.Hold(snapshot.Number);
    }
  }
  const std::uint64_t number = this->HoldFor(peer, std::move(lease));
  this->Door->Reply(id, message, { { "lease", number }, { "snapshot", snapshot } });
}

// The lease's number.
std::uint64_t Coordinator::HoldFor(Peer& peer, Lease lease)
{
  this->Snapshots.Hold(lease.Snapshot);
  peer.Leases[++this->LastLease] = std::move(lease);
  return this->LastLease;
}

// The snapshot a message names by number or by file name. Who reads together gets what the first of
// them got; who takes another one instead, the newest where its own has gone.
const SnapshotDescription& Coordinator::Snapshot(const Json& message) const
{
  std::uint64_t number = message.value("number", std::uint64_t(0));
  if (const auto together = message.find("together"); together != message.end())
  {
    number =
      this->Together.Chosen(number, together->at("viewer").get<std::string>()).value_or(number);
  }
  const SnapshotDescription* found = message.contains("number")
    ? this->Snapshots.Find(number)
    : this->Snapshots.NewestNamed(message.at("file").get<std::string>());
  if (!found && message.contains("instead"))
  {
    found = this->Snapshots.NewestMatching(message.at("instead").get<std::string>());
  }
  if (found)
  {
    return *found;
  }
  const auto all = this->Snapshots.All();
  throw Error(Fault::Refused, "there is no snapshot {} in the DSM server's ring: it holds {}",
    message.contains("number") ? message.at("number").dump() : message.at("file").dump(),
    all.empty() ? std::string("none yet")
                : fmt::format("{} of them, numbers {} to {}", all.size(), all.front().Number,
                    all.back().Number));
}

void Coordinator::CloseSnapshot(const PeerId& id, const Json& message)
{
  Peer& peer = this->Known(id);
  const auto lease = peer.Leases.find(message.at("lease").get<std::uint64_t>());
  if (lease != peer.Leases.end())
  {
    this->EndLease(id, lease->second);
    peer.Leases.erase(lease);
    this->RetryWaiting();
  }
}

void Coordinator::EndLease(const PeerId& peer, const Lease& lease)
{
  this->Snapshots.LetGo(lease.Snapshot, !lease.Peek);
  if (!lease.Viewer.empty())
  {
    if (const auto over = this->Together.Closed(lease.Wanted, lease.Viewer, peer))
    {
      this->Snapshots.LetGo(*over);
    }
  }
}

// All, or those of a name or number; with the newest of them kept for who asks, where it wants
// that.
void Coordinator::ListSnapshots(const PeerId& id, const Json& message)
{
  const auto number = message.value("number", std::uint64_t(0));
  const auto pattern = message.value("match", std::string());
  auto found = this->Snapshots.All();
  std::erase_if(found,
    [&](const SnapshotDescription& one)
    {
      return (number != 0 && one.Number != number) ||
        (!pattern.empty() && !MatchesPattern(pattern, one.FileName));
    });
  Json reply{ { "snapshots", found } };
  if (message.value("hold", false) && !found.empty())
  {
    reply["lease"] = this->HoldFor(this->Known(id), { found.back().Number, true, {} });
  }
  this->Door->Reply(id, message, std::move(reply));
}

void Coordinator::DeleteFile(const PeerId& id, const Json& message)
{
  const auto forgotten = this->Snapshots.ForgetName(message.at("file").get<std::string>());
  this->Door->Reply(id, message, { { "forgotten", forgotten } });
}

void Coordinator::Cleaned(const PeerId&, const Json& message)
{
  const auto failure = message.at("failure").get<std::string>();
  if (!failure.empty())
  {
    this->Report(failure);
  }
  for (const auto& ticket : message.at("tickets"))
  {
    this->Keeper.Cleaned(ticket.get<std::uint64_t>(), failure);
  }
}

void Coordinator::Trouble(const PeerId&, const Json& message)
{
  this->Report(message.at("text").get<std::string>());
}

void Coordinator::JoinHosts(const PeerId& peer, const Json& message)
{
  this->Known(peer);
  this->Links.Join(peer, message);
}

void Coordinator::EnterLink(const PeerId& peer, const Json& message)
{
  this->Known(peer);
  this->Links.Enter(peer, message);
}

void Coordinator::LinkMet(const PeerId&, const Json& message)
{
  this->Links.Met(message);
}

void Coordinator::Linked(const PeerId&, const Json& message)
{
  this->Links.Linked(message);
}

void Coordinator::LeaveLink(const PeerId& peer, const Json& message)
{
  this->Links.Leave(peer, message);
}

void Coordinator::Report(const std::string& trouble)
{
  Log().warn("{}", trouble);
  this->Counters.LastError = trouble;
  this->Counters.LastErrorAt = Now();
}

bool Coordinator::HasSimulations() const
{
  return std::any_of(this->Peers.begin(), this->Peers.end(),
    [](const auto& peer) { return IsSimulation(peer.second.Who); });
}

std::optional<SnapshotDescription> Coordinator::WaitForSnapshot(
  std::uint64_t after, bool next, const Deadline& deadline)
{
  std::unique_lock lock(this->Guard);
  const auto over = [this]
  {
    return !this->Door ||
      (this->Counters.WritersSeen > 0 && !this->HasSimulations() && this->Images.empty());
  };
  this->Changed.wait_until(
    lock, deadline.TimePoint(), [&] { return this->Snapshots.After(after, next) || over(); });
  const SnapshotDescription* found = this->Snapshots.After(after, next);
  if (!found || !this->Door)
  {
    return std::nullopt;
  }
  this->Snapshots.Hold(found->Number);
  return *found;
}

void Coordinator::Release(std::uint64_t number)
{
  const std::lock_guard lock(this->Guard);
  this->Snapshots.LetGo(number);
  this->RetryWaiting();
}

}
