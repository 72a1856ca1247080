// SPDX-License-Identifier: BSD-3-Clause
#include "Attach/RemoteServer.h"

#include "Base/Error.h"
#include "Base/FileName.h"
#include "Base/Log.h"
#include "Base/Timeouts.h"
#include "Base/WallClock.h"
#include "Mpi/Agreement.h"
#include "Peer/Connections.h"
#include "Protocol/SnapshotMessages.h"
#include "Server/Core/ServerMessages.h"

#include <algorithm>
#include <filesystem>
#include <thread>
#include <utility>

namespace dsm
{

namespace
{
// Of a panel that asks several times a second: it must not stand still for long.
constexpr Seconds StatusLimit(3);
// Hosts that open another transport do so together.
constexpr Seconds AdjustLimit(60);
// One request for a snapshot; who waits for longer asks again, and sees that the hosts are gone.
constexpr Seconds LongestTake(5);

// What all ranks must know of the server.
struct Introduction
{
  std::string Contact;
  ServerDescription Server;
};

void Describe(Fields& fields, Introduction& introduction)
{
  fields("Contact", introduction.Contact);
  fields("Server", introduction.Server);
}
}

RemoteServer::RemoteServer(
  const Communicator& comm, const std::string& contactPath, Role role, const Deadline& deadline)
  : Comm(Communicator::Duplicate(comm.Handle()))
  , Path(this->Comm.BroadcastText(AbsoluteName(contactPath)))
  , ViewerRole(role)
{
  const auto introduction = RunOnRankZero(this->Comm,
    [&]
    {
      this->Attached = Connection::Open(
        this->Path, "viewer", static_cast<std::uint64_t>(this->Comm.Size()), deadline);
      this->Last = this->Introduce(*this->Attached, Seconds(deadline.Remaining()));
      return Introduction{ this->Attached->GetContact().ToText(), *this->Attached->Server() };
    });
  if (!this->Attached)
  {
    this->Attached = Connection::FromDescription(
      this->Path, Contact::FromText(introduction.Contact), introduction.Server, "viewer");
  }
  connections::Add(this->Attached);
}

RemoteServer::~RemoteServer()
{
  connections::Remove(this->Attached);
}

ServerStatus RemoteServer::Introduce(Connection& link, Seconds limit) const
{
  return this->ViewerRole == Role::Watcher ? link.Request(WatchServer(), limit)
                                           : link.Request(AttachViewer(), limit);
}

Error RemoteServer::Lost(const std::string& why) const
{
  return Error(Fault::PeerLost,
    "the processes that hold the memory of {} cannot be reached ({}): if they were only stopped, "
    "let them go on; if they have ended, {}",
    this->Path, why,
    this->ViewerRole == Role::Watcher ? "start a server with the same contact file"
                                      : "stop and start again");
}

// The connection, and another one when the server has been found again. On rank 0.
std::shared_ptr<Connection> RemoteServer::Link() const
{
  const std::lock_guard lock(this->Guard);
  if (this->Stopped)
  {
    throw Error(Fault::Usage, "the DSM server has been stopped");
  }
  auto link = connections::Find(this->Path);
  if (!link && this->Attached->WasGivenUp())
  {
    link = connections::Get(
      this->Path, "viewer", static_cast<std::uint64_t>(this->Comm.Size()), Deadline(StatusLimit));
  }
  if (!link)
  {
    const Error why = this->Lost("no answer");
    connections::Search(this->Path, this->Attached->ThisProcess(), why);
    throw why;
  }
  if (link != this->Attached)
  {
    if (this->Attached->WasGivenUp())
    {
      this->WasGivenUp = true;
      this->Leases.clear();
    }
    this->Introduce(*link, StatusLimit);
    this->Attached = link;
  }
  return link;
}

template <typename Message>
typename Message::Reply RemoteServer::Ask(const Message& request, Seconds limit) const
{
  const auto link = this->Link();
  try
  {
    return link->Request(request, limit);
  }
  catch (const Error& error)
  {
    const Fault fault = error.GetFault();
    if (fault != Fault::TimedOut && fault != Fault::PeerLost && fault != Fault::NoServer)
    {
      throw;
    }
    this->Lose(*link, error);
  }
}

void RemoteServer::ThrowIfGivenUp() const
{
  const std::lock_guard lock(this->Guard);
  if (std::exchange(this->WasGivenUp, false))
  {
    throw Error(Fault::PeerLost,
      "the processes that hold the memory of {} heard nothing from this process for {:.3g} s and "
      "released its snapshots: it was suspended (Ctrl+Z, a debugger, a machine that slept). It is "
      "connected again: go on with the snapshots that are still in memory",
      this->Path, PeerTimeout().count());
  }
}

// From now on nobody waits for it.
void RemoteServer::Lose(const Connection& link, const Error& error) const
{
  if (link.WasGivenUp())
  {
    this->Link();
    this->ThrowIfGivenUp();
  }
  const Error why = this->Lost(error.what());
  connections::Search(this->Path, link.ThisProcess(), why);
  throw why;
}

void RemoteServer::Stop()
{
  if (this->Stopped)
  {
    return;
  }
  if (this->Comm.Rank() == 0 && this->ViewerRole == Role::Caretaker)
  {
    try
    {
      this->Ask(StopServer(), RequestTimeout());
      // Who starts again under this name finds the place free.
      const Deadline ended(RequestTimeout());
      while (std::filesystem::exists(this->Path) && !ended.Expired())
      {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      }
    }
    catch (const Error& error)
    {
      // They do not answer, and may be gone, which is what was wanted.
      Log().debug("stopping the server of {}: {}", this->Path, error.what());
    }
  }
  this->Stopped = true;
  connections::Remove(this->Attached);
  this->Comm.Barrier();
  this->Comm.Free();
}

void RemoteServer::Adjust(const ServerOptions& options)
{
  if (this->ViewerRole == Role::Watcher)
  {
    throw Error(Fault::Refused,
      "cannot change the settings of {}: this program only watches its server. Change them in the "
      "program that started the server.",
      this->Path);
  }
  const auto adjusted =
    RunOnRankZero(this->Comm, [&] { return this->Ask(AdjustServer{ options }, AdjustLimit); });
  this->GetConnection()->Follow(adjusted.Server);
}

std::uint64_t RemoteServer::NumberOfHosts() const
{
  return this->GetConnection()->Server()->Hosts.size();
}

std::uint64_t RemoteServer::MaximumMemory() const
{
  const auto server = this->GetConnection()->Server();
  return server->Pinned ? server->SlotSize * server->SlotCount : server->SlotSize;
}

std::uint64_t RemoteServer::MaximumSnapshotsPossible() const
{
  return this->GetConnection()->Server()->SlotCount - 1;
}

std::shared_ptr<Connection> RemoteServer::GetConnection() const
{
  const std::lock_guard lock(this->Guard);
  return this->Attached;
}

// The last one, where the hosts have no time to tell another.
ServerStatus RemoteServer::Status() const
{
  if (this->Comm.Rank() > 0)
  {
    return {};
  }
  {
    const std::lock_guard lock(this->Guard);
    if (!this->Patience.Expired())
    {
      return this->Last;
    }
  }
  try
  {
    const auto link = this->Link();
    std::optional<ServerStatus> status;
    try
    {
      status = link->Request(AskStatus(), StatusLimit);
    }
    catch (const Error& error)
    {
      if (link->WasGivenUp())
      {
        status = this->Link()->Request(AskStatus(), StatusLimit);
      }
      else if (!link->Alive())
      {
        this->Lose(*link, error);
      }
    }
    const std::lock_guard lock(this->Guard);
    if (status)
    {
      this->Last = std::move(*status);
    }
    else
    {
      this->Patience = Deadline(StatusLimit);
    }
    return this->Last;
  }
  catch (const Error& error)
  {
    const std::lock_guard lock(this->Guard);
    if (this->Last.State != ServerState::HostsLost)
    {
      this->Last.State = ServerState::HostsLost;
      this->Last.Writers.clear();
      this->Last.Receiving.clear();
      this->Last.WaitingSeconds = 0;
      this->Last.LastError = error.what();
      this->Last.LastErrorAt = WallTime();
    }
    return this->Last;
  }
}

std::optional<SnapshotDescription> RemoteServer::WaitForSnapshot(
  SnapshotId after, bool next, const Deadline& deadline)
{
  if (this->Comm.Rank() > 0)
  {
    return std::nullopt;
  }
  for (;;)
  {
    const Seconds wait = std::min(Seconds(deadline.Remaining()), LongestTake);
    const Deadline asked(wait);
    this->Link();
    this->ThrowIfGivenUp();
    const auto taken =
      this->Ask(TakeSnapshot{ after, next, wait.count() }, wait + RequestTimeout());
    if (taken.Snapshot)
    {
      const std::lock_guard lock(this->Guard);
      this->Counted = taken.Counts;
      this->Leases.emplace(taken.Snapshot->Snapshot.Number, taken.Snapshot->Lease);
      return taken.Snapshot->Snapshot;
    }
    // Before its time: no simulation is there any more.
    if (deadline.Expired() || !asked.Expired())
    {
      return std::nullopt;
    }
  }
}

SnapshotCounts RemoteServer::CountedAtWait() const
{
  const std::lock_guard lock(this->Guard);
  return this->Counted;
}

void RemoteServer::Release(SnapshotId number)
{
  const std::lock_guard lock(this->Guard);
  const auto lease = this->Leases.find(number);
  if (lease != this->Leases.end())
  {
    this->Attached->Notify(CloseSnapshot{ lease->second });
    this->Leases.erase(lease);
  }
}

SteeringAnswer RemoteServer::Steer(const SteeringRequest& request, const std::string& who)
{
  const auto* wait = std::get_if<WaitRequest>(&request);
  return this
    ->Ask(RequestSteering{ request, who }, RequestTimeout() + Seconds(wait ? wait->Seconds : 0))
    .Answer;
}

}
