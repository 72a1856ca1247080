// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/HostService.h"

#include "Base/Error.h"
#include "Base/Log.h"
#include "Server/Core/RequestRouter.h"

#include <optional>
#include <utility>

namespace dsm
{

HostService::HostService(const Parts& parts, std::string secret)
  : Part(parts)
  , Secret(std::move(secret))
  , Tasks(parts.Presence.Peers.size(),
      [this](HostIndex host, const PrepareMemory& event) { this->Send(host, event); })
{
}

void HostService::ForgetOnDisk()
{
  if (const auto forgotten = this->Part.Images.TakeForgotten())
  {
    this->Tasks.Submit(forgotten->Plan, forgotten->Slot, {});
  }
}

void HostService::Submit(const ImageManager::Work& work, const HostTasks::Done& done)
{
  this->ForgetOnDisk();
  this->Tasks.Submit(work.Plan, work.Slot, done);
  if (!this->Part.Presence.Lost.empty())
  {
    // That host hears of nothing, so nobody may wait for its report.
    this->Tasks.FailAll(this->Part.Presence.WhyLost());
  }
}

void HostService::Submit(const std::vector<ImageManager::Work>& work)
{
  for (const auto& one : work)
  {
    this->Submit(one);
  }
}

void HostService::SubmitAhead(const HostTasks::AheadOrder& order, const HostTasks::Done& done)
{
  this->Tasks.SubmitAhead(order, done);
}

bool HostService::Seat(const RequestId& request, const HostSeat& seat, bool isOwner)
{
  HostPresence& presence = this->Part.Presence;
  if (!isOwner || seat.Secret != this->Secret || seat.Number >= presence.Peers.size())
  {
    throw Error(Fault::Refused, "only this DSM server's own processes are its hosts");
  }
  if (seat.Connection < presence.Connections[seat.Number])
  {
    throw Error(Fault::Refused, "DSM host {} has connected again since", seat.Number);
  }
  presence.Connections[seat.Number] = seat.Connection;
  const PeerId before = presence.Peers[seat.Number];
  if (before != request.Peer && this->Part.Peers.Remove(before))
  {
    // It comes back before its end was noticed.
    presence.Peers[seat.Number].clear();
    this->Lose(seat.Number, fmt::format("DSM host {} was away", seat.Number));
  }
  const bool isBack = presence.Lost.erase(seat.Number) > 0;
  presence.Peers[seat.Number] = request.Peer;
  return isBack;
}

// The host's tasks are not done, and it gets no other task until it is back.
void HostService::Lose(HostIndex host, const std::string& why)
{
  this->Part.Presence.Lost[host] = why;
  this->Tasks.FailAll(why);
  this->Writing.Lose(host, why);
  this->Part.Waiting.WakeAll();
}

HostIndex HostService::RequireHost(const PeerId& peer)
{
  const std::optional<HostIndex>& host = this->Part.Peers.Known(peer).Host;
  if (!host)
  {
    throw Error(Fault::Refused, "only a host of the DSM server says so");
  }
  return *host;
}

std::uint64_t HostService::BeginShares(const WriteShare& share)
{
  const HostPresence& presence = this->Part.Presence;
  presence.RequireAll(", and with it a part of the snapshot");
  const std::uint64_t ticket = this->Writing.Begin(presence.Peers.size());
  for (HostIndex host = 0; host < presence.Peers.size() && this->Part.State.IsOpen; ++host)
  {
    WriteShare its = share;
    its.Ticket = ticket;
    its.Host = host;
    this->Send(host, its);
  }
  return ticket;
}

void HostService::EndShares(std::uint64_t ticket, bool isCancelled)
{
  this->Writing.End(ticket);
  const std::uint64_t hosts = this->Part.Presence.Peers.size();
  for (HostIndex host = 0; isCancelled && host < hosts && this->Part.State.IsOpen; ++host)
  {
    this->Send(host, CancelShare{ ticket });
  }
}

void HostService::Serve(RequestRouter& router)
{
  router.On<MemoryPrepared>(*this);
  router.On<ShareWritten>(*this);
}

void HostService::Handle(const Call& call, const MemoryPrepared& message)
{
  const HostIndex host = this->RequireHost(call.Peer());
  if (message.Lacked > 0 && !message.Ahead)
  {
    this->NoteLack(host, message);
  }
  else if (!message.Failure.empty() && !message.Ahead)
  {
    this->Part.State.Trouble.Report(message.Failure);
  }
  // Memory that nobody needs yet may be refused, and be there later for a request that needs it.
  const bool lacksMemory = message.Lacked > 0 || message.Ahead;
  for (const std::uint64_t ticket : message.Tickets)
  {
    this->Tasks.Report(ticket, { message.Failure, lacksMemory });
  }
}

// The host lends what it has from now on. The requests whose tasks fail are tried again, as when
// the ring is full.
void HostService::NoteLack(HostIndex host, const MemoryPrepared& message)
{
  this->Part.Images.NoteLack(host, message.Lacked);
  const std::string text = fmt::format(
    "DSM host {} gets less memory than it shares: {}. Old snapshots are evicted for new files, as "
    "if the ring were full",
    host, message.Failure);
  if (this->Shortage.Begin(this->Part.State.Time.Now))
  {
    this->Part.State.Trouble.Report(text);
  }
  else
  {
    Log().info("{}", text);
  }
}

bool HostService::TryMoreMemory()
{
  const Ring& memory = this->Part.Images.Memory();
  if (memory.IsLimited())
  {
    return this->LiftLimitsIf(this->Shortage.MayTryAgain(this->Part.State.Time.Now));
  }
  if (this->Tasks.AreDone() && this->Shortage.EndsWith(memory))
  {
    Log().info("the DSM hosts get the memory again that they lacked");
  }
  return false;
}

bool HostService::TryMoreMemory(Clock::time_point since)
{
  return this->LiftLimitsIf(
    this->Part.Images.Memory().IsLimited() && this->Shortage.IsOlderThan(since));
}

bool HostService::LiftLimitsIf(bool isDue)
{
  if (isDue)
  {
    this->Shortage.NoteLifted(this->Part.Images.LiftLimits());
  }
  return isDue;
}

void HostService::Cool(SlotIndex slot)
{
  this->Submit(this->Part.Images.Cool(slot));
}

void HostService::Handle(const Call& call, const ShareWritten& message)
{
  this->Writing.Report(this->RequireHost(call.Peer()), message);
  this->Part.Waiting.WakeAll();
}

}
