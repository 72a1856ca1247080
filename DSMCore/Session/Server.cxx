// SPDX-License-Identifier: BSD-3-Clause
#include "Session/Server.h"

#include "Base/Environment.h"
#include "Base/Error.h"
#include "Base/FileName.h"
#include "Base/Log.h"
#include "Control/ContactFile.h"
#include "Memory/NodeMemory.h"
#include "Memory/Segment.h"
#include "Session/Agreement.h"
#include "Session/Connections.h"
#include "Session/Coordinator.h"
#include "Session/HostAgent.h"
#include "Session/MpiService.h"
#include "Transport/FabricHost.h"

#include <unistd.h>

#include <algorithm>
#include <random>

namespace dsm
{

namespace
{
constexpr std::uint64_t Page = 4096;
// Images being written need slots beside the snapshots; this many at once is plenty.
constexpr std::uint64_t SlotsForImages = 8;
// Half of a process's address space: what all mapped slots of a node may take.
constexpr std::uint64_t LargestMapping = UINT64_C(1) << 46;

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

std::string MachineName()
{
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

// What one host lends: what was asked for, or a fair part of what the node has. Whole pages.
std::uint64_t MemoryToLend(std::uint64_t asked, std::uint64_t hostsHere)
{
  const std::uint64_t shared = AvailableSharedMemory() / hostsHere;
  if (asked == 0)
  {
    const std::uint64_t quarter = AvailableMemory() / 4 / hostsHere;
    return std::min(quarter, shared / 10 * 9) / Page * Page;
  }
  if (asked > shared)
  {
    throw Error(Fault::System,
      "each of the {} hosts on this node shall lend {}, but /dev/shm has {} left for each: lower "
      "the memory per host, or enlarge /dev/shm (mount -o remount,size=… /dev/shm)",
      hostsHere, environment::FormatBytes(asked), environment::FormatBytes(shared));
  }
  return (asked + Page - 1) / Page * Page;
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
  std::unique_ptr<FabricHost> Fabric; ///< goes before the memory, which the agent holds
  std::unique_ptr<Coordinator> Mind;  ///< rank 0; goes before the agents, which it would miss
  std::unique_ptr<ContactFile> File;  ///< rank 0
  std::shared_ptr<Connection> Link;

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
  Agree(this->Comm,
    [&]
    {
      Segment::RemoveAbandoned();
      lent = MemoryToLend(options.MemoryPerHost, hostsHere);
    });
  // The least any host can lend is what all lend; a maximum of complements.
  lent = ~this->Comm.Max(~lent);

  this->Description.SlotSize = lent;
  this->Description.SlotCount = std::clamp<std::uint64_t>(
    LargestMapping / (lent * nodes.size()), 2, options.MaximumSnapshots + SlotsForImages);
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
    });
  // Rank 0's environment counts: all hosts must offer the same.
  this->Description.Transport = AskAsOne(this->Comm,
    [&]
    {
      return nlohmann::json(options.Transport.WithEnvironment());
    }).get<TransportChoice>();
  HostDescription self;
  Agree(this->Comm,
    [&]
    {
      this->Fabric = std::make_unique<FabricHost>(
        this->Memory.Data(), this->Memory.Size(), this->Description.Transport);
      self = { here, this->Memory.Name(), MachineName(), NetworkIdentity(),
        this->Fabric->Addresses() };
    });
  for (const auto& host : this->Comm.AllGatherText(nlohmann::json(self).dump()))
  {
    this->Description.Hosts.push_back(nlohmann::json::parse(host).get<HostDescription>());
  }
  this->Description.Session = this->Comm.BroadcastText(NewSession());
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
      this->Mind = std::make_unique<Coordinator>(options, this->Description,
        this->Description.SlotSize, this->Mpi ? this->Mpi->Offer() : MpiOffer());
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
    this->Self->Mpi->End();
    this->Self->Mpi->Free();
  }
  this->Self->Comm.Free();
  this->Self.reset();
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
  status.Transports = this->Self->Fabric->Describe();
  status.Transports.insert(
    status.Transports.begin(), "shared-memory, where hosts and peers share a node");
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

SteeringDesk* Server::Steering() const
{
  return this->Self && this->Self->Mind ? &this->Self->Mind->Steering() : nullptr;
}

}
