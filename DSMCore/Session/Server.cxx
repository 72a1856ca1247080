// SPDX-License-Identifier: BSD-3-Clause
#include "Session/Server.h"

#include "Base/Environment.h"
#include "Base/Error.h"
#include "Base/FileName.h"
#include "Base/Log.h"
#include "Base/NodeIdentity.h"
#include "Control/ContactFile.h"
#include "Memory/NodeMemory.h"
#include "Memory/Segment.h"
#include "Mpi/Abandon.h"
#include "Session/Agreement.h"
#include "Session/Connections.h"
#include "Session/Coordinator.h"
#include "Session/HostAgent.h"
#include "Session/LentMemory.h"
#include "Session/MpiService.h"
#include "Transport/FabricHost.h"

#include <unistd.h>

#include <algorithm>
#include <random>

namespace dsm
{

namespace
{
std::string NewSession()
{
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

std::string TimeNow()
{
  const std::time_t now = std::time(nullptr);
  char text[32] = "";
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  return text;
}

// The transport that options ask for, on this machine.
TransportChoice Found(const TransportChoice& asked)
{
  return asked.Heavy == "auto" ? asked.WithEnvironment() : asked;
}
}

const char* ServerStateName(ServerState state)
{
  switch (state)
  {
    case ServerState::Idle:
      return "idle";
    case ServerState::Listening:
      return "listening";
    case ServerState::Connected:
      return "connected";
    case ServerState::Receiving:
      return "receiving";
    case ServerState::Paused:
      return "paused";
    case ServerState::ClientLost:
      return "client lost";
  }
  return "unknown";
}

class Server::Implementation
{
public:
  Implementation(Communicator communicator, const ServerOptions& options)
    : Comm(std::move(communicator))
    , Path(this->Comm.BroadcastText(AbsoluteName(options.ContactFile)))
  {
    this->LendMemory(options);
    this->PrepareMpi();
    this->Answer(options);
    this->JoinHosts();
    this->Publish();
  }

  ~Implementation()
  {
    if (this->Link)
    {
      connections::Remove(this->Link);
    }
  }

  Communicator Comm;
  std::string Path;
  ServerDescription Description;
  Contact Address;
  Segment Memory;
  std::unique_ptr<MpiService> Mpi; ///< when the transport uses it; the agent passes it events
  std::unique_ptr<HostAgent> Agent;
  std::byte* Bytes = nullptr; ///< of the memory, wherever its owner is
  std::uint64_t Lent = 0;     ///< bytes per host, at Start
  /// One of Start, one more for each change to providers that were not open; they go before the
  /// memory, which the agent holds.
  std::vector<std::unique_ptr<FabricHost>> Fabric;
  std::unique_ptr<Coordinator> Mind; ///< rank 0; goes before the agents, which it would miss
  std::unique_ptr<ContactFile> File; ///< rank 0
  std::shared_ptr<Connection> Link;

  void OpenTransport(const TransportChoice& choice);

private:
  void LendMemory(const ServerOptions& options);
  void PrepareMpi();
  void Answer(const ServerOptions& options);
  void JoinHosts();
  void Publish();
  std::vector<std::string> Offers() const;
};

// Every rank makes its segment; all learn of all.
void Server::Implementation::LendMemory(const ServerOptions& options)
{
  const std::string here = NodeIdentity();
  const auto nodes = this->Comm.AllGatherText(here);
  const auto hostsHere = static_cast<std::uint64_t>(std::count(nodes.begin(), nodes.end(), here));
  std::uint64_t lent = 0;
  std::uint64_t room = 0;
  Agree(this->Comm,
    [&]
    {
      Segment::RemoveAbandoned();
      lent = MemoryToLend(options.MemoryPerHost, hostsHere);
      room = AvailableSharedMemory() / hostsHere / 10 * 9;
    });
  // The least any host can lend is what all lend; a maximum of complements.
  this->Lent = lent = ~this->Comm.Max(~lent);
  room = ~this->Comm.Max(~room);

  const SlotLayout slots = LaySlots(lent, room, nodes.size(), options.MaximumSnapshots);
  this->Description.SlotCount = slots.Count;
  this->Description.SlotSize = slots.Size;
  Agree(this->Comm,
    [&]
    {
      if (options.MaximumSnapshots == 0)
      {
        throw Error(Fault::Usage, "the DSM server must keep at least one snapshot");
      }
      const AddressMap check(options.Map.Over(nodes.size(), lent));
      this->Memory = Segment::Create(
        Segment::UniqueName(), this->Description.SlotSize * this->Description.SlotCount);
      this->Bytes = this->Memory.Data();
    });
  // Rank 0's environment counts: all hosts must offer the same.
  this->Description.Transport = AskAsOne(this->Comm,
    [&]
    {
      return nlohmann::json(Found(options.Transport));
    }).get<TransportChoice>();
  HostDescription self;
  Agree(this->Comm,
    [&]
    {
      this->Fabric.push_back(std::make_unique<FabricHost>(
        this->Bytes, this->Memory.Size(), this->Description.Transport));
      self = { here, this->Memory.Name(), MachineName(), NetworkIdentity(),
        this->Fabric.front()->Addresses() };
    });
  for (const auto& host : this->Comm.AllGatherText(nlohmann::json(self).dump()))
  {
    this->Description.Hosts.push_back(nlohmann::json::parse(host).get<HostDescription>());
  }
  this->Description.Session = this->Comm.BroadcastText(NewSession());
}

// Collective: the hosts can be reached as a choice asks for, also where that was not so at Start.
// What was open before stays open: peers that know it go on using it.
void Server::Implementation::OpenTransport(const TransportChoice& choice)
{
  if (WantsMpi(choice) && !(this->Mpi && this->Mpi->Serves(choice)))
  {
    throw Error(Fault::Unsupported,
      "the transport \"{}\" needs a server that was started with it, since its hosts prepare for "
      "MPI at Start only: stop the DSM server and start it again",
      choice.ToText());
  }
  std::vector<std::string> open;
  for (const FabricAddress& address : this->Description.Hosts[this->Comm.Rank()].Fabric)
  {
    open.push_back(address.Provider);
  }
  std::unique_ptr<FabricHost> more;
  Agree(this->Comm,
    [&]
    {
      more = std::make_unique<FabricHost>(
        this->Bytes, this->Description.SlotSize * this->Description.SlotCount, choice, open);
    });
  const auto all = this->Comm.AllGatherText(nlohmann::json(more->Addresses()).dump());
  for (std::size_t host = 0; host < all.size(); ++host)
  {
    auto& known = this->Description.Hosts[host].Fabric;
    for (const auto& address : nlohmann::json::parse(all[host]))
    {
      known.push_back(address.get<FabricAddress>());
    }
  }
  if (!more->Addresses().empty())
  {
    this->Fabric.push_back(std::move(more));
  }
  this->Description.Transport = choice;
}

// The names of the transports by which a peer can reach all hosts.
std::vector<std::string> Server::Implementation::Offers() const
{
  const auto& hosts = this->Description.Hosts;
  std::vector<std::string> names{ "shared-memory" };
  for (const FabricAddress& offer : hosts.front().Fabric)
  {
    const auto offers = [&](const HostDescription& host)
    {
      return std::any_of(host.Fabric.begin(), host.Fabric.end(),
        [&](const FabricAddress& other) { return other.Provider == offer.Provider; });
    };
    if (std::all_of(hosts.begin(), hosts.end(), offers))
    {
      names.push_back("fabric/" + offer.Provider);
    }
  }
  if (this->Mpi)
  {
    names.push_back(this->Mpi->Names());
  }
  return names;
}

void Server::Implementation::PrepareMpi()
{
  if (WantsMpi(this->Description.Transport))
  {
    Agree(this->Comm,
      [&]
      {
        this->Mpi =
          std::make_unique<MpiService>(this->Comm, this->Description, this->Memory.Name());
      });
  }
}

// Rank 0 opens the control channel; all ranks learn where it is.
void Server::Implementation::Answer(const ServerOptions& options)
{
  const auto told = AskAsOne(this->Comm,
    [&]
    {
      this->Address.Session = this->Description.Session;
      this->Address.Node = NodeIdentity();
      this->Address.HostName = MachineName();
      this->Address.Process = static_cast<std::uint64_t>(getpid());
      this->Address.Started = TimeNow();
      this->Address.Transports = this->Offers();
      this->Mind = std::make_unique<Coordinator>(
        options, this->Description, this->Lent, this->Mpi ? this->Mpi->Offer() : MpiOffer());
      this->Mind->Listen(this->Address);
      return nlohmann::json{ { "contact", this->Address.ToText() } };
    });
  this->Address = Contact::FromText(told.at("contact").get<std::string>());
}

void Server::Implementation::JoinHosts()
{
  Agree(this->Comm,
    [&]
    {
      this->Agent = std::make_unique<HostAgent>(std::move(this->Memory), this->Description.SlotSize,
        static_cast<std::uint64_t>(this->Comm.Rank()), this->Address, this->Path, this->Mpi.get());
    });
}

// Only now may simulations come.
void Server::Implementation::Publish()
{
  Agree(this->Comm,
    [&]
    {
      if (this->Comm.Rank() == 0)
      {
        this->File = std::make_unique<ContactFile>(this->Path, this->Address);
      }
    });
  this->Link = Connection::FromDescription(this->Path, this->Address, this->Description, "viewer");
  if (this->Mpi)
  {
    this->Link->AddJoined(this->Mpi->OwnTransports());
  }
  connections::Add(this->Link);
}

Server::Server(const Communicator& comm, const ServerOptions& options)
  : Self(std::make_unique<Implementation>(Communicator::Duplicate(comm.Handle()), options))
{
}

Server::~Server() = default;

void Server::Stop()
{
  if (!this->Self)
  {
    return;
  }
  this->Self->File.reset();
  if (this->Self->Mind)
  {
    this->Self->Mind->Close();
  }
  // Nobody lets go of memory before rank 0 has told the peers.
  this->Self->Comm.Barrier();
  if (this->Self->Mpi)
  {
    if (this->Self->Mpi->End())
    {
      this->Self->Mpi->Free();
    }
    else
    {
      Abandon(std::move(this->Self->Mpi)); // its thread is held in MPI for ever
    }
  }
  this->Self->Comm.Free();
  this->Self.reset();
}

void Server::Adjust(const ServerOptions& options)
{
  if (!this->Self)
  {
    throw Error(Fault::Usage, "the DSM server has stopped: its settings count at its next start");
  }
  auto& self = *this->Self;
  const auto wanted = AskAsOne(self.Comm,
    [&]
    {
      self.Mind->Check(options);
      return nlohmann::json(Found(options.Transport));
    }).get<TransportChoice>();
  if (wanted != self.Description.Transport)
  {
    self.OpenTransport(wanted);
  }
  if (self.Mind)
  {
    self.Mind->Adjust(options, self.Description);
  }
}

std::uint64_t Server::Room() const
{
  return this->Self ? this->Self->Description.SlotSize : 0;
}

std::uint64_t Server::MaximumRoom() const
{
  return this->Self ? this->Self->Description.SlotCount - 1 : 0;
}

bool Server::Pump()
{
  return this->NeedsPump() && this->Self->Mpi->Step();
}

bool Server::NeedsPump() const
{
  return this->Self && this->Self->Mpi && this->Self->Mpi->NeedsPump();
}

const std::string& Server::ContactPath() const
{
  static const std::string none;
  return this->Self ? this->Self->Path : none;
}

std::shared_ptr<Connection> Server::GetConnection() const
{
  return this->Self ? this->Self->Link : nullptr;
}

ServerStatus Server::Status() const
{
  if (!this->Self || !this->Self->Mind)
  {
    return {};
  }
  ServerStatus status = this->Self->Mind->Status();
  status.Transports.emplace_back("shared-memory, where hosts and peers share a node");
  for (const auto& fabric : this->Self->Fabric)
  {
    const auto lines = fabric->Describe();
    status.Transports.insert(status.Transports.end(), lines.begin(), lines.end());
  }
  if (this->Self->Mpi)
  {
    const MpiOffer& offer = this->Self->Mpi->Offer();
    status.Transports.push_back(
      fmt::format("{}, {}; {}", this->Self->Mpi->Names(), MeetingText(offer), offer.Progress));
  }
  return status;
}

std::optional<SnapshotDescription> Server::WaitForSnapshot(
  std::uint64_t after, bool next, const Deadline& deadline)
{
  return this->Self && this->Self->Mind ? this->Self->Mind->WaitForSnapshot(after, next, deadline)
                                        : std::nullopt;
}

void Server::Release(std::uint64_t number)
{
  if (this->Self && this->Self->Mind)
  {
    this->Self->Mind->Release(number);
  }
}

void Server::SetMap(const Redistribution& map)
{
  if (this->Self && this->Self->Mind)
  {
    this->Self->Mind->SetMap(map);
  }
}

void Server::SetIntake(const Intake& intake)
{
  if (this->Self && this->Self->Mind)
  {
    this->Self->Mind->SetIntake(intake);
  }
}

void Server::OfferSaving(bool offered)
{
  if (this->Self && this->Self->Mind)
  {
    this->Self->Mind->OfferSaving(offered);
  }
}

std::optional<SaveOrder> Server::WaitForSaveOrder()
{
  return this->Self && this->Self->Mind ? this->Self->Mind->WaitForSaveOrder() : std::nullopt;
}

void Server::SaveDone(const SaveOrder& order, const std::string& path, const std::string& failure)
{
  if (this->Self && this->Self->Mind)
  {
    this->Self->Mind->SaveDone(order, path, failure);
  }
}

SteeringDesk* Server::Steering() const
{
  return this->Self && this->Self->Mind ? &this->Self->Mind->Steering() : nullptr;
}

}
