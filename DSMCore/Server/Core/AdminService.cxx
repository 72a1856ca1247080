// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/AdminService.h"

#include "Base/Error.h"
#include "Server/Core/RequestRouter.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

namespace dsm
{

AdminService::AdminService(const Parts& parts, Answer answer)
  : Part(parts)
  , AnswerStatus(std::move(answer))
{
}

void AdminService::Serve(RequestRouter& router)
{
  router.On<AskStatus>(*this);
  router.On<AttachViewer>(*this);
  router.On<WatchServer>(*this);
  router.On<AskTraffic>(*this);
  router.On<AdjustServer>(*this);
  router.On<StopServer>(*this);
}

void AdminService::Handle(const Call& call, const AskStatus&)
{
  this->AnswerStatus(call, this->Status());
}

void AdminService::Handle(const Call& call, const AttachViewer&)
{
  if (!this->Orders.IsOffered())
  {
    throw Error(Fault::Refused,
      "this DSM server is a part of the program that started it ({}), and only "
      "that can change or stop it: stop it there, or take another contact file",
      this->Part.State.Around.Program);
  }
  Peer& peer = this->Part.Peers.Known(call.Peer());
  peer.Attached = true;
  peer.Watching = true;
  this->AnswerStatus(call, this->Status());
}

void AdminService::Handle(const Call& call, const WatchServer&)
{
  this->Part.Peers.Known(call.Peer()).Watching = true;
  this->AnswerStatus(call, this->Status());
}

void AdminService::Handle(const Call& call, const AskTraffic&)
{
  call.Reply(ControlTraffic{ this->Part.Peers.All().size(), this->Part.Channel.Traffic() });
}

Peer& AdminService::RequireAttached(const Call& call)
{
  Peer& peer = this->Part.Peers.Known(call.Peer());
  if (!peer.Attached)
  {
    throw Error(Fault::Refused, "only a program that has attached to this DSM server says so");
  }
  return peer;
}

void AdminService::Handle(const Call& call, const AdjustServer& message)
{
  this->RequireAttached(call);
  this->Add(call, message.Options);
}

void AdminService::Handle(const Call& call, const StopServer&)
{
  this->RequireAttached(call);
  this->Add(call, std::nullopt);
}

void AdminService::Add(const Call& call, const std::optional<ServerOptions>& options)
{
  this->Orders.Add({ call, options });
  this->Part.Waiting.WakeAll();
}

void AdminService::OrderDone(const HostOrder& order, const std::string& failure)
{
  if (!failure.empty())
  {
    order.Request.Refuse(Error(Fault::Usage, "{}", failure));
  }
  else if (order.Options)
  {
    order.Request.Reply(ServerAdjusted{ this->Part.State.Description });
  }
  else
  {
    order.Request.Reply(Nothing());
  }
}

ServerStatus AdminService::Status() const
{
  const CoreState& state = this->Part.State;
  const auto& peers = this->Part.Peers.All();
  ServerStatus status;
  static_cast<ImageCounters&>(status) = this->Part.Images.Counters();
  status.WritersSeen = this->Part.Peers.WritersSeen();
  status.Viewers = static_cast<std::uint64_t>(std::count_if(peers.begin(), peers.end(),
    [](const auto& entry) { return entry.second.Watching && entry.second.Guest.empty(); }));
  status.Transports = this->TransportLines;
  status.LastError = state.Trouble.Last();
  status.LastErrorAt = state.Trouble.LastAt();
  status.Writers = this->Part.Runs.Simulations();
  const auto& images = this->Part.Images.OpenImages();
  status.State = !state.IsOpen              ? ServerState::Idle
    : !images.empty()                       ? ServerState::Receiving
    : !status.Writers.empty()               ? ServerState::Connected
    : this->Part.Peers.LostLastSimulation() ? ServerState::ClientLost
                                            : ServerState::Listening;
  for (const auto& [number, image] : images)
  {
    status.Receiving.push_back(image.FileName);
  }
  status.Snapshots = this->Part.Reads.Listed();
  std::set<std::uint64_t> runs;
  for (const ConnectedWriter& writer : status.Writers)
  {
    runs.insert(writer.Run);
  }
  for (const SnapshotDescription& snapshot : status.Snapshots)
  {
    runs.insert(snapshot.Run);
  }
  status.Runs = this->Part.Runs.Runs().WithOrigins(runs);
  this->Part.Storage.FillIn(status);
  const Ring& memory = this->Part.Images.Memory();
  status.MemoryUsed = memory.UsedByAll();
  status.MemoryBudget = memory.Budget() * memory.Hosts();
  status.OutgrownBytes = memory.OnDiskByAll();
  for (HostIndex host = 0; host < memory.Hosts(); ++host)
  {
    status.HostMemoryUsed.push_back(memory.Used(host));
    status.MemoryReady +=
      memory.Resident(host) - std::min(memory.Resident(host), memory.Used(host));
  }
  status.WaitingSeconds = this->Part.Allocations.Waiting().count();
  status.Options = state.Options;
  status.Options.Transport = state.Description.Transport;
  status.Options.MemoryPerHost = memory.Budget();
  status.Options.Memory = state.Description.Pinned ? Lending::Pinned : Lending::Sparse;
  status.Options.MaximumSnapshots = this->Part.Images.GetPolicy().MaximumSnapshots;
  status.Pending = this->Part.Settings.Pending();
  return status;
}

}
