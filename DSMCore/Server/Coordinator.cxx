// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Coordinator.h"

#include "Base/Environment.h"
#include "Base/Error.h"
#include "Base/FileName.h"
#include "Base/Log.h"
#include "Base/NodeIdentity.h"
#include "Base/OtherProcess.h"
#include "Base/RandomNumber.h"
#include "Base/RoundUp.h"
#include "Base/WallClock.h"
#include "Control/Channel.h"
#include "Protocol/Peer.h"
#include "Server/Core/AccessRules.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include <unistd.h>

namespace dsm
{

namespace
{
constexpr std::uint64_t Page = 4096;

bool IsSimulation(const PeerDescription& peer)
{
  return peer.Role == "writer" || peer.Role == "steering";
}

// The same for all processes of a job.
std::string IdentityOf(const PeerDescription& peer)
{
  return peer.Job.empty() ? fmt::format("{} {}", peer.Machine, peer.Process) : peer.Job;
}

StreamBook::Writer StreamWriterOf(const PeerDescription& peer)
{
  return { IdentityOf(peer), peer.Program };
}

// Who writes for longer than that leaves time for other work; until then its ranks want the cores.
constexpr Seconds BriefWriting(0.5);
// After so long without a file the next is not expected at once.
constexpr Seconds BetweenFiles(0.1);
// A pause in which hosts could not make several small files' memory ready.
constexpr Seconds BriefPause(0.01);

// Snapshots that a peer waits for at once, and the seconds that it may.
constexpr std::ptrdiff_t MostAwaited = 64;
constexpr double LongestAwait = 1e6;

// When hosts write to disk: how long without a byte, and how often it is looked how far they are.
constexpr Seconds DiskStallLimit(60);
constexpr Seconds LookInterval(0.2);

// A guest's name comes from its key, not from what it says.
void SignAs(const std::string& who, RequestSteering& asked)
{
  asked.Who = who;
  if (auto* apply = std::get_if<ApplyRequest>(&asked.Request))
  {
    apply->Who.reset();
  }
  else if (auto* save = std::get_if<SaveRequest>(&asked.Request))
  {
    save->Who.reset();
  }
}

Redistribution MapOf(const Redistribution& chosen, const ServerDescription& description)
{
  std::set<std::string> nodes;
  for (const HostDescription& host : description.Hosts)
  {
    nodes.insert(host.Node);
  }
  return chosen.OnNodes(nodes.size());
}

SegmentLayout LayoutOf(const ServerDescription& description)
{
  return SegmentLayout(description.SlotSize, description.SlotCount);
}

Ring RingOf(const ServerDescription& description, std::uint64_t lent)
{
  const std::uint64_t hosts = description.Hosts.size();
  Ring ring(hosts, lent, description.SlotCount);
  ring.OfferDisk(DiskWindows(hosts, Segment::DiskBegin(LayoutOf(description).Size()),
    description.DiskSize, description.SlotSize));
  return ring;
}

ImageManager::Policy PolicyOf(const ServerOptions& options, const ServerDescription& description)
{
  const auto most =
    options.MaximumSnapshots == 0 ? description.SlotCount - 1 : options.MaximumSnapshots;
  return { MapOf(options.Map, description), options.WhenFull, most, options.ExpectedFileSize,
    options.Checkpoints };
}
}

Coordinator::Coordinator(const ServerOptions& options, const ServerDescription& description,
  const Segment& memory, std::uint64_t lent, const std::string& secret, Mediators mediators)
  : Mailboxes(memory.Data() + LayoutOf(description).Mailboxes)
  , Slots(memory, LayoutOf(description))
  , LentAtStart(lent)
  , HostSecret(secret)
  , Machine(NodeIdentity())
  , Options(options)
  , Description(description)
  , Images(description.Pinned
        ? Ring::Pinned(description.Hosts.size(), description.SlotSize, description.SlotCount)
        : RingOf(description, lent),
      PolicyOf(options, description))
  , Leases(this->Images.Snapshots())
  , Tasks(description.Hosts.size(),
      [this](std::uint64_t host, const PrepareMemory& event) { this->ToHost(host, event); })
  , Transports(std::move(mediators))
  , HostPeers(description.Hosts.size())
  , Board(memory.Data() + LayoutOf(description).Questions)
  , Disk(this->Images.Snapshots())
  , Steered(AbsoluteName(options.ContactFile) + ".steering.log", this->SteeringCallbacks(),
      ViewerLossFromEnvironment())
{
  this->On(&Coordinator::Register);
  this->On(&Coordinator::Begin);
  this->On(&Coordinator::Extend);
  this->On(&Coordinator::Seal);
  this->On(&Coordinator::Discard);
  this->On(&Coordinator::Finish);
  this->On(&Coordinator::Publish);
  this->On(&Coordinator::Keep);
  this->On(&Coordinator::Confirm);
  this->On(&Coordinator::Open);
  this->On(&Coordinator::Locate);
  this->On(&Coordinator::Hold);
  this->On(&Coordinator::CloseLease);
  this->On(&Coordinator::List);
  this->On(&Coordinator::Delete);
  this->On(&Coordinator::EnterSaved);
  this->On(&Coordinator::Find);
  this->On(&Coordinator::TellTraffic);
  this->On(&Coordinator::Take);
  this->On(&Coordinator::Await);
  this->On(&Coordinator::OrderAdjust);
  this->On(&Coordinator::OrderStop);
  this->On(&Coordinator::Prepared);
  this->On(&Coordinator::Fail);
  this->On(&Coordinator::EnterWrittenShare);
  this->On(&Coordinator::Invite);
  this->On(&Coordinator::Withdraw);
  this->On(&Coordinator::TellGuests);
  this->On(&Coordinator::AskTransport);
  this->On(&Coordinator::TellTransport);
  for (auto& [name, mediator] : this->Transports)
  {
    mediator->Connect(this->CallbacksFor(name));
  }
  this->SetDiskRule(options.AlsoOnDisk);
}

Coordinator::~Coordinator()
{
  this->Close();
}

// ---- The channel.

template <typename Message>
void Coordinator::On(void (Coordinator::*answer)(const RequestId&, const Message&))
{
  this->Answers[Message::Name] = [this, answer](const RequestId& request, const Envelope& message)
  { (this->*answer)(request, Content<Message>(message)); };
}

void Coordinator::Listen(Contact& contact)
{
  Listener::Handler handler;
  handler.Received = [this](const RequestId& request, const Envelope& message)
  { this->Received(request, message); };
  handler.Gone = [this](const PeerId& peer, bool lost) { this->Gone(peer, lost); };
  handler.HasEnded = [this](const PeerId& peer)
  {
    const std::lock_guard lock(this->Guard);
    const auto found = this->Peers.find(peer);
    return found != this->Peers.end() && this->HasEnded(found->second);
  };
  handler.Tick = [this] { this->Tick(); };
  // Peers may speak before this returns: they wait for the lock until the channel is in its place.
  const std::lock_guard lock(this->Guard);
  static_assert(SegmentLayout::MailboxesSize >= dsm::Mailboxes::Size &&
    SegmentLayout::Alignment % Mailbox::Alignment == 0);
  this->Channel = std::make_unique<Listener>(contact, std::move(handler), this->Mailboxes);
  this->OwnersKey = contact.ClientPublicKey;
  this->OwnKey = contact.ServerPublicKey;
  this->Watch =
    std::make_unique<GrantWatch>(this->Slots.Bell(), [this] { return this->LookInMemory(); });
}

void Coordinator::Close()
{
  this->Steered.Close();
  this->Watch.reset();
  std::unique_ptr<Listener> ending;
  {
    const std::lock_guard lock(this->Guard);
    ending = std::move(this->Channel);
    this->Allocations.Clear();
    this->TellEvicted();
    for (const auto& snapshot : this->Images.Snapshots().All())
    {
      this->TellPlaceholder(snapshot.FileName, snapshot.Number, PlaceholderState::ServerEnded);
    }
  }
  // Ends outside the lock: the listener's thread may be waiting for it.
  ending.reset();
  this->Placeholders.Finish();
  this->WakeAll();
}

void Coordinator::Received(const RequestId& request, const Envelope& message)
{
  const std::string guest = this->Admit(request, message);
  if (this->Steer(request, message, guest) || this->TellStatus(request, message))
  {
    return;
  }
  {
    const std::lock_guard lock(this->Guard);
    if (!this->Channel)
    {
      return; // closing
    }
    if (Is<Hello>(message))
    {
      CheckVersion(message);
    }
    const auto found = this->Answers.find(message.Name);
    if (found == this->Answers.end())
    {
      throw Error(Fault::Refused,
        "this DSM server does not understand \"{}\": its version is older or newer than the peer's",
        message.Name);
    }
    found->second(request, message);
    this->TellEvicted();
  }
  this->TellRuns();
}

// Who sent it, by the key of the connection it came by: a guest's name, or nothing for the owner.
// Throws when a guest may not send that.
std::string Coordinator::Admit(const RequestId& request, const Envelope& message) const
{
  GuestDescription guest;
  {
    const std::lock_guard lock(this->Guard);
    if (request.Key == this->OwnersKey)
    {
      return {};
    }
    const GuestDescription* found = this->Guests.Find(request.Key);
    if (!found)
    {
      throw Error(Fault::Refused, "your invitation was withdrawn by the owner");
    }
    guest = *found;
  }
  access::Require(guest, message);
  return guest.Guest;
}

// Before the rest is looked at, which another version may have otherwise.
void Coordinator::CheckVersion(const Envelope& hello)
{
  const auto theirs =
    Decode<HelloVersion>(hello.Body, MessageText(hello.Name), Unknown::Ignored).Protocol;
  if (theirs != ProtocolVersion())
  {
    throw Error(Fault::Refused,
      "the simulation's side speaks version {} of the DSM protocol and ParaView's side version {}: "
      "use the same release of ParaView DSM on both sides",
      theirs, ProtocolVersion());
  }
}

// What is about steering; true when it was.
bool Coordinator::Steer(const RequestId& request, const Envelope& message, const std::string& guest)
{
  if (Is<ReportProgress>(message))
  {
    this->Steered.Receive(request.Peer, Content<ReportProgress>(message));
  }
  else if (Is<ReportOutcomes>(message))
  {
    this->Steered.Receive(request.Peer, Content<ReportOutcomes>(message));
  }
  else if (Is<RequestSteering>(message))
  {
    auto asked = Content<RequestSteering>(message);
    if (!guest.empty())
    {
      SignAs(GuestText(guest), asked);
    }
    this->Steered.Request(request, asked);
  }
  else if (Is<DeclareProgram>(message))
  {
    this->Steered.Declare(request.Peer, Content<DeclareProgram>(message));
    std::uint64_t run = 0;
    {
      const std::lock_guard lock(this->Guard);
      const auto peer = this->Peers.find(request.Peer);
      run = peer == this->Peers.end() ? 0 : this->Streams.RunOf(IdentityOf(peer->second.Process));
      if (this->Channel)
      {
        this->Channel->Reply(request, Nothing());
      }
    }
    this->Steered.SetRun(request.Peer, run); // where its first file came before
  }
  else if (Is<ReadInteractions>(message))
  {
    const auto seen = this->Interactions(Content<ReadInteractions>(message));
    const std::lock_guard lock(this->Guard);
    if (this->Channel)
    {
      this->Channel->Reply(request, seen);
    }
  }
  else
  {
    return false;
  }
  return true;
}

ProgramInteractions Coordinator::Interactions(const ReadInteractions& message)
{
  double step = 0;
  {
    // A program that only looks has no step of its own to tell: the newest file's stands for it.
    const std::lock_guard lock(this->Guard);
    const auto* newest = this->Images.Snapshots().Newest();
    step = newest ? newest->Step : 0;
  }
  return this->Steered.Read(message, step);
}

SteeringService::Callbacks Coordinator::SteeringCallbacks()
{
  SteeringService::Callbacks callbacks;
  callbacks.Deliver = [this](const PeerId& peer, const DeliverTransactions& event)
  {
    const std::lock_guard lock(this->Guard);
    if (this->Channel)
    {
      this->Channel->Send(peer, event);
    }
  };
  callbacks.Acknowledge = [this](const PeerId& peer, const OutcomesAcknowledged& event)
  {
    const std::lock_guard lock(this->Guard);
    if (this->Channel)
    {
      this->Channel->Send(peer, event);
    }
  };
  callbacks.Answer = [this](const RequestId& request, const SteeringAnswer& answer)
  {
    const std::lock_guard lock(this->Guard);
    if (this->Channel)
    {
      this->Channel->Reply(request, AnsweredSteering{ answer });
    }
  };
  callbacks.Save = [this](std::uint64_t number, const SaveRequest& request)
  { return this->OrderSave(number, request); };
  return callbacks;
}

TransportMediator::Callbacks Coordinator::CallbacksFor(const std::string& transport)
{
  TransportMediator::Callbacks callbacks;
  callbacks.Reply = [this](const RequestId& request, Bytes reply)
  { this->Channel->Reply(request, TransportReply{ std::move(reply) }); };
  callbacks.Refuse = [this](const RequestId& request, const std::exception& error)
  { this->Refuse(request, error); };
  callbacks.ToHost = [this, transport](std::uint64_t host, Bytes message)
  { this->ToHost(host, TransportEvent{ transport, std::move(message) }); };
  callbacks.Report = [this](const std::string& trouble) { this->Report(trouble); };
  return callbacks;
}

template <typename Message>
void Coordinator::ToHost(std::uint64_t host, const Message& event)
{
  if (!this->HostPeers[host].empty())
  {
    this->Channel->Send(this->HostPeers[host], event);
  }
}

void Coordinator::Refuse(const RequestId& request, const std::exception& error)
{
  this->Channel->Refuse(request, error);
}

void Coordinator::Tick()
{
  this->Steered.Tick();
  this->TellRuns();
  const std::lock_guard lock(this->Guard);
  if (!this->Channel)
  {
    return;
  }
  this->Slots.Beat();
  for (const auto& [name, mediator] : this->Transports)
  {
    mediator->Tick();
  }
  this->ShowDue();
  this->ServeTakers();
  this->TellEvicted();
  this->ForgetOnDisk();
  this->WarmNext();
  if (this->Leases.EndLate())
  {
    this->RetryAllocations();
  }
  for (const auto& late : this->Allocations.TakeExpired())
  {
    const Error error = this->LostHosts.empty()
      ? Error(Fault::RingFull, "{}; waited {:.3g} s for room. {}", this->Images.FullText(),
          late.Waited, this->RoomAdvice())
      : Error(Fault::PeerLost, "{}; waited {:.3g} s for it to be back",
          this->LostHosts.begin()->second, late.Waited);
    this->Report(error.what());
    late.Refuse(error);
  }
}

std::string Coordinator::RoomAdvice() const
{
  const auto missing = this->Disk.Backlog(Clock::now()).Files.size();
  const std::string trouble = this->Disk.Trouble();
  return missing == 0
    ? this->Images.RoomAdvice()
    : fmt::format("{} of them wait to be written to disk{}{}: memory for more files "
                  "would help, or a faster disk, or fewer files on disk",
        missing, trouble.empty() ? "" : ", and ", trouble);
}

// ---- Peers.

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

// A host comes; true when it comes back, after one of the two was silent for too long: its memory
// is as it was, except for the tasks that it has missed.
bool Coordinator::Seat(const RequestId& request, const HostSeat& host)
{
  if (request.Key != this->OwnersKey || host.Secret != this->HostSecret ||
    host.Number >= this->Images.Memory().Hosts())
  {
    throw Error(Fault::Refused, "only this DSM server's own processes are its hosts");
  }
  const auto before = this->HostPeers[host.Number] == request.Peer
    ? this->Peers.end()
    : this->Peers.find(this->HostPeers[host.Number]);
  const bool unnoticed = before != this->Peers.end();
  if (unnoticed)
  {
    this->Peers.erase(before);
    this->HostPeers[host.Number].clear();
    this->LoseHost(host.Number, fmt::format("DSM host {} was away", host.Number));
  }
  return this->LostHosts.erase(host.Number) > 0;
}

// What it was told to do is not done, and nothing more can be asked of it until it is back.
void Coordinator::LoseHost(std::uint64_t host, const std::string& why)
{
  this->LostHosts[host] = why;
  this->Tasks.FailAll(why);
  this->Shares.Lose(host, why);
  this->WakeAll();
}

std::uint64_t Coordinator::RequireHost(const PeerId& peer)
{
  const std::optional<std::uint64_t>& host = this->Known(peer).Host;
  if (!host)
  {
    throw Error(Fault::Refused, "only a host of the DSM server says so");
  }
  return *host;
}

void Coordinator::Register(const RequestId& request, const Hello& message)
{
  const auto known = this->Peers.find(request.Peer);
  // One that says it again keeps what it has.
  Peer peer = known == this->Peers.end() ? Peer() : known->second;
  peer.Process = message.Peer;
  if (const GuestDescription* guest = this->Guests.Find(request.Key))
  {
    peer.Guest = guest->Guest;
    peer.Process.Role = "viewer"; // whatever it says: it can be no simulation
    Log().info("{} connected: {}", GuestText(peer.Guest), PeerText(peer.Process));
  }
  const bool isBack = message.Host && this->Seat(request, *message.Host);
  if (message.Host)
  {
    peer.Host = message.Host->Number;
    this->HostPeers[*peer.Host] = request.Peer;
  }
  peer.Since = WallTime();
  peer.KnownRevision = this->Revision;
  peer.AllocationTimeout = this->Options.FullRingLimit;
  if (peer.Process.Role == "writer")
  {
    Log().info("{} connected", PeerText(peer.Process));
    ++this->WritersSeen;
  }
  peer.WritersBefore = this->WritersSeen;
  if (IsSimulation(peer.Process))
  {
    this->LostLastSimulation = false;
  }
  const bool isHost = peer.Host.has_value();
  const bool isGuest = !peer.Guest.empty();
  this->Peers[request.Peer] = std::move(peer);
  HelloReply reply;
  reply.Server = isGuest ? ForReading(this->Description) : this->Description;
  reply.FullRingLimit = this->Options.FullRingLimit.count();
  reply.Files = this->ToldFilePolicy();
  reply.Clock = WallTime();
  reply.Trouble = this->LostHosts.empty() ? "" : this->LostHosts.begin()->second;
  if (message.Peer.Role == "writer" && request.Key == this->OwnersKey &&
    message.Peer.Machine == this->Machine)
  {
    if (const auto given = this->Channel->GiveMailbox(request))
    {
      reply.Mailbox = GivenMailbox{ given->Number, given->Key };
    }
  }
  this->Channel->Reply(request, reply);
  const bool allHosts = std::none_of(this->HostPeers.begin(), this->HostPeers.end(),
    [](const PeerId& known) { return known.empty(); });
  if (isHost && allHosts)
  {
    this->WarmNext(); // all hosts are here: memory can be made ready before any writer comes
  }
  if (isBack)
  {
    Log().info("DSM host {} is back, with its memory", message.Host->Number);
    this->Submit(this->Images.HostIsBack(message.Host->Number));
    this->RetryAllocations();
  }
  this->WakeAll();
}

void Coordinator::Gone(const PeerId& id, bool lost)
{
  this->Steered.Gone(id, lost);
  const std::lock_guard lock(this->Guard);
  const auto found = this->Peers.find(id);
  if (found == this->Peers.end() || !this->Channel)
  {
    return;
  }
  const Peer peer = std::move(found->second);
  this->Peers.erase(found);
  this->Gathering.Gone(id, Clock::now());
  this->Allocations.Forget(id);
  std::erase_if(this->Takers, [&](const Taker& taker) { return taker.Request.Peer == id; });
  std::erase_if(this->Awaiting, [&](const Awaiter& one) { return one.Request.Peer == id; });
  this->Leases.EndAll(id, lost);
  for (const auto& [name, mediator] : this->Transports)
  {
    mediator->Gone(id);
  }
  const std::string how = !lost ? "ended"
    : this->HasEnded(peer)
    ? "vanished (its process has ended)"
    : fmt::format("vanished (nothing heard for {:.3g} s)", PeerTimeout().count());
  for (const std::uint64_t image : this->Images.ImagesOf(id))
  {
    this->TellPlaceholder(this->Images.Image(image).FileName, 0, PlaceholderState::Unfinished);
    this->Drop(image, fmt::format("{} {} before it closed the file", PeerText(peer.Process), how));
  }
  if (peer.Host)
  {
    this->HostPeers[*peer.Host].clear();
    const auto text = fmt::format("DSM host {} {}: its memory cannot be reached", *peer.Host, how);
    if (lost)
    {
      this->Report(text);
    }
    this->LastError = text;
    this->LastErrorAt = WallTime();
    this->LoseHost(*peer.Host, text);
  }
  if (IsSimulation(peer.Process))
  {
    const auto text = fmt::format("{} {}", PeerText(peer.Process), how);
    Log().info("{}", text);
    // One that writes and is steered has two channels, and is reported once.
    if (lost && !std::exchange(this->LostLastSimulation, true))
    {
      this->Report(text);
    }
  }
  if (this->NoneWillCome())
  {
    this->ShowAll();
  }
  this->RetryAllocations();
  this->WakeAll();
}

// Also of one that writes from several processes: who speaks for them.
bool Coordinator::HasEnded(const Peer& peer) const
{
  return peer.Process.Machine == this->Machine && ProcessHasEnded(peer.Process.Process);
}

bool Coordinator::HasSimulations() const
{
  return std::any_of(this->Peers.begin(), this->Peers.end(),
    [](const auto& peer) { return IsSimulation(peer.second.Process); });
}

// Those that write, and those that are only steered, by the time they came: a process that does
// both is there once.
std::vector<ConnectedWriter> Coordinator::Simulations() const
{
  std::vector<ConnectedWriter> found;
  for (const char* const role : { "writer", "steering" })
  {
    for (const auto& [id, peer] : this->Peers)
    {
      const auto same = [&](const PeerDescription& known)
      { return known.Node == peer.Process.Node && known.Process == peer.Process.Process; };
      if (peer.Process.Role == role && std::none_of(found.begin(), found.end(), same))
      {
        found.push_back(
          { peer.Process, peer.Since, this->Streams.RunOf(IdentityOf(peer.Process)) });
      }
    }
  }
  std::sort(found.begin(), found.end(),
    [](const auto& one, const auto& other) { return one.Since < other.Since; });
  return found;
}

void Coordinator::Report(const std::string& trouble)
{
  Log().warn("{}", trouble);
  this->LastError = trouble;
  this->LastErrorAt = WallTime();
}

// ---- Images.

void Coordinator::TakeNoMore()
{
  const std::lock_guard lock(this->Guard);
  this->Ending = true;
  this->ShowAll();
}

void Coordinator::TakeAgain()
{
  const std::lock_guard lock(this->Guard);
  this->Ending = false;
}

void Coordinator::RequireTaking() const
{
  if (this->Ending)
  {
    throw Error(Fault::NoServer, "the DSM server ends, and takes no more files");
  }
}

void Coordinator::RequireHosts(const char* what) const
{
  if (!this->LostHosts.empty())
  {
    throw Error(Fault::PeerLost,
      "the DSM server has lost a host{} ({}): if its process was only stopped, let it go on; else "
      "restart ParaView's side",
      what, this->LostHosts.begin()->second);
  }
}

void Coordinator::TryOrWait(
  const PeerId& peer, AllocationQueue::Attempt attempt, AllocationQueue::Refusal refuse)
{
  // Not longer than the peer was told: it would have given up. A host that is away hears of
  // nothing, and may be back soon; or it never is.
  const Seconds limit = std::min({ this->Options.FullRingLimit, this->Known(peer).AllocationTimeout,
    this->LostHosts.empty() ? Seconds::max() : PeerTimeout() });
  this->Allocations.TryOrWait(
    peer, limit, [this, attempt = std::move(attempt)]
    { return this->LostHosts.empty() && attempt(); }, std::move(refuse));
}

void Coordinator::TryOrWait(const RequestId& request, AllocationQueue::Attempt attempt)
{
  this->TryOrWait(request.Peer, std::move(attempt),
    [this, request](const std::exception& error) { this->Refuse(request, error); });
}

void Coordinator::RetryAllocations()
{
  if (this->Channel)
  {
    this->Allocations.Retry();
  }
}

// What was on disk is forgotten before others get its place there.
void Coordinator::ForgetOnDisk()
{
  if (const auto forgotten = this->Images.TakeForgotten())
  {
    this->Tasks.Submit(forgotten->Plan, forgotten->Slot, {});
  }
}

void Coordinator::Submit(const ImageManager::Work& work, const HostTasks::Done& done)
{
  this->ForgetOnDisk();
  this->Tasks.Submit(work.Plan, work.Slot, done);
}

void Coordinator::Submit(const std::vector<ImageManager::Work>& work)
{
  for (const auto& one : work)
  {
    this->Submit(one);
  }
}

void Coordinator::PrepareNext(const std::string& fileName)
{
  if (const auto work = this->Images.PrepareNext(fileName))
  {
    this->Submit(*work,
      [this, slot = work->Slot](const std::string& failure)
      {
        if (!failure.empty())
        {
          this->Submit(this->Images.Cool(slot));
        }
      });
  }
}

// Whether a file has just been begun, whose writers want the cores and the memory's bandwidth.
bool Coordinator::IsBusyWriting() const
{
  return !this->Images.OpenImages().empty() && Clock::now() - this->LastBegin < BriefWriting;
}

// One piece after the other, until there is enough ahead of the writer, or no memory for it: then
// until the next file has been written. Not while one is, unless that takes long; and where files
// come one right after the other only half of what is enough: their writers want the cores. Where
// there is no pause at all small files' pages are only reserved: to clear them takes their writers
// less than it takes hosts, which have to map them for it.
void Coordinator::WarmNext()
{
  if (this->Warming || this->Scarce || this->Ending || !this->Channel || !this->LostHosts.empty() ||
    this->IsBusyWriting())
  {
    return;
  }
  const bool hurries = Clock::now() - this->LastSealed < BetweenFiles;
  const auto pages = this->Images.Warm(this->LastFile, hurries);
  if (pages.empty())
  {
    return;
  }
  this->Warming = true;
  const bool leavesRest = hurries && this->WasBrief && ImageManager::AreSmall(pages);
  this->Tasks.SubmitAhead(pages, !leavesRest,
    [this, pages](const std::string& failure)
    {
      this->Warming = false;
      this->Images.NoteWarm(pages);
      if (!failure.empty())
      {
        Log().info("no more memory is made ready ahead for now: {}", failure);
        this->Scarce = true;
        for (const auto& range : pages)
        {
          this->Submit(this->Images.Cool(range.Slot));
        }
      }
      this->WarmNext();
    });
}

void Coordinator::Begin(const RequestId& request, const BeginImage& message)
{
  this->RequireTaking();
  PeerDescription& who = this->Known(request.Peer).Process;
  if (who.Role != "writer" && who.Role != "archive")
  {
    // A program that only read until now: what writes is a simulation.
    who.Role = "writer";
    ++this->WritersSeen;
    ++this->Known(request.Peer).WritersBefore;
    this->LostLastSimulation = false;
    this->WakeAll();
  }
  this->RequireHosts(" and takes no more data");
  this->TryOrWait(request, [this, request, message] { return this->TryBegin(request, message); });
}

bool Coordinator::TryBegin(const RequestId& request, const BeginImage& message)
{
  std::optional<std::uint64_t> source;
  if (message.CopyOf != 0)
  {
    if (!this->Images.Snapshots().Find(message.CopyOf))
    {
      this->Images.Snapshots().ThrowNone(std::to_string(message.CopyOf));
    }
    source = message.CopyOf;
  }
  const SnapshotGroups::Writer writer = this->WriterOf(request.Peer);
  const auto granted = this->Images.Begin(request.Peer, message.File, source, RandomNumber(),
    this->Gathering.WouldJoin(writer, message.File).HasOthers, message.Clears, message.Ranks,
    this->MayOutgrow(this->Known(request.Peer).Process, message.File));
  if (!granted)
  {
    return false;
  }
  if (message.Ranks > 1)
  {
    this->Wants[granted->Image] = 0;
  }
  this->Pending.clear();
  const auto now = Clock::now();
  this->LastBegin = now;
  if (const auto* opened = source ? this->Images.Snapshots().Find(*source) : nullptr)
  {
    this->NoteOpened(this->Known(request.Peer), *opened);
  }
  this->EnterStream(request.Peer, granted->Image, message);
  this->Telling.Begun(granted->Image, request.Peer, message.File, message.CopyOf, now);
  this->Gathering.Begun(granted->Image, writer, message.File, now);
  this->Submit(granted->BeforeWriting,
    [this, request, granted = *granted](const std::string& failure)
    { this->Grant(request, granted, failure); });
  this->ShowDue(); // the writer does not wait for this
  return true;
}

// Where memory is short, files that are to be on disk as well go on there. Their folder must be one
// that all hosts see, as it must be for that.
bool Coordinator::MayOutgrow(const PeerDescription& writer, const std::string& fileName) const
{
  const KeepRule& rule = this->Disk.Rule();
  if (this->Description.DiskSize == 0 || !this->WritesToDisk || rule.IsNone())
  {
    return false;
  }
  return rule.MayKeep(fileName,
    this->Streams.StreamOf(fileName, StreamWriterOf(writer),
      [this](const std::string& identity) { return this->IsWriting(identity); }));
}

// Whether a simulation of that identity is connected.
bool Coordinator::IsWriting(const std::string& identity) const
{
  return std::any_of(this->Peers.begin(), this->Peers.end(),
    [&](const auto& entry)
    {
      const Peer& peer = entry.second;
      return IsSimulation(peer.Process) && IdentityOf(peer.Process) == identity &&
        !this->HasEnded(peer);
    });
}

// Which stream and run the snapshots of an image will be of.
void Coordinator::EnterStream(const PeerId& peer, std::uint64_t image, const BeginImage& message)
{
  const PeerDescription& process = this->Known(peer).Process;
  const StreamBook::Writer writer = StreamWriterOf(process);
  const auto place = this->Streams.Enter(
    message.File, writer, [this](const std::string& identity) { return this->IsWriting(identity); },
    message.CopyOf != 0);
  this->Images.EnterStream(image, place, writer.Program, process.Machine);
  if (!this->Runs.Has(place.Run))
  {
    this->EnterRun(place.Run, process);
  }
}

// What a program reads before it writes is what its run will have begun from.
void Coordinator::NoteOpened(Peer& peer, const SnapshotDescription& snapshot) const
{
  if (!peer.Host && !peer.Attached && this->Streams.RunOf(IdentityOf(peer.Process)) == 0)
  {
    peer.Opened = { snapshot.Run, snapshot.Program, snapshot.Stream, snapshot.Number,
      snapshot.FileName, snapshot.Step, snapshot.SealedAt };
  }
}

// A run begins with its program's first file. Of a job of several processes each may have opened
// snapshots, and each may be steered.
void Coordinator::EnterRun(std::uint64_t run, const PeerDescription& writer)
{
  SteeringService::BegunRun begun{ run, writer.Program, {}, {} };
  for (auto& [id, peer] : this->Peers)
  {
    if (IdentityOf(peer.Process) != IdentityOf(writer))
    {
      continue;
    }
    begun.Channels.insert(id);
    const auto opened = std::exchange(peer.Opened, std::nullopt);
    if (opened && (!begun.From || opened->Snapshot > begun.From->Snapshot))
    {
      begun.From = opened;
    }
  }
  if (begun.From)
  {
    Log().info("{} began from {} (snapshot {}, step {} of {})", writer.Program,
      begun.From->FileName, begun.From->Snapshot, begun.From->Step, begun.From->Program);
  }
  this->Runs.Enter({ run, writer.Program, writer.Node, WallTime(), begun.From });
  this->UntoldRuns.push_back(std::move(begun));
}

// Without the lock: see Steering().
void Coordinator::TellRuns()
{
  std::vector<SteeringService::BegunRun> untold;
  {
    const std::lock_guard lock(this->Guard);
    untold.swap(this->UntoldRuns);
  }
  for (const auto& run : untold)
  {
    this->Steered.RunBegan(run);
  }
}

// A file that all processes of a job write together is no part of others.
SnapshotGroups::Writer Coordinator::WriterOf(const PeerId& peer)
{
  const PeerDescription& process = this->Known(peer).Process;
  const bool isPart = 0 < process.Ranks && process.Ranks < process.JobProcesses;
  return isPart ? SnapshotGroups::Writer{ peer, process.Job, process.JobProcesses / process.Ranks,
    process.Ranks == 1 }
                : SnapshotGroups::Writer{ peer, {}, 1 };
}

// The slot is clean: the writer may begin.
void Coordinator::Grant(
  const RequestId& request, const ImageManager::Granted& granted, const std::string& failure)
{
  const auto image = this->Images.OpenImages().find(granted.Image);
  const auto writer = this->Peers.find(request.Peer);
  const bool writerIsHere = image != this->Images.OpenImages().end() && writer != this->Peers.end();
  if (granted.Source && (!writerIsHere || !failure.empty()))
  {
    this->Images.Snapshots().Release(granted.Source->Number, true);
  }
  if (!writerIsHere)
  {
    return;
  }
  if (!failure.empty())
  {
    this->Drop(granted.Image, failure);
    this->Refuse(request, Error(Fault::System, "{}", failure));
    return;
  }
  if (granted.Moved && this->Tell && this->Images.Snapshots().Find(granted.Moved->Number))
  {
    this->Tell(*granted.Moved);
  }
  this->Images.ConfirmGrant(granted.Image, image->second.Grant);
  this->TellGrant(granted.Image);
  ImageGranted reply;
  reply.Image = { granted.Image, image->second.Slot, image->second.Generation,
    image->second.Map.Parameters(), image->second.Grant, image->second.Key, image->second.Stale,
    image->second.Foreseen, image->second.IsInPlace ? image->second.Begins : 0,
    image->second.MayOutgrow ? this->Description.DiskSize / DiskWindows::Count : 0 };
  if (granted.Source)
  {
    const auto lease = this->Leases.Inherit(request.Peer, granted.Source->Number);
    reply.Source = LeasedSnapshot{ lease, *granted.Source };
  }
  this->AnnounceServer(request.Peer);
  this->Channel->Reply(request, reply);
  if (this->Wants.contains(granted.Image) && this->Watch)
  {
    this->Watch->Wake(); // its other ranks may have no bell
  }
}

void Coordinator::Extend(const RequestId& request, const ExtendImage& message)
{
  this->Images.RequireKey(message.Image, message.Key);
  auto growth = std::make_shared<Growth>();
  growth->Owner = request.Peer; // also one that has a channel of its own
  growth->Image = message.Image;
  growth->Bytes = message.Bytes;
  growth->Granted = [this, request, image = message.Image](std::uint64_t grant)
  {
    if (this->Peers.contains(request.Peer))
    {
      this->AnnounceServer(request.Peer);
      this->Channel->Reply(
        request, Extension{ grant, this->Images.Image(image).Map.Parameters().Disk });
    }
  };
  growth->Refused = [this, request](const std::exception& error) { this->Refuse(request, error); };
  this->Grow(std::move(growth));
}

// What ranks want and ask that have no channel. In the watch's thread; true where some may be on
// other nodes, and cannot ring.
bool Coordinator::LookInMemory()
{
  std::vector<QuestionBoard::Question> questions;
  bool mayNotRing = false;
  {
    const std::lock_guard lock(this->Guard);
    if (!this->Channel)
    {
      return false;
    }
    this->LookForWants();
    questions = this->Board.Take();
    mayNotRing = !this->Wants.empty() || this->RanksRead();
  }
  for (const QuestionBoard::Question& question : questions)
  {
    try
    {
      this->AnswerQuestion(question);
    }
    catch (const std::exception& error)
    {
      this->RefuseInMemory(question, error);
    }
  }
  return mayNotRing;
}

// Whether several ranks read a snapshot, which may move meanwhile.
bool Coordinator::RanksRead() const
{
  return std::any_of(this->Peers.begin(), this->Peers.end(), [this](const auto& peer)
    { return peer.second.Process.Ranks > 1 && this->Leases.HasAny(peer.first); });
}

// What they want, of each image the most, once; and how far they have come.
void Coordinator::LookForWants()
{
  const auto& images = this->Images.OpenImages();
  std::erase_if(this->Wants, [&](const auto& want) { return !images.contains(want.first); });
  std::vector<std::shared_ptr<Growth>> wanted;
  for (auto& [number, asked] : this->Wants)
  {
    const auto& image = images.at(number);
    const std::uint64_t bytes = this->Slots.Wanted(image.Slot, image.Generation);
    if (bytes > std::max(asked, image.Reserved))
    {
      asked = bytes;
      auto growth = std::make_shared<Growth>();
      growth->Owner = image.Owner;
      growth->Image = number;
      // Whole pages are asked for, and a map may end within the last.
      growth->Bytes = image.MayOutgrow ? bytes : std::min(bytes, image.Map.Capacity());
      // Those who wait see both in memory.
      growth->Granted = [](std::uint64_t) {};
      growth->Refused = [](const std::exception&) {};
      wanted.push_back(std::move(growth));
    }
  }
  std::erase_if(this->Reached, [&](const auto& one) { return !images.contains(one.first); });
  std::vector<std::uint64_t> further;
  for (const auto& [number, image] : images)
  {
    const std::uint64_t reached = this->ReachedBy(number);
    if (reached > this->Reached[number] && !this->IsBusyWriting())
    {
      this->Reached[number] = reached;
      further.push_back(number);
    }
  }
  for (const std::uint64_t number : further)
  {
    this->GrowFurther(number);
  }
  for (auto& growth : wanted)
  {
    try
    {
      this->Grow(growth);
    }
    catch (const Error& error)
    {
      this->TellRefusal(growth->Image, growth->Bytes, error);
    }
  }
}

void Coordinator::AnswerQuestion(const QuestionBoard::Question& question)
{
  const auto message = DecodeEnvelope(question.Message.data(), question.Message.size());
  if (message && Is<ReadInteractions>(*message))
  {
    this->AnswerInMemory(question, this->Interactions(Content<ReadInteractions>(*message)));
    return;
  }
  const std::lock_guard lock(this->Guard);
  if (!this->Channel)
  {
    return; // closing
  }
  if (message && Is<KeepBytes>(*message))
  {
    const auto keep = Content<KeepBytes>(*message);
    this->Images.RequireKey(keep.Image, keep.Key);
    this->KeepFor(this->Images.Image(keep.Image).Owner, keep,
      [this, question](const std::exception* why)
      { why ? this->RefuseInMemory(question, *why) : this->AnswerInMemory(question, Nothing()); });
  }
  else if (message && Is<LocateSnapshot>(*message))
  {
    this->AnswerInMemory(question, this->Located(Content<LocateSnapshot>(*message)));
  }
  else if (message && Is<OpenForRank>(*message))
  {
    const auto open = Content<OpenForRank>(*message);
    this->AnswerInMemory(question, this->LeasedForRank(open));
  }
  else if (message && Is<CloseForRank>(*message))
  {
    const auto close = Content<CloseForRank>(*message);
    this->Speaking(close.Speaker);
    this->Leases.End(close.Speaker, close.Lease);
    this->AnswerInMemory(question, Nothing());
  }
  else if (message && Is<FindOnDisk>(*message))
  {
    this->AnswerInMemory(question, this->Disk.Find(Content<FindOnDisk>(*message)));
  }
  else
  {
    throw Error(Fault::Unsupported, "the DSM server does not answer this in its memory");
  }
}

template <typename Record>
void Coordinator::AnswerInMemory(
  const QuestionBoard::Question& question, const Record& record) const
{
  const Envelope answer{ Envelope::Kind::Reply, {}, 0, Encode(record), {}, {} };
  if (!this->Board.Answer(question, EncodeEnvelope(answer)))
  {
    throw Error(Fault::Unsupported, "the answer has no room in the DSM server's memory");
  }
  this->Slots.RingAnswers();
}

void Coordinator::RefuseInMemory(
  const QuestionBoard::Question& question, const std::exception& error) const
{
  const Envelope refusal{ Envelope::Kind::Refusal, {}, 0, {}, Error::From(error).GetFault(),
    std::string(error.what()).substr(0, SegmentLayout::LongestReason) };
  if (this->Board.Answer(question, EncodeEnvelope(refusal)))
  {
    this->Slots.RingAnswers();
  }
}

void Coordinator::Grow(const std::shared_ptr<const Growth>& growth)
{
  this->TryOrWait(
    growth->Owner, [this, growth] { return this->TryGrow(growth); },
    [this, growth](const std::exception& error)
    {
      this->TellRefusal(growth->Image, growth->Bytes, error);
      growth->Refused(error);
    });
}

bool Coordinator::TryGrow(const std::shared_ptr<const Growth>& growth)
{
  const bool wasInMemory = !this->Images.Image(growth->Image).Map.ReachesDisk();
  const auto extended = this->Images.Extend(growth->Image, growth->Bytes);
  if (!extended)
  {
    return false;
  }
  if (const auto& image = this->Images.Image(growth->Image); wasInMemory && image.Map.ReachesDisk())
  {
    Log().info("{} does not fit the hosts' memory: what comes after its first {} is on disk in {}, "
               "and in memory as far as that is used",
      image.FileName, environment::FormatBytes(image.Map.Parameters().Disk.From),
      extended->BeforeWriting.Plan.Folder);
  }
  // Also where nothing is to be done: others may have asked, and wait for what it says.
  this->Submit(extended->BeforeWriting,
    [this, growth, grant = extended->Grant](const std::string& failure)
    {
      if (failure.empty() && this->Images.ConfirmGrant(growth->Image, grant))
      {
        this->TellGrant(growth->Image);
        growth->Granted(grant);
        this->GrowFurther(growth->Image);
        return;
      }
      if (!failure.empty())
      {
        this->Images.WithdrawGrant(growth->Image);
      }
      Error why(Fault::System, failure);
      // What is written already is worth waiting for a host that is away.
      if ((failure.empty() || !this->LostHosts.empty()) && this->Peers.contains(growth->Owner))
      {
        try
        {
          this->Grow(growth);
          return;
        }
        catch (const Error& error)
        {
          why = error;
        }
      }
      this->TellRefusal(growth->Image, growth->Bytes, why);
      growth->Refused(why);
    });
  return true;
}

// What its ranks have said of it last.
std::uint64_t Coordinator::ReachedBy(std::uint64_t number) const
{
  const auto found = this->Images.OpenImages().find(number);
  return found == this->Images.OpenImages().end()
    ? 0
    : this->Slots.Reached(found->second.Slot, found->second.Generation);
}

// Its writer goes on meanwhile, and finds what it will want next.
void Coordinator::GrowFurther(std::uint64_t image)
{
  if (this->Growing.contains(image))
  {
    return;
  }
  auto further = this->Images.ExtendFurther(image);
  if (!further)
  {
    further = this->Images.ExtendAhead(image, this->ReachedBy(image));
  }
  if (!further)
  {
    return;
  }
  this->Growing.insert(image);
  this->Submit(further->BeforeWriting,
    [this, image, grant = further->Grant](const std::string& failure)
    {
      this->Growing.erase(image);
      if (!failure.empty())
      {
        this->Images.WithdrawGrant(image);
      }
      else if (this->Images.ConfirmGrant(image, grant))
      {
        this->TellGrant(image);
        this->GrowFurther(image);
      }
    });
}

void Coordinator::RequireWriter(const RequestId& request, std::uint64_t image)
{
  this->Known(request.Peer); // says best why a peer that was given up is
  this->Images.RequireOwner(image, request.Peer);
}

// Before an image is sealed. From then on its writer cannot give it up any more.
void Coordinator::RequireNotGivenUp(std::uint64_t number) const
{
  const auto& image = this->Images.Image(number);
  if (this->Slots.Ending(image.Slot).Decide(image.Generation, SlotEnding::Kind::Sealed) ==
    SlotEnding::Kind::GivenUp)
  {
    throw Error(
      Fault::TimedOut, "the writer of {} had given up waiting for its snapshot", image.FileName);
  }
}

// To ranks that map this host's memory.
void Coordinator::TellGrant(std::uint64_t number) const
{
  const auto& image = this->Images.Image(number);
  this->Slots.TellGrant(image.Slot, image.Reserved, image.Map.Parameters().Disk);
}

// To the same: so much, or more.
void Coordinator::TellRefusal(std::uint64_t number, std::uint64_t bytes, const std::exception& why)
{
  const auto found = this->Images.OpenImages().find(number);
  if (found == this->Images.OpenImages().end())
  {
    return; // its slot has another generation, which says it
  }
  const auto& image = found->second;
  this->Slots.TellRefusal(image.Slot, image.Generation, bytes, Error::From(why), image.FileName);
  if (const auto want = this->Wants.find(number); want != this->Wants.end())
  {
    want->second = 0;
  }
}

void Coordinator::Seal(const RequestId& request, const SealImage& message)
{
  this->RequireTaking();
  this->RequireWriter(request, message.Image);
  const std::string file = this->Images.Image(message.Image).FileName;
  // This server was stopped, or had no time, and its writer has given up waiting. The image stays
  // as it is, for its writer may be reading it: until that discards it, or has gone.
  if (const double late = WallTime() - message.Until; late > 0)
  {
    throw Error(Fault::TimedOut,
      "the DSM server was asked to make {} a snapshot and got to it {:.1f} s too late: its writer "
      "had given up waiting",
      file, late);
  }
  this->RequireNotGivenUp(message.Image);
  this->EnterName(message.Image, message.OnDisk);
  const auto sealed = this->Images.Seal(message.Image, message.Size, message.Reach,
    message.Statistics, WallTime(), this->Gathering.WillJoin(message.Image).Number,
    this->Disk.Rule().MayKeep(file, this->Images.Image(message.Image).Place.Stream));
  this->Submit(sealed.Clearing);
  if (sealed.Number == 0)
  {
    Log().info("{} was not kept: the ring is full of unread snapshots", file);
    this->EndWithout(message.Image, true);
    this->WakeAll();
  }
  else
  {
    const auto now = Clock::now();
    if (this->Known(request.Peer).Process.Role == "archive")
    {
      // A file that was brought back is whole: nobody is about to open it again.
      this->Telling.Shown(message.Image, sealed.Number, now);
      this->Telling.Ended(message.Image, now);
    }
    else
    {
      this->Telling.Sealed(message.Image, sealed.Number, now);
    }
    this->Gathering.Sealed(message.Image, sealed.Number, false);
    this->Entered(sealed.Number, message.Image);
  }
  this->AnnounceServer(request.Peer);
  this->Channel->Reply(request, Sealed{ sealed.Number });
  this->RetryAllocations();
  this->PrepareNext(file);
  this->LastFile = file;
  this->WasBrief = this->LastBegin - this->LastSealed < BriefPause;
  this->LastSealed = Clock::now();
  this->Scarce = false;
  this->WarmNext();
}

// What is left on disk under an image's name. What it was begun as a copy of was there before.
void Coordinator::EnterName(std::uint64_t image, const NameLeft& name)
{
  // What its last flush has shown is a state of the same file.
  const auto& open = this->Images.Image(image);
  const std::uint64_t earlier = open.Shown != 0 ? open.Shown : open.Source;
  const std::uint64_t before = name.Before != 0 ? name.Before : earlier;
  if (name.IsThere)
  {
    this->Images.NoteNamed(image, before == 0 ? 0 : this->Disk.FamilyOf(before));
  }
}

// Who rescues snapshots hears of it at once, viewers when it is time.
void Coordinator::Entered(std::uint64_t number, std::uint64_t image)
{
  SnapshotTable& table = this->Images.Snapshots();
  const auto* entered = table.Find(number);
  if (entered && this->Tell)
  {
    this->Tell(*entered);
  }
  table.Hide(number);
  if (entered)
  {
    this->Disk.Entered(*entered, image);
  }
  this->Saves.Entered(number, table);
  this->ShowDue();
}

// An image that becomes no snapshot.
void Coordinator::EndWithout(std::uint64_t image, bool skipped)
{
  this->Telling.Ended(image, Clock::now());
  this->Gathering.Ended(image, skipped);
  this->ShowDue();
}

void Coordinator::Show(const std::vector<SnapshotGroups::Group>& groups)
{
  SnapshotTable& table = this->Images.Snapshots();
  for (const std::uint64_t number : this->Gathering.TakeUseless())
  {
    // Of a file without its group there is no picture, but it is a file.
    if (table.Find(number))
    {
      this->Disk.Told(table.Described(number));
      this->Saves.Told(table.Described(number), table);
    }
    table.ReplaceHidden(number);
  }
  this->Disk.ForgetReplaced();
  this->Saves.ForgetReplaced(table);
  if (groups.empty())
  {
    return;
  }
  for (const auto& group : groups)
  {
    if (group.Snapshots.size() > 1)
    {
      table.Gather(group.Snapshots, group.Name);
    }
    if (group.Missing > 0)
    {
      this->Report(fmt::format("{} is shown with the files of {} processes: those of {} others "
                               "did not come in time",
        group.Name, group.Snapshots.size(), group.Missing));
    }
    const std::uint64_t last = *std::max_element(group.Snapshots.begin(), group.Snapshots.end());
    for (const std::uint64_t number : group.Snapshots)
    {
      table.Show(number);
    }
    if (const auto* shown = table.Find(last))
    {
      this->Saves.Come(table.Described(shown->Number), table);
      this->Saves.Told(table.Described(shown->Number), table);
      this->Disk.Told(table.Described(shown->Number));
    }
  }
  if (this->Channel)
  {
    this->ServeTakers();
  }
  this->Changed.notify_all();
  if (!this->Saves.IsEmpty() || !this->Disk.IsEmpty())
  {
    this->ToWrite.notify_all();
  }
}

// Those who wait for snapshots, for an end, or for something to write.
void Coordinator::WakeAll()
{
  this->Changed.notify_all();
  this->ToWrite.notify_all();
}

void Coordinator::ShowDue()
{
  const auto now = Clock::now();
  for (const std::uint64_t number : this->Telling.TakeDue(now))
  {
    this->Gathering.Due(number, now);
  }
  this->Show(this->Gathering.TakeReady(now));
}

// No more will come.
void Coordinator::ShowAll()
{
  const auto now = Clock::now();
  for (const std::uint64_t number : this->Telling.TakeAll())
  {
    this->Gathering.Due(number, now);
  }
  this->Show(this->Gathering.TakeAll());
}

void Coordinator::TellPlaceholder(
  const std::string& file, std::uint64_t number, PlaceholderState state)
{
  this->Placeholders.Tell(file, { {}, this->OwnKey, number }, state);
}

// The hosts raise a slot's generation when its bytes are about to change; this host does at once,
// so that from now on nobody finds the snapshot by its placeholder. Where it shared its bytes,
// nobody did.
void Coordinator::TellEvicted()
{
  for (const auto& snapshot : this->Images.TakeEvicted())
  {
    if (!snapshot.Shared)
    {
      this->Slots.RaiseGeneration(snapshot.Slot, snapshot.Generation + 1);
    }
    this->TellPlaceholder(snapshot.FileName, snapshot.Number, PlaceholderState::Dropped);
    if (const auto why = this->Saves.Left(snapshot.Number))
    {
      this->Report(
        fmt::format("snapshot {} ({}) had to leave the memory and is not in the archive: "
                    "{}",
          snapshot.Number, snapshot.FileName, *why));
    }
    if (const auto trouble = this->Disk.Left(snapshot))
    {
      this->Report(*trouble);
    }
    if (const auto group = this->Gathering.Left(snapshot.Number))
    {
      this->Report(fmt::format("{} is not shown: one of these files had to leave the memory before "
                               "all of them were there (raise the memory per host)",
        *group));
    }
  }
}

void Coordinator::Publish(const RequestId& request, const PublishImage& message)
{
  this->RequireTaking();
  this->RequireWriter(request, message.Image);
  this->RequireHosts(", and with it a part of the file being written");
  this->Images.DiscardCopies(message.Image);
  this->TryOrWait(request, [this, request, message] { return this->TryPublish(request, message); });
}

bool Coordinator::TryPublish(const RequestId& request, const PublishImage& message)
{
  const auto published = this->Images.Publish(message.Image, message.Size, message.Changing,
    message.Statistics, this->Gathering.WillJoin(message.Image).HasOthers);
  if (!published)
  {
    return false;
  }
  if (published->Copy == 0)
  {
    if (published->FirstSkipped)
    {
      this->Report(published->Skipped);
    }
    this->Channel->Reply(request, Published{ 0, published->Skipped });
    return true;
  }
  this->Submit(published->Copying,
    [this, request, image = message.Image, copy = published->Copy](const std::string& failure)
    {
      if (!this->Images.IsAwaited(copy))
      {
        return; // its writer has gone, or has given up waiting
      }
      if (failure.empty())
      {
        this->Channel->Reply(request, Published{ copy, {} });
        return;
      }
      this->Images.DiscardCopies(image);
      this->Refuse(request, Error(Fault::System, "{}", failure));
    });
  return true;
}

void Coordinator::Keep(const RequestId& request, const KeepBytes& message)
{
  this->Images.RequireKey(message.Image, message.Key);
  this->KeepFor(request.Peer, message, [this, request](const std::exception* why)
    { why ? this->Refuse(request, *why) : this->Channel->Reply(request, Nothing()); });
}

void Coordinator::KeepFor(const PeerId& owner, const KeepBytes& message, const WhenKept& outcome)
{
  this->TryOrWait(
    owner, [this, message, outcome] { return this->TryKeep(message, outcome); },
    [outcome](const std::exception& error) { outcome(&error); });
}

bool Coordinator::TryKeep(const KeepBytes& message, const WhenKept& outcome)
{
  const auto kept = this->Images.Keep(message.Image, message.Host, message.Bytes);
  // When all tasks have been done; some are at once.
  const auto answer = [this, outcome, complete = kept.Complete,
                        left = std::make_shared<std::size_t>(kept.Snapshots.size() + 1)]
  {
    if (--*left > 0 || !complete)
    {
      return;
    }
    if (this->LostHosts.empty())
    {
      outcome(nullptr);
      return;
    }
    const Error lost(Fault::PeerLost,
      "the DSM server has lost a host ({}), and with it a part of the file",
      this->LostHosts.begin()->second);
    outcome(&lost);
  };
  for (const auto& one : kept.Snapshots)
  {
    this->Submit(one.Copying, [this, answer, snapshot = one.Snapshot](const std::string& failure)
      { this->Kept(snapshot, failure, answer); });
  }
  this->Submit(kept.Telling, [answer](const std::string&) { answer(); });
  return kept.Complete;
}

// The hosts have copied what the snapshot is to keep. Where they could not, the simulation goes on,
// and the snapshot goes: who reads it finds out before any of its bytes change.
void Coordinator::Kept(const SnapshotDescription& snapshot, const std::string& failure,
  const std::function<void()>& answer)
{
  if (failure.empty())
  {
    this->Images.ConfirmKept(snapshot);
    if (this->Tell && this->Images.Snapshots().Find(snapshot.Number))
    {
      this->Tell(snapshot);
    }
    answer();
    return;
  }
  this->Report(
    fmt::format("snapshot {} ({}) had to go: {}", snapshot.Number, snapshot.FileName, failure));
  const auto telling = this->Images.Revoke(snapshot.Number);
  this->Submit(telling, [answer](const std::string&) { answer(); });
}

void Coordinator::Confirm(const RequestId& request, const ConfirmCopy& message)
{
  this->RequireTaking();
  this->RequireWriter(request, message.Image);
  this->EnterName(message.Image, message.OnDisk);
  const auto sealed = this->Images.Confirm(
    message.Image, message.Copy, WallTime(), this->Gathering.WillJoin(message.Image).Number);
  this->Telling.Shown(message.Image, sealed.Number, Clock::now());
  this->Gathering.Sealed(message.Image, sealed.Number, true);
  this->Entered(sealed.Number, message.Image);
  this->AnnounceServer(request.Peer);
  this->Channel->Reply(request, Sealed{ sealed.Number });
  this->RetryAllocations();
}

// A file whose last flush shows all there is: it is closed, and no snapshot more.
void Coordinator::Finish(const RequestId& request, const FinishImage& message)
{
  this->RequireWriter(request, message.Image);
  this->Submit(this->Images.Finish(message.Image, message.Reach));
  this->EndWithout(message.Image);
  this->Channel->Reply(request, Nothing());
  this->WakeAll();
  this->RetryAllocations();
}

void Coordinator::Discard(const RequestId& request, const DiscardImage& message)
{
  if (this->Images.OpenImages().contains(message.Image))
  {
    this->RequireWriter(request, message.Image);
    this->Drop(message.Image, message.Why);
    this->RetryAllocations();
    this->WakeAll();
  }
}

void Coordinator::Drop(std::uint64_t image, const std::string& why)
{
  const auto& dropped = this->Images.Image(image);
  const std::string text = fmt::format("the image of {} was discarded: {}", dropped.FileName, why);
  const bool alone = this->Slots.Ending(dropped.Slot).IsAlone(dropped.Generation);
  const auto work = this->Images.Drop(image, text, alone);
  this->EndWithout(image);
  this->Report(text);
  this->Submit(work);
}

void Coordinator::Prepared(const RequestId& request, const MemoryPrepared& message)
{
  this->RequireHost(request.Peer);
  if (!message.Failure.empty() && !message.Ahead)
  {
    this->Report(message.Failure);
  }
  for (const std::uint64_t ticket : message.Tickets)
  {
    this->Tasks.Report(ticket, message.Failure);
  }
}

void Coordinator::Fail(const RequestId& request, const HostFailure& message)
{
  this->RequireHost(request.Peer);
  this->Report(message.Text);
}

// ---- Snapshots.

// The peer that speaks for a rank.
Coordinator::Peer& Coordinator::Speaking(const PeerId& id)
{
  const auto found = this->Peers.find(id);
  if (found == this->Peers.end())
  {
    throw Error(Fault::Unsupported, "nobody speaks for this rank at the DSM server");
  }
  return found->second;
}

void Coordinator::Open(const RequestId& request, const OpenSnapshot& message)
{
  this->Known(request.Peer); // says best why a peer that was given up is
  this->Channel->Reply(request, this->Leased(request.Peer, message));
}

LeasedSnapshot Coordinator::Leased(const PeerId& id, const OpenSnapshot& message)
{
  Peer& peer = this->Known(id);
  this->RequireRoom(id, peer);
  const std::uint64_t number = this->Leases.NextNumber();
  return { number, this->Lease(id, peer, number, message) };
}

LeasedSnapshot Coordinator::LeasedForRank(const OpenForRank& message)
{
  Peer& peer = this->Speaking(message.Speaker);
  // It may have asked before.
  if (const auto* leased = this->Leases.Find(message.Speaker, message.Lease))
  {
    return { message.Lease, *leased };
  }
  if (message.Lease < HoldSnapshots::FirstLease)
  {
    throw Error(Fault::Refused, "the number of a rank's lease is one of the server's own");
  }
  this->RequireRoom(message.Speaker, peer);
  return { message.Lease, this->Lease(message.Speaker, peer, message.Lease, message.Wanted) };
}

// Held by that lease from now on.
const SnapshotDescription& Coordinator::Lease(
  const PeerId& id, Peer& peer, std::uint64_t number, const OpenSnapshot& message)
{
  const SnapshotDescription& snapshot = this->Leases.Open(id, number, message, !peer.Guest.empty());
  if (!message.Peek)
  {
    this->NoteOpened(peer, snapshot);
  }
  this->WakeWatchFor(peer);
  return snapshot;
}

const SnapshotDescription& Coordinator::Located(const LocateSnapshot& message) const
{
  const SnapshotTable& table = this->Images.Snapshots();
  const SnapshotDescription* snapshot = table.Find(message.Number);
  if (!snapshot)
  {
    table.ThrowNone(std::to_string(message.Number));
  }
  return *snapshot;
}

void Coordinator::Locate(const RequestId& request, const LocateSnapshot& message)
{
  this->Known(request.Peer);
  this->Channel->Reply(request, this->Located(message));
}

// Nothing where one has gone, or the peer has too many: it sees for itself whether it has the
// bytes.
void Coordinator::Hold(const RequestId& request, const HoldSnapshots& message)
{
  Peer& peer = this->Known(request.Peer);
  const bool guest = !peer.Guest.empty();
  SnapshotTable& table = this->Images.Snapshots();
  const auto noteOpened = [&](std::uint64_t number)
  {
    if (const auto* opened = table.Find(number))
    {
      this->NoteOpened(peer, *opened);
    }
  };
  std::ranges::for_each(message.Read, noteOpened);
  for (const SnapshotHold& hold : message.Begun)
  {
    if (!hold.Peek)
    {
      noteOpened(hold.Number);
    }
    this->Leases.Enter(request.Peer, hold.Lease, { hold.Number, hold.Peek || guest });
    this->WakeWatchFor(peer);
  }
  for (const std::uint64_t number : message.Read)
  {
    if (!guest && table.Find(number))
    {
      table.Retain(number);
      table.Release(number, true);
    }
  }
  for (const std::uint64_t lease : message.Ended)
  {
    this->Leases.End(request.Peer, lease);
  }
  if (!message.Read.empty() || !message.Ended.empty())
  {
    // Writers that wait for room go on also when what they wait for is read.
    this->RetryAllocations();
  }
}

// What a guest says of itself does not count.
void Coordinator::RequireRoom(const PeerId& id, const Peer& peer) const
{
  this->Leases.RequireRoom(id, peer.Guest.empty() ? peer.Process.Ranks : 1);
}

// The other ranks of a peer that has a snapshot open may have no bell.
void Coordinator::WakeWatchFor(const Peer& peer) const
{
  if (peer.Process.Ranks > 1 && this->Watch)
  {
    this->Watch->Wake();
  }
}

void Coordinator::CloseLease(const RequestId& request, const CloseSnapshot& message)
{
  this->Known(request.Peer); // says best why a peer that was given up is
  this->Leases.End(request.Peer, message.Lease);
  this->RetryAllocations();
}

// For those who choose among them. Where the bytes are, who opens one is told.
std::vector<SnapshotDescription> Coordinator::ListedSnapshots(bool hiddenToo) const
{
  const SnapshotTable& table = this->Images.Snapshots();
  auto all = hiddenToo ? table.All() : table.Shown();
  for (SnapshotDescription& snapshot : all)
  {
    snapshot.Shared.reset();
  }
  return all;
}

// All, or those of a name or number; with the newest of them kept for who asks, where it wants
// that.
void Coordinator::List(const RequestId& request, const ListSnapshots& message)
{
  SnapshotList list;
  const SnapshotTable& table = this->Images.Snapshots();
  if (message.Number != 0 && message.HiddenToo && table.Find(message.Number))
  {
    list.Snapshots = { table.Described(message.Number) };
    list.Snapshots.front().Shared.reset();
  }
  else
  {
    list.Snapshots = this->ListedSnapshots(message.HiddenToo);
  }
  std::erase_if(list.Snapshots,
    [&](const SnapshotDescription& one)
    {
      return (message.Number != 0 && one.Number != message.Number) ||
        !FitsStream(message.Match, one.FileName, one.Stream, one.Run);
    });
  if (message.Hold && !list.Snapshots.empty())
  {
    const Peer& peer = this->Known(request.Peer);
    this->RequireRoom(request.Peer, peer);
    list.Lease = this->Leases.Grant(request.Peer, { list.Snapshots.back().Number, true });
    this->WakeWatchFor(peer);
  }
  this->Channel->Reply(request, list);
}

void Coordinator::Delete(const RequestId& request, const DeleteFile& message)
{
  this->Channel->Reply(request, DeletedFile{ this->Images.Snapshots().ForgetName(message.File) });
}

void Coordinator::EnterSaved(const RequestId& request, const NoteSaved& message)
{
  this->Disk.NoteSaved(message.Number);
  this->Channel->Reply(request, Nothing());
}

// ---- What all hosts write to disk together.

void Coordinator::EnterWrittenShare(const RequestId& request, const ShareWritten& message)
{
  this->Shares.Report(this->RequireHost(request.Peer), message);
  this->WakeAll();
}

bool Coordinator::WriteByHosts(
  const WriteShare& share, const std::function<void(std::uint64_t)>& wrote)
{
  std::unique_lock lock(this->Guard);
  this->RequireHosts(", and with it a part of the snapshot");
  const std::uint64_t ticket = this->Shares.Begin(this->HostPeers.size());
  for (std::uint64_t host = 0; host < this->HostPeers.size() && this->Channel; ++host)
  {
    WriteShare its = share;
    its.Ticket = ticket;
    its.Host = host;
    this->ToHost(host, its);
  }
  try
  {
    this->AwaitShares(lock, ticket, wrote);
    const bool hasMoved = this->Shares.Now(ticket).HasMoved;
    this->Shares.End(ticket);
    return !hasMoved;
  }
  catch (...)
  {
    if (!lock.owns_lock())
    {
      lock.lock();
    }
    this->Shares.End(ticket);
    for (std::uint64_t host = 0; host < this->HostPeers.size() && this->Channel; ++host)
    {
      this->ToHost(host, CancelShare{ ticket });
    }
    throw;
  }
}

// Returns with the lock; what it throws, without.
void Coordinator::AwaitShares(std::unique_lock<std::mutex>& lock, std::uint64_t ticket,
  const std::function<void(std::uint64_t)>& wrote)
{
  std::uint64_t told = 0;
  Deadline stalled(DiskStallLimit);
  for (;;)
  {
    this->Changed.wait_for(lock, LookInterval,
      [&]
      {
        const auto now = this->Shares.Now(ticket);
        return !this->Channel || now.Missing == 0 || !now.Failure.empty();
      });
    const auto now = this->Shares.Now(ticket);
    const bool ends = !this->Channel;
    lock.unlock();
    if (!now.Failure.empty())
    {
      throw Error(now.IsElsewhere ? Fault::Unsupported : Fault::System, "{}", now.Failure);
    }
    if (ends)
    {
      throw Error(Fault::System, "the server ends");
    }
    wrote(now.Bytes - std::min(told, now.Bytes));
    if (now.Bytes > told)
    {
      told = now.Bytes;
      stalled = Deadline(DiskStallLimit);
    }
    else if (now.Missing > 0 && stalled.Expired())
    {
      throw Error(Fault::TimedOut, "no host has written a byte for {:.3g} s: does the disk hang?",
        DiskStallLimit.count());
    }
    lock.lock();
    if (now.Missing == 0)
    {
      return;
    }
  }
}

// ---- Files that are on disk as well, under their own names.

void Coordinator::SetDiskRule(const std::string& rule)
{
  this->Disk.SetRule(rule);
  this->WakeAll();
}

void Coordinator::OfferDisk(bool offered)
{
  const std::lock_guard lock(this->Guard);
  this->WritesToDisk = offered;
  this->WakeAll();
}

std::optional<SnapshotDescription> Coordinator::WaitForDiskOrder()
{
  std::unique_lock lock(this->Guard);
  while (this->Channel && this->WritesToDisk)
  {
    if (auto next = this->Disk.Begin(Clock::now()))
    {
      return next;
    }
    const auto again = this->Disk.NextTry();
    again ? static_cast<void>(this->ToWrite.wait_until(lock, *again)) : this->ToWrite.wait(lock);
  }
  return std::nullopt;
}

// Before it has its name: a simulation may open it at once.
void Coordinator::EnterWritten(const SnapshotDescription& snapshot, const FileMark& mark)
{
  const std::lock_guard lock(this->Guard);
  this->Disk.EnterWritten(snapshot, mark);
}

void Coordinator::DiskDone(const SnapshotDescription& snapshot, const DiskOutcome& outcome)
{
  const std::lock_guard lock(this->Guard);
  const bool keep = this->Options.WhenFull == FullRing::Block;
  if (const auto trouble = this->Disk.End(snapshot, outcome, keep, Clock::now()))
  {
    this->Report(*trouble);
  }
  this->RetryAllocations();
  this->WakeAll();
}

std::optional<WrittenFiles::File> Coordinator::WrittenAs(const FileMark& mark) const
{
  const std::lock_guard lock(this->Guard);
  return this->Disk.WrittenAs(mark);
}

std::uint64_t Coordinator::FamilyOf(const PlaceholderAddress& placeholder) const
{
  const std::lock_guard lock(this->Guard);
  return this->Disk.FamilyOf(placeholder);
}

void Coordinator::TryDiskNow()
{
  const std::lock_guard lock(this->Guard);
  this->Disk.TryNow();
  this->WakeAll();
}

DiskBacklog Coordinator::AwaitDisk(const Deadline& deadline)
{
  std::unique_lock lock(this->Guard);
  this->Changed.wait_until(lock, deadline.TimePoint(),
    [this] { return !this->Channel || !this->WritesToDisk || !this->Disk.IsBusy(Clock::now()); });
  auto backlog = this->Disk.Backlog(Clock::now());
  backlog.Busy = backlog.Busy && this->Channel && this->WritesToDisk;
  return backlog;
}

void Coordinator::Find(const RequestId& request, const FindOnDisk& message)
{
  this->Channel->Reply(request, this->Disk.Find(message));
}

// No simulation is connected any more.
bool Coordinator::NoneWillCome() const
{
  return this->WritersSeen > 0 && !this->HasSimulations() && this->Images.OpenImages().empty();
}

// No program is connected any more that could write what one waits for. A program of a chain writes
// as well, and while it waits it does not: of several such, the one that came first hears so first,
// for the others may wait for what it writes when it has heard. One that has read nothing yet came
// before the program that it waits for, unless another has come and gone since.
bool Coordinator::NoneWillCome(const Awaiter& one) const
{
  const Peer& reader = this->Peers.at(one.Request.Peer);
  const bool begins = !reader.HasRead && !reader.Opened && one.Wanted.After == 0 &&
    this->WritersSeen == reader.WritersBefore;
  if (this->WritersSeen == 0 || begins || this->LostLastSimulation)
  {
    return false;
  }
  std::map<std::string, double> waiting; // since when they are there, by their jobs
  for (const Awaiter& other : this->Awaiting)
  {
    const Peer& peer = this->Peers.at(other.Request.Peer);
    waiting[IdentityOf(peer.Process)] = peer.Since;
  }
  const std::string job = IdentityOf(reader.Process);
  std::size_t theirs = 0;
  for (const auto& [id, peer] : this->Peers)
  {
    const auto waits = waiting.find(IdentityOf(peer.Process));
    const bool mayWrite = IsSimulation(peer.Process) && IdentityOf(peer.Process) != job;
    const bool first =
      IsSimulation(reader.Process) && waits != waiting.end() && reader.Since <= waits->second;
    if (mayWrite && !first)
    {
      return false;
    }
    theirs += waits != waiting.end() ? this->Images.ImagesOf(id).size() : 0;
  }
  return this->Images.OpenImages().size() == theirs;
}

std::optional<SnapshotDescription> Coordinator::WaitForSnapshot(
  std::uint64_t after, bool next, const Deadline& deadline)
{
  std::unique_lock lock(this->Guard);
  SnapshotTable& table = this->Images.Snapshots();
  this->Changed.wait_until(lock, deadline.TimePoint(),
    [&]
    {
      return table.After(after, next) || !this->Channel || this->NoneWillCome() ||
        !this->Orders.IsEmpty(); // which the caller must look at
    });
  const SnapshotDescription* found = table.After(after, next);
  if (!found || !this->Channel)
  {
    return std::nullopt;
  }
  table.Take(found->Number);
  return table.Described(found->Number);
}

void Coordinator::Release(std::uint64_t number)
{
  const std::lock_guard lock(this->Guard);
  this->Images.Snapshots().GiveBack(number);
  this->RetryAllocations();
}

// ---- Viewers in other processes, that do what a program does with hosts of its own.

// Before the lock: see Steering().
bool Coordinator::TellStatus(const RequestId& request, const Envelope& message)
{
  if (!Is<AskStatus>(message) && !Is<AttachViewer>(message))
  {
    return false;
  }
  if (Is<AttachViewer>(message))
  {
    const std::lock_guard lock(this->Guard);
    if (!this->Orders.IsOffered())
    {
      throw Error(Fault::Refused,
        "this DSM server is a part of the program that started it (process {} on {}), and only "
        "that can change or stop it: stop it there, or take another contact file",
        getpid(), MachineName());
    }
    this->Known(request.Peer).Attached = true;
  }
  const ServerStatus status = this->Status();
  const std::lock_guard lock(this->Guard);
  if (this->Channel)
  {
    this->Channel->Reply(request, status);
  }
  return true;
}

void Coordinator::TellTraffic(const RequestId& request, const AskTraffic&)
{
  ControlTraffic traffic;
  traffic.Peers = this->Peers.size();
  for (const auto& [name, received, sent] : this->Channel->Traffic())
  {
    traffic.Messages.push_back({ name, received, sent });
  }
  this->Channel->Reply(request, traffic);
}

void Coordinator::RequireAttached(const PeerId& peer)
{
  if (!this->Known(peer).Attached)
  {
    throw Error(Fault::Refused, "only a program that has attached to this DSM server says so");
  }
}

void Coordinator::Take(const RequestId& request, const TakeSnapshot& message)
{
  this->Known(request.Peer);
  this->Takers.push_back({ request, message, Deadline(Seconds(message.Seconds)) });
  this->ServeTakers();
}

void Coordinator::Await(const RequestId& request, const AwaitSnapshot& message)
{
  this->Known(request.Peer);
  const auto awaits = std::count_if(this->Awaiting.begin(), this->Awaiting.end(),
    [&](const Awaiter& one) { return one.Request.Peer == request.Peer; });
  if (awaits >= MostAwaited || !std::isfinite(message.Seconds))
  {
    throw Error(Fault::Refused, "{} waits for {} snapshots at once: {} is one too many",
      PeerText(this->Known(request.Peer).Process), awaits, message.File);
  }
  const Seconds limit(std::clamp<double>(message.Seconds, 0, LongestAwait));
  this->Awaiting.push_back({ request, message, Deadline(limit) });
  this->ServeTakers();
}

void Coordinator::ServeTakers()
{
  const SnapshotTable& table = this->Images.Snapshots();
  std::vector<bool> none; // all before anybody is answered; a program that was lost may come back
  std::transform(this->Awaiting.begin(), this->Awaiting.end(), std::back_inserter(none),
    [this](const Awaiter& one) { return this->NoneWillCome(one); });
  auto noneFor = none.begin();
  std::erase_if(this->Awaiting,
    [&](const Awaiter& one)
    {
      const bool over = *noneFor++;
      const auto* found = table.NextNamed(one.Wanted.File, one.Wanted.After);
      if (!found && !over && !one.Until.Expired())
      {
        return false;
      }
      if (found)
      {
        this->Known(one.Request.Peer).HasRead = true;
      }
      this->Channel->Reply(one.Request, AwaitedSnapshot{ found ? found->Number : 0, over });
      return true;
    });
  std::erase_if(this->Takers,
    [&](const Taker& taker)
    {
      TakenSnapshot taken;
      if (const auto* found = table.After(taker.Wanted.After, taker.Wanted.Next))
      {
        this->WakeWatchFor(this->Known(taker.Request.Peer));
        const auto lease =
          this->Leases.Grant(taker.Request.Peer, { found->Number, false, {}, 0, true });
        taken.Snapshot = LeasedSnapshot{ lease, table.Described(found->Number) };
      }
      else if (!taker.Until.Expired() && !this->NoneWillCome())
      {
        return false;
      }
      this->Channel->Reply(taker.Request, taken);
      return true;
    });
}

void Coordinator::OrderAdjust(const RequestId& request, const AdjustServer& message)
{
  this->RequireAttached(request.Peer);
  this->Orders.Add({ request, message.Options });
  this->WakeAll();
}

void Coordinator::OrderStop(const RequestId& request, const StopServer&)
{
  this->RequireAttached(request.Peer);
  this->Orders.Add({ request, std::nullopt });
  this->WakeAll();
}

void Coordinator::OnSealed(std::function<void(const SnapshotDescription&)> call)
{
  const std::lock_guard lock(this->Guard);
  this->Tell = std::move(call);
  for (const SnapshotDescription& snapshot : this->Images.Snapshots().All())
  {
    if (this->Tell)
    {
      this->Tell(snapshot);
    }
  }
}

void Coordinator::OfferAttaching(bool offered)
{
  const std::lock_guard lock(this->Guard);
  this->Orders.Offer(offered);
}

std::optional<HostOrder> Coordinator::TakeOrder()
{
  const std::lock_guard lock(this->Guard);
  return this->Orders.Take();
}

void Coordinator::OrderDone(const HostOrder& order, const std::string& failure)
{
  const std::lock_guard lock(this->Guard);
  if (!this->Channel)
  {
    return;
  }
  if (!failure.empty())
  {
    this->Refuse(order.Request, Error(Fault::Usage, "{}", failure));
  }
  else if (order.Options)
  {
    this->Channel->Reply(order.Request, ServerAdjusted{ this->Description });
  }
  else
  {
    this->Channel->Reply(order.Request, Nothing());
  }
}

void Coordinator::NoteTransports(std::vector<std::string> lines)
{
  const std::lock_guard lock(this->Guard);
  this->TransportLines = std::move(lines);
}

// ---- Guests.

void Coordinator::Invite(const RequestId& request, const InviteGuest& message)
{
  GuestBook book = this->Guests;
  book.Invite(message, WallTime());
  this->Channel->Admit(message.Key);
  this->Guests = std::move(book);
  Log().info("{} is invited to {}", message.Guest, RightName(message.May));
  this->Channel->Reply(request, Nothing());
}

void Coordinator::Withdraw(const RequestId& request, const WithdrawGuest& message)
{
  this->Channel->Withdraw(this->Guests.Withdraw(message.Guest, WallTime()));
  const auto ending = std::count_if(this->Peers.begin(), this->Peers.end(),
    [&](const auto& peer) { return peer.second.Guest == message.Guest; });
  Log().info("the invitation of {} is withdrawn", message.Guest);
  this->Channel->Reply(request, WithdrawnGuest{ static_cast<std::uint64_t>(ending) });
}

void Coordinator::TellGuests(const RequestId& request, const ListGuests&)
{
  this->Channel->Reply(request, GuestList{ this->Guests.All(), this->Connected() });
}

// All but the hosts, by the time they came.
std::vector<ConnectedPeer> Coordinator::Connected() const
{
  std::vector<ConnectedPeer> connected;
  for (const auto& [id, peer] : this->Peers)
  {
    if (!peer.Host)
    {
      connected.push_back({ peer.Guest, peer.Process, peer.Since });
    }
  }
  std::sort(connected.begin(), connected.end(),
    [](const auto& one, const auto& other) { return one.Since < other.Since; });
  return connected;
}

// ---- What transports' two sides say to each other.

TransportMediator& Coordinator::MediatorOf(const std::string& transport)
{
  const auto found = this->Transports.find(transport);
  if (found == this->Transports.end())
  {
    throw Error(Fault::Refused, "this DSM server's transport \"{}\" has nothing to say", transport);
  }
  return *found->second;
}

void Coordinator::AskTransport(const RequestId& request, const TransportRequest& message)
{
  this->Known(request.Peer);
  this->MediatorOf(message.Transport).Request(request, message.Content);
}

void Coordinator::TellTransport(const RequestId& request, const TransportNotice& message)
{
  const auto peer = this->Peers.find(request.Peer);
  const bool isHost = peer != this->Peers.end() && peer->second.Host.has_value();
  this->MediatorOf(message.Transport).Notify(request.Peer, isHost, message.Content);
}

// ---- Writing snapshots to disk. The steering service answers the viewer: empty, or why it cannot
// be done.

std::string Coordinator::OrderSave(std::uint64_t ticket, const SaveRequest& request)
{
  const std::lock_guard lock(this->Guard);
  if (!this->Saving)
  {
    return "this server writes no files: the program that hosts it offers none";
  }
  std::string refusal = this->Saves.Order(ticket, request, this->Images.Snapshots());
  this->WakeAll();
  return refusal;
}

void Coordinator::OfferSaving(bool offered)
{
  const std::lock_guard lock(this->Guard);
  this->Saving = offered;
  if (!offered && this->Saves.HasStanding())
  {
    this->ShowAll(); // what they are for is written
  }
  this->WakeAll();
}

std::optional<SaveOrder> Coordinator::WaitForSaveOrder()
{
  std::unique_lock lock(this->Guard);
  while (this->Channel)
  {
    // What the server knows of now, and whoever asked is told so when the writer comes by.
    if (const auto ticket = this->Saves.TakeKnown())
    {
      Outcome known;
      known.Number = *ticket;
      known.Applied = true;
      lock.unlock(); // see Steering()
      this->Steered.Saved(std::move(known));
      lock.lock();
      continue;
    }
    // What was ordered before the end is still written.
    auto next = this->Saves.Take(Clock::now(), this->Images.Snapshots());
    if (next || !this->Saving)
    {
      this->Writing = next ? std::optional(FileBeingSaved{ next->Snapshot.Number,
                               next->Snapshot.FileName, next->Snapshot.FileSize, 0 })
                           : std::nullopt;
      return next;
    }
    const auto again = this->Saves.NextTry();
    again ? static_cast<void>(this->ToWrite.wait_until(lock, *again)) : this->ToWrite.wait(lock);
  }
  return std::nullopt;
}

void Coordinator::NoteSaving(std::uint64_t bytes)
{
  const std::lock_guard lock(this->Guard);
  if (this->Writing)
  {
    this->Writing->Bytes += bytes;
  }
}

void Coordinator::SaveDone(
  const SaveOrder& order, const std::string& path, const std::string& failure)
{
  {
    const std::lock_guard lock(this->Guard);
    this->Writing.reset();
    this->Saves.Done(order, failure, Clock::now(), this->Images.Snapshots());
    if (!failure.empty() && (!order.OfMany || !std::exchange(this->ArchiveFails, true)))
    {
      this->Report(failure);
    }
    else if (failure.empty() && order.OfMany)
    {
      this->ArchiveFails = false;
    }
    this->RetryAllocations();
  }
  if (order.OfMany)
  {
    return;
  }
  Outcome outcome;
  outcome.Number = order.Ticket;
  outcome.Applied = failure.empty();
  outcome.Step = static_cast<std::int64_t>(order.Snapshot.Step);
  if (outcome.Applied)
  {
    outcome.Detail = { path, order.Snapshot.Number, order.Snapshot.FileName,
      order.Snapshot.FileSize, {} };
  }
  else
  {
    outcome.Refusals.push_back({ "write to disk", failure });
  }
  this->Steered.Saved(std::move(outcome));
}

// ---- What the server says of itself, and its settings while it runs.

ServerStatus Coordinator::Status() const
{
  ServerStatus status = this->StatusWithoutSteering();
  for (RunDescription& run : status.Runs)
  {
    if (run.From)
    {
      run.Changed = this->Steered.ChangedSince(run.Number, *run.From);
    }
  }
  const bool isThere = status.State != ServerState::Idle;
  if (isThere && this->Steered.AnyPaused())
  {
    status.State = ServerState::Paused;
  }
  return status;
}

// All but what has to be asked without the lock: see Steering().
ServerStatus Coordinator::StatusWithoutSteering() const
{
  const std::lock_guard lock(this->Guard);
  ServerStatus status;
  static_cast<ImageCounters&>(status) = this->Images.Counters();
  status.WritersSeen = this->WritersSeen;
  status.Viewers = static_cast<std::uint64_t>(std::count_if(
    this->Peers.begin(), this->Peers.end(), [](const auto& peer) { return peer.second.Attached; }));
  status.Transports = this->TransportLines;
  status.LastError = this->LastError;
  status.LastErrorAt = this->LastErrorAt;
  status.Writers = this->Simulations();
  const auto& images = this->Images.OpenImages();
  status.State = !this->Channel ? ServerState::Idle
    : !images.empty()           ? ServerState::Receiving
    : !status.Writers.empty()   ? ServerState::Connected
    : this->LostLastSimulation  ? ServerState::ClientLost
                                : ServerState::Listening;
  for (const auto& [number, image] : images)
  {
    status.Receiving.push_back(image.FileName);
  }
  status.Snapshots = this->ListedSnapshots();
  std::set<std::uint64_t> runs;
  for (const ConnectedWriter& writer : status.Writers)
  {
    runs.insert(writer.Run);
  }
  for (const SnapshotDescription& snapshot : status.Snapshots)
  {
    runs.insert(snapshot.Run);
  }
  status.Runs = this->Runs.WithOrigins(runs);
  this->Disk.Tell(status, Clock::now());
  status.Standing = this->Saves.Standing(Clock::now(), this->Images.Snapshots());
  status.SavingNow = this->Writing;
  const Ring& memory = this->Images.Memory();
  status.MemoryUsed = memory.UsedByAll();
  status.MemoryBudget = memory.Budget() * memory.Hosts();
  status.OutgrownBytes = memory.OnDiskByAll();
  for (std::uint64_t host = 0; host < memory.Hosts(); ++host)
  {
    status.HostMemoryUsed.push_back(memory.Used(host));
    status.MemoryReady +=
      memory.Resident(host) - std::min(memory.Resident(host), memory.Used(host));
  }
  status.WaitingSeconds = this->Allocations.Waiting().count();
  status.Options = this->Options;
  status.Options.Transport = this->Description.Transport;
  status.Options.MemoryPerHost = memory.Budget();
  status.Options.Memory = this->Description.Pinned ? Lending::Pinned : Lending::Sparse;
  status.Options.MaximumSnapshots = this->Images.GetPolicy().MaximumSnapshots;
  status.Pending = this->Pending;
  return status;
}

// Tells a writer what has changed, before the answer to its request.
void Coordinator::AnnounceServer(const PeerId& id)
{
  const auto peer = this->Peers.find(id);
  if (peer != this->Peers.end() && peer->second.KnownRevision != this->Revision)
  {
    peer->second.KnownRevision = this->Revision;
    peer->second.AllocationTimeout = this->Options.FullRingLimit;
    this->Channel->Send(
      id, ServerChanged{ this->Description, this->Options.FullRingLimit.count() });
  }
}

void Coordinator::NoteChange(const char* what)
{
  if (std::find(this->Pending.begin(), this->Pending.end(), what) == this->Pending.end())
  {
    this->Pending.emplace_back(what);
  }
}

void Coordinator::NoteChanges(const Redistribution& map)
{
  const auto note = [this](const char* what, bool changed)
  {
    if (changed)
    {
      this->NoteChange(what);
    }
  };
  note("strategy", map.Strategy != this->Options.Map.Strategy);
  note("block size", map.BlockSize != this->Options.Map.BlockSize);
  note("blocks per cycle", map.BlocksPerCycle != this->Options.Map.BlocksPerCycle);
  note("seed", map.Seed != this->Options.Map.Seed);
}

void Coordinator::SetMap(const Redistribution& map)
{
  const std::lock_guard lock(this->Guard);
  auto policy = this->Images.GetPolicy();
  policy.Map = MapOf(map, this->Description);
  this->Images.SetPolicy(policy); // or throws
  this->NoteChanges(map);
  this->Options.Map = map;
}

void Coordinator::SetFilePolicy(const FilePolicy& filePolicy)
{
  const std::lock_guard lock(this->Guard);
  this->Options.Files = filePolicy;
  this->AnnounceFilePolicy();
}

FilePolicy Coordinator::ToldFilePolicy() const
{
  FilePolicy told = this->Options.Files;
  told.MayBeOnDisk = this->Disk.MayBeThere();
  return told;
}

// Peers hear of it at once: a simulation asks nothing before a flush.
void Coordinator::AnnounceFilePolicy()
{
  for (const auto& [id, peer] : this->Peers)
  {
    if (this->Channel && !peer.Host)
    {
      this->Channel->Send(id, FilePolicyChanged{ this->ToldFilePolicy() });
    }
  }
}

// What each host lends by these options.
std::uint64_t Coordinator::BudgetFor(const ServerOptions& options) const
{
  // Pinned memory is a whole number of slots, the nearest to what was said; a panel has MiB.
  const bool same = this->Description.Pinned &&
    (options.MemoryPerHost == this->Options.MemoryPerHost ||
      options.MemoryPerHost >> 20 == this->LentAtStart >> 20);
  return options.MemoryPerHost == 0 || same ? this->LentAtStart
                                            : RoundUp(options.MemoryPerHost, Page);
}

void Coordinator::Check(const ServerOptions& options) const
{
  const std::lock_guard lock(this->Guard);
  const std::uint64_t budget = this->BudgetFor(options);
  if (this->Description.Pinned && budget != this->LentAtStart)
  {
    throw Error(Fault::Usage,
      "the running DSM server lends {} of pinned memory per host, which stays so: for another "
      "amount, stop it and start it again",
      environment::FormatBytes(this->LentAtStart));
  }
  if (!this->Description.Pinned && budget > this->Description.SlotSize)
  {
    throw Error(Fault::Usage,
      "the running DSM server cannot lend {} per host, only up to {}: stop it and start it again "
      "with that",
      environment::FormatBytes(budget), environment::FormatBytes(this->Description.SlotSize));
  }
  if (options.MaximumSnapshots >= this->Description.SlotCount)
  {
    throw Error(Fault::Usage,
      "the running DSM server can keep {} snapshots, not {}: for more, stop it and start it again",
      this->Description.SlotCount - 1, options.MaximumSnapshots);
  }
  if (!(options.FullRingLimit >= Seconds(0)))
  {
    throw Error(Fault::Usage, "a simulation cannot wait {} seconds for room: give 0 or more",
      options.FullRingLimit.count());
  }
  const AddressMap possible(options.Map.Over(this->Description.Hosts.size(),
    this->Description.Pinned ? this->Description.SlotSize : budget));
  static_cast<void>(KeepRule::FromText(options.AlsoOnDisk));
}

void Coordinator::Adjust(const ServerOptions& options, const ServerDescription& description)
{
  this->Check(options);
  const std::lock_guard lock(this->Guard);
  if (description != this->Description)
  {
    this->NoteChange("transport");
    this->Description = description;
    ++this->Revision;
  }
  if (options.FullRingLimit != this->Options.FullRingLimit)
  {
    ++this->Revision;
  }
  const std::uint64_t budget = this->BudgetFor(options);
  if (budget != this->Images.Memory().Budget())
  {
    this->Submit(this->Images.SetBudget(budget));
    Log().info("each host lends {} now", environment::FormatBytes(budget));
  }
  this->Images.SetPolicy(PolicyOf(options, this->Description));
  this->NoteChanges(options.Map);
  const std::string contact = this->Options.ContactFile;
  const FilePolicy told = this->ToldFilePolicy();
  if (options.AlsoOnDisk != this->Options.AlsoOnDisk)
  {
    this->SetDiskRule(options.AlsoOnDisk);
  }
  this->Options = options;
  this->Options.ContactFile = contact;
  if (this->ToldFilePolicy() != told)
  {
    this->AnnounceFilePolicy();
  }
  // The policy, or more room, may help those who wait.
  this->RetryAllocations();
}

}
