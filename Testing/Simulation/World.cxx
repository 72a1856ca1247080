// SPDX-License-Identifier: BSD-3-Clause
#include "World.h"

#include "Base/Timeouts.h"
#include "Host.h"
#include "NameModel.h"
#include "Process.h"
#include "Reader.h"
#include "Server/Core/ServerMessages.h"
#include "Writer.h"

#include <algorithm>
#include <typeinfo>
#include <utility>

namespace dsm::simulation
{

namespace
{
constexpr double TickPeriod = 0.25;
constexpr double FaultsEnd = 30;
constexpr double SimulationEnd = 90;
constexpr std::uint64_t Slots = 24;

// The holder of what a process maps in the ledger of leases.
PeerId MapsOf(std::uint64_t process)
{
  return fmt::format("the memory of process {}", process);
}
}

/// Hands the core's answers to the world.
class World::Answers final : public Responder
{
public:
  explicit Answers(World& world)
    : Surroundings(world)
  {
  }

  void Reply(const RequestId& request, Bytes body) noexcept override
  {
    this->Surroundings.Answered(
      request, { Envelope::Kind::Reply, {}, request.Id, std::move(body), {}, {} });
  }

  void Refuse(const RequestId& request, const std::exception& error) noexcept override
  {
    if (typeid(error) != typeid(Error))
    {
      this->Surroundings.Notes.Fail("the core threw: {}", error.what());
    }
    this->Surroundings.Answered(request,
      { Envelope::Kind::Refusal, {}, request.Id, {}, Error::From(error).GetFault(), error.what() });
  }

private:
  World& Surroundings;
};

ServerOptions World::OptionsFor(Random& chance)
{
  ServerOptions options;
  options.ContactFile = "/nowhere/run.dsm";
  const std::array policies{ FullRing::DropOldest, FullRing::Block, FullRing::DropNewest };
  options.WhenFull = policies[chance.Below(policies.size())];
  options.FullRingLimit = Seconds(chance.Between(0.5, 6.0));
  options.MaximumSnapshots = chance.Chance(0.5) ? 0 : chance.Between(std::uint64_t(2), 8);
  // The automatic block is too large for so little memory.
  const std::array<std::uint64_t, 3> blocks{ 4096, 16384, 65536 };
  options.Map.BlockSize = blocks[chance.Below(blocks.size())];
  options.AlsoOnDisk = chance.Chance(0.3) ? "all" : "none";
  options.Checkpoints = chance.Chance(0.2) ? "*file0*" : "none";
  return options;
}

ServerDescription World::DescriptionFor(Random& chance)
{
  ServerDescription description;
  description.Session = "simulated";
  // Small, so that memory is short.
  description.SlotSize = chance.Between(std::uint64_t(3), 24) * (64 << 10);
  description.SlotCount = Slots;
  const std::uint64_t hosts = chance.Between(std::uint64_t(1), 3);
  for (HostIndex host = 0; host < hosts; ++host)
  {
    HostDescription one;
    one.Node = fmt::format("node{}", host);
    one.Name = fmt::format("host{}", host);
    description.Hosts.push_back(one);
  }
  return description;
}

World::World(std::uint64_t seed, Mutant mutant, std::size_t events)
  : Chance(seed)
  , Options(OptionsFor(this->Chance))
  , Description(DescriptionFor(this->Chance))
  , Notes(this->Time, events)
  , Channel(this->Chance, this->Time, this->Notes,
      [this](const PeerId& peer, const std::string& key, const Envelope& message)
      { this->Receive(peer, key, message); })
  , ForcesRareChoices(this->Chance.Chance(0.5))
  , Memory(this->Description.Hosts.size(), this->Description.SlotSize, this->Time)
  , Planted(mutant)
  , Steering("/dev/null",
      { [this](const PeerId& peer, const DeliverTransactions& event)
        { this->Channel.Send(peer, event); },
        [this](const PeerId& peer, const OutcomesAcknowledged& event)
        { this->Channel.Send(peer, event); },
        [this](const RequestId& request, const SteeringAnswer& answer)
        { this->Responses->Reply(request, Encode(AnsweredSteering{ answer })); }, {} },
      SteeringService::ViewerLoss::Stay)
  , Core({ this->Channel, this->Memory, this->Steering, [this] { return this->Clocks(); },
           { "machine",
             [this](std::uint64_t process) { return this->EndedProcesses.contains(process); },
             [this] { return ++this->LastKey; }, [this] { this->LookInMemory(); }, "a simulation",
             [this] { return this->MustBeRare(); } } },
      { this->Options, this->Description,
        Ring({ this->Description.Hosts.size(), this->Description.SlotSize, Slots }),
        this->Description.SlotSize, Secret, {} })
  , Responses(std::make_shared<Answers>(*this))
  , Requests(this->Notes)
  , Leases(this->Notes)
  , Checks(this->Notes, this->Core, this->Memory)
  , First(this->Notes)
  , Second(this->Notes)
{
  this->Channel.Withdrawn = [this](const std::string& key) { this->Withdraw(key); };
  this->First.Sealing = [this](const SnapshotSealed& sealed)
  {
    this->Contents[sealed.Number] = this->Promises[sealed.Image];
    if (const auto* snapshot = this->Core.Images.Snapshots().Find(sealed.Number))
    {
      this->Note(sealed.GoesOn ? NameEvent::Kind::Published : NameEvent::Kind::Sealed,
        snapshot->FileName, sealed.Number);
    }
  };
  this->First.Announcing = [this](const SnapshotDescription& snapshot)
  {
    const auto* entered = this->Core.Images.Snapshots().Find(snapshot.Number);
    this->Note(NameEvent::Kind::Announced, entered->FileName, snapshot.Number);
    this->NoteParts(snapshot);
  };
  this->First.Extending = [this](const SnapshotDescription& snapshot)
  { this->NoteParts(snapshot); };
  this->First.Evicting = [this](const SnapshotDescription& snapshot)
  {
    if (snapshot.Shared)
    {
      this->Leases.Revoked(snapshot.Number);
    }
    this->Note(NameEvent::Kind::Evicted, snapshot.FileName, snapshot.Number);
  };
  this->Core.Events.Subscribe(this->First);
  this->Core.Events.Subscribe(this->Second);
  if (this->Planted == Mutant::DoubleObserver)
  {
    this->Core.Events.Subscribe(this->Second);
  }
  this->Event(
    [this]
    {
      this->Core.Open(Owner);
      this->Core.Storage.OfferDisk(true);
    });
  this->AddProcesses();
}

World::~World() = default;

void World::AddProcesses()
{
  Random& chance = this->Chance;
  for (HostIndex host = 0; host < this->Description.Hosts.size(); ++host)
  {
    this->Processes.push_back(std::make_unique<Host>(*this, host));
  }
  const std::uint64_t writers = chance.Between(std::uint64_t(1), 3);
  // Of a job, each process writes a file of its own, and the files of a step are one snapshot.
  const bool isJob = chance.Chance(0.3);
  for (std::uint64_t writer = 0; writer < writers; ++writer)
  {
    const std::uint64_t ranks =
      isJob || chance.Chance(0.5) ? 1 : chance.Between(std::uint64_t(2), 8);
    this->Processes.push_back(std::make_unique<Writer>(*this,
      Writer::Place{ writer, ranks, isJob ? writers : 1 }, chance.Between(std::uint64_t(10), 40)));
  }
  const std::uint64_t readers = chance.Between(std::uint64_t(0), 2);
  for (std::uint64_t reader = 0; reader < readers; ++reader)
  {
    this->Processes.push_back(
      std::make_unique<Reader>(*this, reader, Reader::Kind::Reader, writers));
  }
  if (chance.Chance(0.7))
  {
    this->Processes.push_back(std::make_unique<Reader>(*this, 10, Reader::Kind::Viewer, writers));
    const std::uint64_t guests = chance.Between(std::uint64_t(0), 2);
    for (std::uint64_t guest = 0; guest < guests; ++guest)
    {
      this->Processes.push_back(
        std::make_unique<Reader>(*this, guest, Reader::Kind::Guest, writers));
    }
  }
  for (HostIndex host = 0; host < this->Description.Hosts.size(); ++host)
  {
    this->Processes[host]->Start();
  }
  this->StartOthers();
  this->Time.After(TickPeriod, [this] { this->Tick(); });
  this->Time.After(1.0, [this] { this->WriteToDisk(); });
  this->Time.After(FaultsEnd, [this] { this->EndFaults(); });
}

// The contact file appears when all hosts are there.
void World::StartOthers()
{
  if (!this->Core.Presence.AllAreHere())
  {
    this->Time.After(0.1, [this] { this->StartOthers(); });
    return;
  }
  for (std::size_t at = this->Description.Hosts.size(); at < this->Processes.size(); ++at)
  {
    this->Processes[at]->Start();
  }
  this->Time.After(this->Chance.Between(0.5, 3.0), [this] { this->Befall(); });
}

// Forces rare choices in the core, in every second simulation.
bool World::MustBeRare()
{
  return this->ForcesRareChoices && !this->FaultsAreOver && this->Chance.Chance(0.05);
}

CoreTime World::Clocks() const
{
  return { Clock::time_point(std::chrono::hours(1)) +
      std::chrono::duration_cast<Clock::duration>(Seconds(this->Time.Now())),
    this->WallOffset + this->Time.Now() };
}

double World::RequestLimit() const
{
  return 3 * (this->Options.FullRingLimit + PeerTimeout()).count() + 10;
}

bool World::HostsHear() const
{
  return this->Core.Presence.Lost.empty() &&
    std::none_of(this->Processes.begin(),
      this->Processes.begin() + static_cast<std::ptrdiff_t>(this->Description.Hosts.size()),
      [](const auto& host) { return host->IsSilent(); });
}

bool World::Run()
{
  while (!this->Notes.Failure() && this->Time.Step(SimulationEnd))
  {
  }
  if (!this->Notes.Failure())
  {
    this->CheckEnd();
  }
  return !this->Notes.Failure();
}

void World::CheckEnd()
{
  for (const auto& process : this->Processes)
  {
    if (process->IsAlive() && !process->HasFinished() && !dynamic_cast<Host*>(process.get()))
    {
      this->Notes.Fail("{} has not come to its end", process->Peer());
    }
  }
  if (!this->Core.Images.OpenImages().empty())
  {
    this->Notes.Fail(
      "image {} is open, and nobody writes it", this->Core.Images.OpenImages().begin()->first);
  }
  if (const auto wrong = NameModel::Check(this->Names))
  {
    this->Notes.Fail("{}", *wrong);
  }
}

void World::Event(const std::function<void()>& work)
{
  ++this->Events;
  try
  {
    this->Core.Router.Do(work);
  }
  catch (const Error&)
  {
    throw;
  }
  catch (const std::exception& error)
  {
    this->Notes.Fail("the core threw: {}", error.what());
  }
  this->CheckAfterEvent();
}

void World::CheckAfterEvent()
{
  this->Requests.Check(this->Time.Now());
  this->Leases.Check(this->Core.Images.Snapshots());
  this->Checks.Check();
  if (const auto slot = this->Memory.TornSlot())
  {
    this->Notes.Fail("the snapshot in slot {} was evicted, and somebody had entered it", *slot);
  }
  if (this->First.Heard() != this->Second.Heard())
  {
    this->Notes.Fail("one observer heard of {} events, the other of {}", this->First.Heard(),
      this->Second.Heard());
  }
}

double World::LimitOf(const Envelope& message) const
{
  if (Is<BeginImage>(message) || Is<ExtendImage>(message) || Is<PublishImage>(message) ||
    Is<KeepBytes>(message))
  {
    return this->RequestLimit();
  }
  if (Is<AwaitSnapshot>(message))
  {
    return Content<AwaitSnapshot>(message).Seconds + 2 * TickPeriod;
  }
  if (Is<TakeSnapshot>(message))
  {
    return Content<TakeSnapshot>(message).Seconds + 2 * TickPeriod;
  }
  return 0;
}

void World::Receive(const PeerId& peer, const std::string& key, const Envelope& message)
{
  if (this->Planted == Mutant::DoubleGrant && Is<BeginImage>(message) && this->Chance.Chance(0.3))
  {
    this->FreeUsedSlot();
  }
  const bool isKnown = this->Core.Peers.Has(peer);
  if (Is<Hello>(message))
  {
    this->Gone.erase(peer);
  }
  if (this->Planted == Mutant::LostLease && Is<Hello>(message) && isKnown)
  {
    this->Core.Leases.EndAll(peer, false);
  }
  this->Requests.Received(peer,
    { message, this->Time.Now(), this->Time.Now() + this->LimitOf(message), this->Events + 1 });
  if (Is<CloseSnapshot>(message))
  {
    this->Leases.Closed(peer, Content<CloseSnapshot>(message).Lease);
  }
  if (Is<CloseForRank>(message))
  {
    const auto closed = Content<CloseForRank>(message);
    this->Leases.Closed(closed.Speaker, closed.Lease);
  }
  if (Is<HoldSnapshots>(message))
  {
    for (const std::uint64_t lease : Content<HoldSnapshots>(message).Ended)
    {
      this->Leases.Closed(peer, lease);
    }
  }
  const Call call({ peer, message.Id, message.Name, key }, this->Responses);
  ++this->Events;
  try
  {
    this->Core.Router.Receive(call, message);
  }
  catch (const std::exception& error)
  {
    call.Refuse(error);
  }
  if (Is<HoldSnapshots>(message))
  {
    for (const SnapshotHold& hold : Content<HoldSnapshots>(message).Begun)
    {
      if (this->Core.Leases.Find(peer, hold.Lease))
      {
        this->Leases.Granted(peer, hold.Lease, hold.Number);
      }
    }
  }
  this->CheckAfterEvent();
}

void World::AskInMemory(const char* name, Bytes body, std::function<void(const Envelope&)> answered)
{
  const std::uint64_t id = this->NextRequest();
  this->InMemory[id] = std::move(answered);
  this->Time.After(this->Chance.Between(0.0, 0.05),
    [this, message = Envelope{ Envelope::Kind::Request, name, id, std::move(body), {}, {} }]
    {
      this->Notes.Note("in memory -> server: {} {}", message.Name, message.Id);
      this->Receive({}, {}, message);
    });
}

void World::Answered(const RequestId& request, Envelope answer)
{
  const RequestLedger::Entry entry = this->Requests.Answered(request);
  if (request.Id == 0)
  {
    return;
  }
  const bool hasWaited = entry.Event != 0 && entry.Event < this->Events;
  if (this->Planted == Mutant::LostWakeup && hasWaited && this->Chance.Chance(0.2))
  {
    this->Requests.Withhold(request, entry);
    return;
  }
  if (this->Planted == Mutant::StaleName)
  {
    this->MakeStale(entry, answer);
  }
  if (entry.Event != 0)
  {
    this->Record(entry, request.Peer, answer);
  }
  if (request.Peer.empty())
  {
    if (auto question = this->InMemory.extract(request.Id))
    {
      this->Time.After(0.001, [answer, asks = std::move(question.mapped())] { asks(answer); });
    }
    return;
  }
  this->Channel.SendToPeer(request.Peer, std::move(answer));
}

void World::Note(
  NameEvent::Kind kind, const std::string& file, std::uint64_t number, std::uint64_t after)
{
  this->Names.push_back({ kind, this->Events, file, number, after });
}

// Viewers hear of the parts with the snapshot that they belong to. Some are noted again.
void World::NoteParts(const SnapshotDescription& snapshot)
{
  for (const SnapshotId part : snapshot.Parts)
  {
    this->Note(NameEvent::Kind::Joined, this->Core.Images.Snapshots().Find(part)->FileName, part);
  }
}

// One image at a time holds the lock of a file.
void World::CheckLock(const std::string& file, ImageId image)
{
  const auto& open = this->Core.Images.OpenImages();
  std::erase_if(this->Locks, [&](const auto& lock) { return !open.contains(lock.second); });
  const auto [held, isNew] = this->Locks.emplace(file, image);
  if (!isNew && held->second != image)
  {
    this->Notes.Fail("images {} and {} both hold the lock of {}", held->second, image, file);
  }
}

// Enters what an answer says of names and leases.
void World::Record(const RequestLedger::Entry& entry, const PeerId& peer, const Envelope& answer)
{
  const Envelope& request = entry.Request;
  const bool isReply = answer.What == Envelope::Kind::Reply;
  if (Is<OpenSnapshot>(request))
  {
    this->RecordOpened(entry, peer, answer);
  }
  else if (Is<OpenForRank>(request) && isReply)
  {
    const auto asked = Content<OpenForRank>(request);
    const auto leased = Decode<LeasedSnapshot>(answer.Body, "a reply");
    if (!this->Leases.Has(asked.Speaker, asked.Lease))
    {
      this->Leases.Granted(asked.Speaker, asked.Lease, leased.Snapshot.Number);
      this->Note(NameEvent::Kind::Opened, asked.Wanted.File, leased.Snapshot.Number);
    }
  }
  else if (Is<DeleteFile>(request) && isReply)
  {
    this->Note(NameEvent::Kind::Deleted, Content<DeleteFile>(request).File,
      Decode<DeletedFile>(answer.Body, "a reply").Snapshots);
  }
  else if (Is<AwaitSnapshot>(request) && isReply)
  {
    const auto asked = Content<AwaitSnapshot>(request);
    if (const auto number = Decode<AwaitedSnapshot>(answer.Body, "a reply").Number)
    {
      this->Note(NameEvent::Kind::Awaited, asked.File, number, asked.After);
    }
  }
  else if (Is<BeginImage>(request) && isReply)
  {
    const auto begun = Content<BeginImage>(request);
    const auto granted = Decode<ImageGranted>(answer.Body, "a reply");
    this->Note(NameEvent::Kind::Created, begun.File, 0);
    if (granted.Source)
    {
      this->Leases.Granted(peer, granted.Source->Lease, granted.Source->Snapshot.Number);
    }
    if (begun.Locks)
    {
      this->CheckLock(begun.File, granted.Image.Image);
    }
  }
  else if (Is<TakeSnapshot>(request) && isReply)
  {
    if (const auto taken = Decode<TakenSnapshot>(answer.Body, "a reply").Snapshot)
    {
      this->Leases.Taken(peer, taken->Lease, taken->Snapshot.Number);
      if (!this->First.IsAnnounced(taken->Snapshot.Number))
      {
        this->Notes.Fail(
          "{} took snapshot {} before it was announced", peer, taken->Snapshot.Number);
      }
    }
  }
  else if (Is<ListSnapshots>(request) && isReply)
  {
    const auto list = Decode<SnapshotList>(answer.Body, "a reply");
    if (list.Lease)
    {
      this->Leases.Granted(peer, *list.Lease, list.Snapshots.back().Number);
    }
  }
}

void World::RecordOpened(
  const RequestLedger::Entry& entry, const PeerId& peer, const Envelope& answer)
{
  const auto asked = Content<OpenSnapshot>(entry.Request);
  const bool byName = !asked.Number;
  if (answer.What == Envelope::Kind::Reply)
  {
    const auto leased = Decode<LeasedSnapshot>(answer.Body, "a reply");
    this->Leases.Granted(peer, leased.Lease, leased.Snapshot.Number);
    if (byName)
    {
      this->Note(NameEvent::Kind::Opened, asked.File, leased.Snapshot.Number);
    }
  }
  else if (byName && answer.Reason == Fault::Gone)
  {
    this->Note(NameEvent::Kind::Gone, asked.File, 0);
  }
  else if (byName && answer.Reason == Fault::Refused &&
    answer.Text.find("invit") == std::string::npos)
  {
    this->Note(NameEvent::Kind::Unknown, asked.File, 0);
  }
}

// ---- Peers that come and go.

void World::SaysGoodbye(const PeerId& peer)
{
  this->Time.After(this->Chance.Between(1.0, 1.5), [this, peer] { this->PeerLeft(peer, false); });
}

// The server hears nothing more from a connection.
void World::Abandons(const PeerId& peer)
{
  this->Time.After(
    this->Chance.Between(0.1, PeerTimeout().count()), [this, peer] { this->PeerLeft(peer, true); });
}

// The server sees the end of a process on its machine.
void World::HasDied(std::uint64_t process)
{
  this->Leases.PeerLeft(MapsOf(process));
  this->Time.After(
    this->Chance.Between(0.0, 2.0), [this, process] { this->EndedProcesses.insert(process); });
}

void World::BeginsMapping(std::uint64_t process, std::uint64_t number, SnapshotId snapshot)
{
  this->Leases.Granted(MapsOf(process), number, snapshot);
}

void World::EndsMapping(std::uint64_t process, std::uint64_t number)
{
  this->Leases.Closed(MapsOf(process), number);
}

void World::PeerLeft(const PeerId& peer, bool isLost)
{
  if (!this->Gone.insert(peer).second)
  {
    return;
  }
  this->Notes.Note("the server {} {}", isLost ? "has lost" : "hears the goodbye of", peer);
  this->Requests.PeerLeft(peer);
  this->Leases.PeerLeft(peer);
  this->Steering.Gone(peer, isLost);
  if (this->Planted == Mutant::LostMapping && isLost)
  {
    this->Memory.ForgetMapped();
  }
  this->Event([&] { this->Core.PeerLeft(peer, isLost); });
}

void World::Withdraw(const std::string& key)
{
  for (const PeerId& peer : this->Channel.WithKey(key))
  {
    this->Time.After(0.01,
      [this, peer]
      {
        this->PeerLeft(peer, true);
        this->TellLost(peer);
      });
  }
}

// The process finds out that the server has given its connection up.
void World::TellLost(const PeerId& peer)
{
  this->Time.After(this->Chance.Between(0.0, 1.0),
    [this, peer]
    {
      for (auto& process : this->Processes)
      {
        if (process->Peer() == peer)
        {
          process->Lost();
        }
      }
    });
}

void World::Tick()
{
  this->Steering.Tick();
  this->Event([this] { this->Core.Tick(); });
  this->LookInMemory();
  this->Time.After(TickPeriod, [this] { this->Tick(); });
}

// Called by the core, so later.
void World::LookInMemory()
{
  if (!std::exchange(this->IsLooking, true))
  {
    this->Time.After(0.01,
      [this]
      {
        this->IsLooking = false;
        this->Event([this] { this->Core.LookInMemory(); });
      });
  }
}

// ---- What was written.

void World::Promise(ImageId image, HostMemory::Contents contents)
{
  this->Promises[image] = std::move(contents);
}

const HostMemory::Contents* World::Expected(SnapshotId snapshot) const
{
  const auto found = this->Contents.find(snapshot);
  return found == this->Contents.end() ? nullptr : &found->second;
}

// ---- Faults.

void World::Befall()
{
  if (this->FaultsAreOver)
  {
    return;
  }
  const std::uint64_t what = this->Chance.Below(10);
  if (what < 6)
  {
    this->BefallProcess(*this->Processes[this->Chance.Below(this->Processes.size())]);
  }
  else if (what == 6)
  {
    this->NoMemory = !this->NoMemory;
    this->Notes.Note("hosts {} memory", this->NoMemory ? "have no" : "have");
  }
  else if (what == 7)
  {
    this->NoDisk = !this->NoDisk;
    this->Notes.Note("the disk {}", this->NoDisk ? "is full" : "has room");
  }
  else if (what == 8)
  {
    const double jump = this->Chance.Between(-100.0, 100.0);
    this->WallOffset += jump;
    this->Notes.Note("the clock jumps by {:.1f} s", jump);
  }
  else
  {
    this->Adjust();
  }
  this->Time.After(this->Chance.Between(0.2, 5.0), [this] { this->Befall(); });
}

void World::BefallProcess(Process& process)
{
  if (!process.IsAlive() || process.HasFinished() || process.IsSilent())
  {
    return;
  }
  const bool isHost = dynamic_cast<Host*>(&process) != nullptr;
  const std::uint64_t what = this->Chance.Below(10);
  if (what == 0 && !isHost)
  {
    this->Notes.Note("{} is killed", process.Peer());
    process.Kill();
  }
  else if (what == 1 && isHost)
  {
    this->Notes.Note("{} connects again", process.Peer());
    process.Lost();
  }
  else
  {
    this->Silence(process, this->Chance.Chance(0.5));
  }
}

// The server notices if it takes too long.
void World::Silence(Process& process, bool stops)
{
  const bool isLong = this->Chance.Chance(0.3);
  const double limit = PeerTimeout().count();
  const double duration =
    isLong ? this->Chance.Between(limit, 2 * limit) : this->Chance.Between(0.05, 3.0);
  const PeerId peer = process.Peer();
  this->Notes.Note("{} {} for {:.2f} s", peer, stops ? "stops" : "is cut off", duration);
  stops ? process.Stop() : process.CutConnection();
  if (isLong)
  {
    this->Time.After(limit, [this, peer] { this->PeerLeft(peer, true); });
  }
  this->Time.After(duration,
    [this, &process, peer, stops]
    {
      this->Notes.Note("{} {}", process.Peer(), stops ? "continues" : "is connected again");
      stops ? process.Continue() : process.RestoreConnection();
      if (this->HasGivenUp(peer))
      {
        this->TellLost(peer); // it may find out by itself before
      }
    });
}

void World::Adjust()
{
  ServerOptions options = this->Core.State.Options;
  const std::uint64_t most = this->Description.SlotSize;
  options.MemoryPerHost = this->Chance.Chance(0.5) ? most : (most / 2) / 4096 * 4096;
  this->Notes.Note("each host lends {} bytes", options.MemoryPerHost);
  this->Event([&] { this->Core.Settings.Adjust(options, this->Core.State.Description); });
}

void World::EndFaults()
{
  this->Notes.Note("the faults are over");
  this->FaultsAreOver = true;
  this->NoMemory = false;
  this->NoDisk = false;
  for (auto& process : this->Processes)
  {
    process->ComeToAnEnd();
  }
}

// A thread of the host program writes files to disk.
void World::WriteToDisk()
{
  std::optional<SnapshotDescription> next;
  this->Event([&] { next = this->Core.Storage.TakeDiskOrder(); });
  if (!next)
  {
    this->Time.After(this->Chance.Between(0.1, 1.0), [this] { this->WriteToDisk(); });
    return;
  }
  try
  {
    WriteShare share;
    share.Snapshot = *next;
    std::uint64_t ticket = 0;
    this->Event([&] { ticket = this->Core.Hosts.BeginShares(share); });
    this->AwaitShares(*next, ticket, this->Time.Now() + this->RequestLimit());
  }
  catch (const Error& error)
  {
    this->DiskDone(*next, { DiskOutcome::Kind::Failed, error.what() });
  }
}

void World::AwaitShares(const SnapshotDescription& snapshot, std::uint64_t ticket, double until)
{
  ShareTasks::State state;
  this->Event([&] { state = this->Core.Hosts.Shares(ticket); });
  if (state.Missing > 0)
  {
    if (this->Time.Now() > until)
    {
      this->Notes.Fail("the hosts have not written snapshot {} to disk", snapshot.Number);
    }
    this->Time.After(
      0.2, [this, snapshot, ticket, until] { this->AwaitShares(snapshot, ticket, until); });
    return;
  }
  this->Event([&] { this->Core.Hosts.EndShares(ticket, false); });
  DiskOutcome outcome;
  outcome.What = this->NoDisk || !state.Failure.empty() || state.HasMoved
    ? DiskOutcome::Kind::Failed
    : this->Chance.Chance(0.1) ? DiskOutcome::Kind::NotWanted
                               : DiskOutcome::Kind::Written;
  outcome.Text = this->NoDisk ? "the disk is full" : state.Failure;
  this->DiskDone(snapshot, outcome);
}

void World::DiskDone(const SnapshotDescription& snapshot, const DiskOutcome& outcome)
{
  this->Event([&] { this->Core.Storage.DiskDone(snapshot, outcome); });
  this->Time.After(this->Chance.Between(0.1, 0.5), [this] { this->WriteToDisk(); });
}

// ---- Mutants.

void World::FreeUsedSlot()
{
  const auto all = this->Core.Images.Snapshots().All();
  if (!all.empty())
  {
    const_cast<Ring&>(this->Core.Images.Memory()).FreeAside(all.back().Slot);
  }
}

void World::MakeStale(const RequestLedger::Entry& entry, Envelope& answer)
{
  if (entry.Event == 0 || !Is<OpenSnapshot>(entry.Request) ||
    answer.What != Envelope::Kind::Reply || Content<OpenSnapshot>(entry.Request).Number)
  {
    return;
  }
  auto leased = Decode<LeasedSnapshot>(answer.Body, "a reply");
  for (const SnapshotDescription& older : this->Core.Images.Snapshots().All())
  {
    if (older.FileName == leased.Snapshot.FileName && older.Number < leased.Snapshot.Number)
    {
      this->Core.Images.Snapshots().Retain(older.Number); // the lease itself is good
      leased.Snapshot = older;
      answer.Body = Encode(leased);
      return;
    }
  }
}

}
