// SPDX-License-Identifier: BSD-3-Clause
#include "SimulatedServer.h"

#include "Protocol/HostMessages.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>

#include <unistd.h>

namespace dsm::testing
{

namespace
{
constexpr std::uint64_t SlotCount = 64;
}

bool RecordedSlots::DecideSealed(SlotIndex slot, std::uint64_t generation)
{
  return !this->GivenUp.contains({ slot, generation });
}

bool RecordedSlots::Disown(SlotIndex slot, std::uint64_t generation)
{
  return this->GivenUp.emplace(slot, generation).second;
}

bool RecordedSlots::WentAlone(SlotIndex slot, std::uint64_t generation) const
{
  return this->Alone.contains({ slot, generation });
}

MappedEntry RecordedSlots::Mapped(std::uint64_t place) const
{
  return MappedEntry(SharedNumber(reinterpret_cast<std::byte*>(&this->MappedPlaces[place])));
}

void RecordedSlots::RaiseGeneration(SlotIndex slot, std::uint64_t generation)
{
  this->Generations[slot] = std::max(this->Generations[slot], generation);
}

std::uint64_t RecordedSlots::Wanted(SlotIndex slot, std::uint64_t generation) const
{
  const auto found = this->Wants.find({ slot, generation });
  return found == this->Wants.end() ? 0 : found->second;
}

std::uint64_t RecordedSlots::Reached(SlotIndex slot, std::uint64_t generation) const
{
  const auto found = this->Reaches.find({ slot, generation });
  return found == this->Reaches.end() ? 0 : found->second;
}

std::uint64_t RecordedSlots::Flushed(SlotIndex slot, std::uint64_t generation) const
{
  const auto found = this->Flushes.find({ slot, generation });
  return found == this->Flushes.end() ? 0 : found->second;
}

void RecordedSlots::TellGrant(SlotIndex slot, std::uint64_t bytes, const DiskShare& disk)
{
  this->Grants[slot] = bytes;
  this->Disks[slot] = disk;
}

void RecordedSlots::TellRefusal(
  SlotIndex slot, std::uint64_t generation, std::uint64_t, const Error& why, const std::string&)
{
  this->Refusals[slot] = why.what();
  this->Wants[{ slot, generation }] = 0;
}

void RecordedChannel::SendBytes(const PeerId& peer, const char* name, Bytes event)
{
  this->Events.push_back({ peer, name, std::move(event) });
}

void RecordedChannel::Admit(const std::string& key)
{
  if (!this->CanAdmit)
  {
    throw Error(Fault::Usage, "this channel admits nobody else");
  }
  this->Admitted.insert(key);
}

void RecordedEvents::OnBegun(const ImageBegun& image)
{
  this->Lines.push_back(fmt::format("begun {}", image.FileName));
}

void RecordedEvents::OnSealed(const SnapshotSealed& snapshot)
{
  this->Lines.push_back(fmt::format("sealed {}{}{}", snapshot.Number,
    snapshot.GoesOn ? ", goes on" : "", snapshot.StaysClosed ? ", stays closed" : ""));
}

void RecordedEvents::OnEnded(const ImageEnded& image)
{
  this->Lines.push_back(fmt::format("ended{}", image.WasSkipped ? ", skipped" : ""));
}

void RecordedEvents::OnAnnounced(const SnapshotDescription& snapshot)
{
  this->Lines.push_back(fmt::format("announced {}", snapshot.Number));
}

void RecordedEvents::OnExtended(const SnapshotDescription& snapshot)
{
  this->Lines.push_back(fmt::format("extended {} to {}", snapshot.Number, snapshot.Parts.size()));
}

void RecordedEvents::OnWithheld(const SnapshotDescription& snapshot)
{
  this->Lines.push_back(fmt::format("withheld {}", snapshot.Number));
}

void RecordedEvents::OnMoved(const SnapshotDescription& snapshot)
{
  this->Lines.push_back(fmt::format("moved {}", snapshot.Number));
}

void RecordedEvents::OnEvicted(const SnapshotDescription& snapshot)
{
  this->Lines.push_back(fmt::format("evicted {}", snapshot.Number));
}

void RecordedEvents::OnPeerLeft(const PeerLeft& left)
{
  this->Lines.push_back(fmt::format("{} {}", left.Id, left.How));
}

TemporaryLog::TemporaryLog()
{
  static std::atomic<int> last = 0;
  this->Path = std::filesystem::temp_directory_path() /
    fmt::format("dsm-simulated-{}-{}.log", getpid(), ++last);
  std::filesystem::remove(this->Path);
}

TemporaryLog::~TemporaryLog()
{
  std::error_code ignored;
  std::filesystem::remove(this->Path, ignored);
}

void RecordedAnswers::Reply(const RequestId& request, Bytes body) noexcept
{
  this->ById[request.Id].push_back({ std::move(body), std::nullopt });
}

void RecordedAnswers::Refuse(const RequestId& request, const std::exception& error) noexcept
{
  this->ById[request.Id].push_back({ std::nullopt, Error::From(error) });
}

ServerOptions SimulatedServer::Options()
{
  ServerOptions options;
  options.ContactFile = "/nowhere/run.dsm";
  options.FullRingLimit = Seconds(5);
  return options;
}

ServerDescription SimulatedServer::DescriptionOf(const Setup& setup)
{
  ServerDescription description;
  description.Session = "simulated";
  description.SlotSize = setup.Lent;
  description.SlotCount = SlotCount;
  description.DiskSize = setup.DiskSize;
  for (HostIndex host = 0; host < setup.Hosts; ++host)
  {
    HostDescription one;
    one.Node = "node";
    one.Name = HostPeer(host);
    description.Hosts.push_back(one);
  }
  return description;
}

Ring SimulatedServer::MemoryOf(const Setup& setup)
{
  Ring memory({ setup.Hosts, setup.Lent, SlotCount });
  memory.OfferDisk(
    DiskWindows(setup.Hosts, 2 * SlotCount * setup.Lent, setup.DiskSize, setup.Lent));
  return memory;
}

SteeringService::Callbacks SimulatedServer::SteeringCallbacks()
{
  SteeringService::Callbacks callbacks;
  callbacks.Deliver = [this](const PeerId& peer, const DeliverTransactions& event)
  { this->Channel.Send(peer, event); };
  callbacks.Acknowledge = [this](const PeerId& peer, const OutcomesAcknowledged& event)
  { this->Channel.Send(peer, event); };
  callbacks.Answer = [this](const RequestId& request, const SteeringAnswer& answer)
  { this->Answers->Reply(request, Encode(AnsweredSteering{ answer })); };
  callbacks.Save = [this](std::uint64_t ticket, const SaveRequest& request)
  { return this->Core.Router.Do([&] { return this->Core.Storage.Order(ticket, request); }); };
  return callbacks;
}

CoreSurroundings SimulatedServer::Surroundings()
{
  return { "machine",
    [this](std::uint64_t process) { return this->EndedProcesses.contains(process); },
    [this] { return ++this->LastKey; }, [this] { ++this->MemoryWatches; }, "a test" };
}

SimulatedServer::SimulatedServer(std::uint64_t hosts, std::uint64_t lent, ServerOptions options)
  : SimulatedServer(Setup{ .Hosts = hosts, .Lent = lent, .Options = std::move(options) })
{
}

SimulatedServer::SimulatedServer(Setup setup)
  : Steering(this->Log.Path.string(), this->SteeringCallbacks(), SteeringService::ViewerLoss::Stay)
  , Core({ this->Channel, this->Slots, this->Steering, [this] { return this->Time; },
           this->Surroundings() },
      { setup.Options, DescriptionOf(setup), MemoryOf(setup), setup.Lent, Secret,
        std::move(setup.Mediators) })
{
  this->Core.Events.Subscribe(this->Heard);
  this->Core.Router.Do([this] { this->Core.Open(Owner); });
  for (HostIndex host = 0; host < setup.Hosts; ++host)
  {
    this->SendHostHello(host, HostPeer(host));
  }
  if (setup.IsWarm)
  {
    this->HostsWork();
  }
}

std::uint64_t SimulatedServer::SendEnvelope(
  const RequestId& request, const std::string& name, Bytes body)
{
  const Call call(request, this->Answers);
  try
  {
    this->Core.Router.Receive(
      call, { Envelope::Kind::Request, name, request.Id, std::move(body), {}, {} });
  }
  catch (const std::exception& error)
  {
    call.Refuse(error);
  }
  return request.Id;
}

bool SimulatedServer::IsAnswered(std::uint64_t request) const
{
  return this->Answers->ById.contains(request);
}

const RecordedAnswers::Answer& SimulatedServer::AnswerTo(std::uint64_t request) const
{
  const auto found = this->Answers->ById.find(request);
  if (found == this->Answers->ById.end())
  {
    throw std::runtime_error("the request has no answer yet");
  }
  if (found->second.size() != 1)
  {
    throw std::runtime_error("the request has more than one answer");
  }
  return found->second.front();
}

Bytes SimulatedServer::BodyOf(std::uint64_t request) const
{
  const RecordedAnswers::Answer& answer = this->AnswerTo(request);
  if (answer.Refusal)
  {
    throw Error(*answer.Refusal);
  }
  return *answer.Body;
}

::testing::AssertionResult SimulatedServer::IsRefused(
  std::uint64_t request, Fault fault, const std::string& words) const
{
  if (!this->IsAnswered(request))
  {
    return ::testing::AssertionFailure() << "it has no answer";
  }
  const auto& refusal = this->AnswerTo(request).Refusal;
  if (!refusal)
  {
    return ::testing::AssertionFailure() << "it has a reply";
  }
  const std::string text = refusal->what();
  return text.find(words) != std::string::npos && refusal->GetFault() == fault
    ? ::testing::AssertionSuccess()
    : ::testing::AssertionFailure() << FaultName(refusal->GetFault()) << ": " << text;
}

PeerDescription SimulatedServer::Describe(
  const PeerId& peer, const std::string& role, std::uint64_t ranks)
{
  PeerDescription process;
  process.Role = role;
  process.Program = peer;
  process.Machine = "machine";
  process.Node = "node";
  process.Process = std::hash<std::string>()(peer) % 100000;
  process.Ranks = ranks;
  return process;
}

HelloReply SimulatedServer::Connect(
  const PeerId& peer, const std::string& role, std::uint64_t ranks)
{
  return this->Connect(peer, Describe(peer, role, ranks));
}

HelloReply SimulatedServer::Connect(
  const PeerId& peer, const PeerDescription& process, const std::string& key)
{
  Hello hello;
  hello.Peer = process;
  return this->ReplyTo<Hello>(this->Send(peer, hello, key));
}

HelloReply SimulatedServer::ConnectProcess(const PeerId& peer, std::uint64_t processes)
{
  PeerDescription process = Describe(peer, "writer");
  process.Job = "job";
  process.JobProcesses = processes;
  return this->Connect(peer, process);
}

void SimulatedServer::SendHostHello(HostIndex host, const PeerId& peer)
{
  Hello hello;
  hello.Peer = Describe(peer, "host");
  hello.Host = HostSeat{ host, Secret };
  this->ReplyTo<Hello>(this->Send(peer, hello));
}

void SimulatedServer::ConnectHost(HostIndex host, const PeerId& peer)
{
  this->SendHostHello(host, peer);
  this->HostsWork();
}

std::string SimulatedServer::Invite(const std::string& guest, Right may)
{
  InviteGuest invite;
  invite.Guest = guest;
  invite.May = may;
  invite.Key = guest + "'s key";
  this->ReplyTo<InviteGuest>(this->Send("owner", invite));
  return invite.Key;
}

std::size_t SimulatedServer::HostsWork(const std::string& failure)
{
  std::size_t done = 0;
  for (bool more = true; more;)
  {
    more = false;
    for (const PeerId& host : std::vector(this->Core.Presence.Peers))
    {
      for (const auto& order : this->Channel.Take<PrepareMemory>(host))
      {
        MemoryPrepared prepared;
        prepared.Tickets = order.Tickets;
        prepared.Failure = failure;
        prepared.Ahead = !order.Ahead.empty();
        this->Notify(host, prepared);
        more = true;
        ++done;
      }
    }
  }
  return done;
}

void SimulatedServer::Wait(Seconds time)
{
  this->Time.Now += std::chrono::duration_cast<Clock::duration>(time);
  this->Time.Wall += time.count();
  this->Core.Router.Do([this] { this->Core.Tick(); });
  this->HostsWork();
}

void SimulatedServer::Leave(const PeerId& peer, bool isLost)
{
  this->Core.Router.Do([&] { this->Core.PeerLeft(peer, isLost); });
  this->HostsWork();
}

dsm::SnapshotId SimulatedServer::WriteFile(
  const PeerId& peer, const std::string& name, std::uint64_t size)
{
  const ImageDescription image = this->Begin(peer, name);
  if (image.Grant < size)
  {
    this->Ask(peer, ExtendImage{ image.Image, image.Key, size });
  }
  return this->Seal(peer, image.Image, size);
}

ImageDescription SimulatedServer::Begin(
  const PeerId& peer, const std::string& name, std::uint64_t ranks)
{
  BeginImage begin;
  begin.File = name;
  begin.Ranks = ranks;
  return this->Ask(peer, begin).Image;
}

SealImage SimulatedServer::SealOf(ImageId image, std::uint64_t size) const
{
  SealImage seal;
  seal.Image = image;
  seal.Size = size;
  seal.Reach = size;
  seal.Until = this->Time.Steady() + 10;
  return seal;
}

dsm::SnapshotId SimulatedServer::Seal(const PeerId& peer, ImageId image, std::uint64_t size)
{
  return this->Ask(peer, this->SealOf(image, size)).Number;
}

dsm::SnapshotId SimulatedServer::Flush(const PeerId& peer, ImageId image, std::uint64_t size)
{
  PublishImage publish;
  publish.Image = image;
  publish.Size = size;
  const Published published = this->Ask(peer, publish);
  ConfirmCopy confirm;
  confirm.Image = image;
  confirm.Copy = published.Copy;
  return this->Ask(peer, confirm).Number;
}

void SimulatedServer::Read(const PeerId& peer, dsm::SnapshotId number)
{
  OpenSnapshot open;
  open.Number = number;
  this->Notify(peer, CloseSnapshot{ this->Ask(peer, open).Lease });
  this->HostsWork();
}

std::vector<dsm::SnapshotId> SimulatedServer::Shown() const
{
  std::vector<dsm::SnapshotId> numbers;
  for (const auto& snapshot : this->Core.Images.Snapshots().Shown())
  {
    numbers.push_back(snapshot.Number);
  }
  return numbers;
}

std::vector<dsm::SnapshotId> SimulatedServer::InRing() const
{
  std::vector<dsm::SnapshotId> numbers;
  for (const auto& snapshot : this->Core.Images.Snapshots().All())
  {
    numbers.push_back(snapshot.Number);
  }
  return numbers;
}

}
