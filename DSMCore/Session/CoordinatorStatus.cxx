// SPDX-License-Identifier: BSD-3-Clause
// What the coordinator says of itself, and how its settings change while it runs.
#include "Session/Coordinator.h"

#include "Base/Environment.h"
#include "Base/Error.h"
#include "Base/Log.h"

#include <algorithm>
#include <utility>

namespace dsm
{

namespace
{
constexpr std::uint64_t Page = 4096;
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
      { return known.Node == peer.Who.Node && known.Process == peer.Who.Process; };
      if (peer.Who.Role == role && std::none_of(found.begin(), found.end(), same))
      {
        found.push_back({ peer.Who, peer.Since });
      }
    }
  }
  std::sort(found.begin(), found.end(),
    [](const auto& one, const auto& other) { return one.Since < other.Since; });
  return found;
}

ServerStatus Coordinator::Status() const
{
  const bool paused = this->Steered.AnyPaused(); // before the lock: see Steering()
  const std::lock_guard lock(this->Guard);
  ServerStatus status = this->Counters;
  status.Writers = this->Simulations();
  status.State = !this->Door   ? ServerState::Idle
    : paused                   ? ServerState::Paused
    : !this->Images.empty()    ? ServerState::Receiving
    : !status.Writers.empty()  ? ServerState::Connected
    : this->LostLastSimulation ? ServerState::ClientLost
                               : ServerState::Listening;
  for (const auto& [number, image] : this->Images)
  {
    status.Receiving.push_back(image.FileName);
  }
  status.Snapshots = this->Snapshots.All();
  status.SnapshotsSealed = this->Snapshots.LastNumber();
  status.MemoryUsed = this->Memory.UsedByAll();
  status.MemoryBudget = this->Memory.Budget() * this->Memory.Hosts();
  for (std::uint64_t host = 0; host < this->Memory.Hosts(); ++host)
  {
    status.HostMemoryUsed.push_back(this->Memory.Used(host));
  }
  if (!this->Queue.empty())
  {
    status.WaitingSeconds = Seconds(Clock::now() - this->Queue.front().Since).count();
  }
  status.Options = this->Options;
  status.Options.Map = this->Wanted;
  status.Options.Transport = this->Description.Transport;
  status.Options.MemoryPerHost = this->Memory.Budget();
  status.Pending = this->Pending;
  return status;
}

// Adds to an answer what the peer has not heard of yet.
Coordinator::Json Coordinator::WithNews(const PeerId& id, Json reply)
{
  const auto peer = this->Peers.find(id);
  if (peer != this->Peers.end() && peer->second.ToldOf != this->Revision)
  {
    peer->second.ToldOf = this->Revision;
    peer->second.Patience = this->Options.FullRingLimit;
    reply["news"] = { { "server", this->Description },
      { "full_ring_limit", this->Options.FullRingLimit.count() } };
  }
  return reply;
}

void Coordinator::SetMap(const Redistribution& map)
{
  const std::lock_guard lock(this->Guard);
  AddressMap made(map.Over(this->Description.Hosts.size(), this->Memory.Budget())); // or throws
  const auto changed = [this](const char* what, bool really)
  {
    if (really &&
      std::find(this->Pending.begin(), this->Pending.end(), what) == this->Pending.end())
    {
      this->Pending.emplace_back(what);
    }
  };
  changed("strategy", map.Strategy != this->Wanted.Strategy);
  changed("block size", map.BlockSize != this->Wanted.BlockSize);
  changed("blocks per cycle", map.BlocksPerCycle != this->Wanted.BlocksPerCycle);
  changed("seed", map.Seed != this->Wanted.Seed);
  this->Wanted = map;
  this->Current = std::move(made);
}

void Coordinator::SetIntake(const Intake& intake)
{
  const std::lock_guard lock(this->Guard);
  this->Options.Files = intake;
  this->TellIntake();
}

// Peers hear of it at once: a simulation asks nothing before a flush.
void Coordinator::TellIntake()
{
  for (const auto& [id, peer] : this->Peers)
  {
    if (this->Door && !peer.Host)
    {
      this->Door->Send(id, { { "event", "intake" }, { "intake", this->Options.Files } });
    }
  }
}

// What each host lends by these options.
std::uint64_t Coordinator::BudgetFor(const ServerOptions& options) const
{
  return options.MemoryPerHost == 0 ? this->LentAtStart
                                    : (options.MemoryPerHost + Page - 1) / Page * Page;
}

void Coordinator::Check(const ServerOptions& options) const
{
  const std::lock_guard lock(this->Guard);
  const std::uint64_t budget = this->BudgetFor(options);
  if (budget > this->Description.SlotSize)
  {
    throw Error(Fault::Usage,
      "the running DSM server cannot lend {} per host, only up to {}: stop it and start it again "
      "with that",
      environment::FormatBytes(budget), environment::FormatBytes(this->Description.SlotSize));
  }
  if (options.MaximumSnapshots == 0 || options.MaximumSnapshots >= this->Description.SlotCount)
  {
    throw Error(Fault::Usage,
      "the running DSM server can keep 1 to {} snapshots, not {}: for more, stop it and start it "
      "again",
      this->Description.SlotCount - 1, options.MaximumSnapshots);
  }
  if (!(options.FullRingLimit >= Seconds(0)))
  {
    throw Error(Fault::Usage, "a simulation cannot wait {} seconds for room: give 0 or more",
      options.FullRingLimit.count());
  }
  const AddressMap possible(options.Map.Over(this->Description.Hosts.size(), budget));
}

void Coordinator::Adjust(const ServerOptions& options, const ServerDescription& description)
{
  this->Check(options);
  {
    const std::lock_guard lock(this->Guard);
    if (description != this->Description)
    {
      if (std::find(this->Pending.begin(), this->Pending.end(), "transport") == this->Pending.end())
      {
        this->Pending.emplace_back("transport");
      }
      this->Description = description;
      ++this->Revision;
    }
    if (options.FullRingLimit != this->Options.FullRingLimit)
    {
      ++this->Revision;
    }
    const std::string contact = this->Options.ContactFile;
    const bool otherFiles = options.Files != this->Options.Files;
    this->Options = options;
    if (otherFiles)
    {
      this->TellIntake();
    }
    this->Options.ContactFile = contact;
    const std::uint64_t budget = this->BudgetFor(options);
    if (budget != this->Memory.Budget())
    {
      CleaningPlan plan;
      plan.Release = this->Memory.SetBudget(budget);
      if (!plan.Release.empty())
      {
        this->Keeper.Carry(plan, plan.Release.front().Slot, {});
      }
      Log().info("each host lends {} now", environment::FormatBytes(budget));
    }
  }
  this->SetMap(options.Map);
  const std::lock_guard lock(this->Guard);
  // The policy, or more room, may help those who wait.
  this->RetryWaiting();
}

}
