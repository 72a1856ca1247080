// SPDX-License-Identifier: BSD-3-Clause
#include "SimulatedServer.h"

#include "Base/Log.h"

#include <stdexcept>

namespace dsm::testing
{

bool RecordedSlots::DecideSealed(std::uint64_t slot, std::uint64_t generation)
{
  return !this->GivenUp[{ slot, generation }];
}

bool RecordedSlots::WentAlone(std::uint64_t slot, std::uint64_t generation) const
{
  return this->Alone.contains({ slot, generation });
}

void RecordedSlots::RaiseGeneration(std::uint64_t slot, std::uint64_t generation)
{
  this->Generations[slot] = std::max(this->Generations[slot], generation);
}

std::uint64_t RecordedSlots::Wanted(std::uint64_t slot, std::uint64_t generation) const
{
  const auto found = this->Wants.find({ slot, generation });
  return found == this->Wants.end() ? 0 : found->second;
}

std::uint64_t RecordedSlots::Reached(std::uint64_t slot, std::uint64_t generation) const
{
  const auto found = this->Reaches.find({ slot, generation });
  return found == this->Reaches.end() ? 0 : found->second;
}

void RecordedSlots::TellGrant(std::uint64_t slot, std::uint64_t bytes, const DiskShare&)
{
  this->Grants[slot] = bytes;
}

void RecordedSlots::TellRefusal(
  std::uint64_t slot, std::uint64_t generation, std::uint64_t, const Error& why, const std::string&)
{
  this->Refusals[slot] = why.what();
  this->Wants[{ slot, generation }] = 0;
}

void RecordedChannel::SendBytes(const PeerId& peer, const char* name, Bytes event)
{
  this->Events.push_back({ peer, name, std::move(event) });
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

ServerDescription SimulatedServer::DescriptionOf(std::uint64_t hosts, std::uint64_t lent)
{
  ServerDescription description;
  description.Session = "simulated";
  description.SlotSize = lent;
  description.SlotCount = 64;
  for (std::uint64_t host = 0; host < hosts; ++host)
  {
    HostDescription one;
    one.Node = "node";
    one.Name = "host " + std::to_string(host);
    description.Hosts.push_back(one);
  }
  return description;
}

SimulatedServer::SimulatedServer(std::uint64_t hosts, std::uint64_t lent, ServerOptions options)
  : Steering("/dev/null", {}, SteeringService::ViewerLoss::Stay)
  , Core({ this->Channel, this->Slots, this->Steering, [this] { return this->Time; },
           { "machine",
             [this](std::uint64_t process) { return this->EndedProcesses.contains(process); },
             [this] { return ++this->LastKey; }, [] {}, "a test" } },
      { options, DescriptionOf(hosts, lent), Ring(hosts, lent, 64), lent, Secret, {} })
{
  this->Core.Router.Do([this] { this->Core.Open(Owner); });
  for (std::uint64_t host = 0; host < hosts; ++host)
  {
    Hello hello;
    hello.Peer.Role = "host";
    hello.Peer.Machine = "machine";
    hello.Host = HostSeat{ host, Secret };
    this->Send(this->HostPeer(host), hello);
  }
  this->HostsWork();
}

std::uint64_t SimulatedServer::SendEnvelope(const PeerId& peer, const Envelope& message)
{
  const Call call({ peer, message.Id, message.Name, Owner }, this->Answers);
  try
  {
    this->Core.Router.Receive(call, message);
  }
  catch (const std::exception& error)
  {
    call.Refuse(error);
  }
  return message.Id;
}

bool SimulatedServer::IsAnswered(std::uint64_t request) const
{
  return this->Answers->ById.contains(request);
}

Bytes SimulatedServer::BodyOf(std::uint64_t request) const
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
  const RecordedAnswers::Answer& answer = found->second.front();
  if (answer.Refusal)
  {
    throw Error(*answer.Refusal);
  }
  return *answer.Body;
}

HelloReply SimulatedServer::Connect(
  const PeerId& peer, const std::string& role, std::uint64_t ranks)
{
  Hello hello;
  hello.Peer.Role = role;
  hello.Peer.Program = peer;
  hello.Peer.Machine = "machine";
  hello.Peer.Node = "node";
  hello.Peer.Process = std::hash<std::string>()(peer) % 100000;
  hello.Peer.Ranks = ranks;
  return this->Ask(peer, hello);
}

std::size_t SimulatedServer::HostsWork()
{
  std::size_t done = 0;
  for (bool more = true; more;)
  {
    more = false;
    for (std::uint64_t host = 0; host < this->Core.Presence.Peers.size(); ++host)
    {
      for (const auto& order : this->Channel.Take<PrepareMemory>(this->HostPeer(host)))
      {
        MemoryPrepared prepared;
        prepared.Tickets = order.Tickets;
        prepared.Ahead = !order.Ahead.empty();
        this->Send(this->HostPeer(host), prepared);
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

std::uint64_t SimulatedServer::WriteFile(
  const PeerId& peer, const std::string& name, std::uint64_t size)
{
  BeginImage begin;
  begin.File = name;
  begin.Ranks = 1;
  const ImageGranted granted = this->Ask(peer, begin);
  if (granted.Image.Grant < size)
  {
    this->Ask(peer, ExtendImage{ granted.Image.Image, granted.Image.Key, size });
  }
  SealImage seal;
  seal.Image = granted.Image.Image;
  seal.Size = size;
  seal.Reach = size;
  seal.Until = this->Time.Wall + 10;
  return this->Ask(peer, seal).Number;
}

}
