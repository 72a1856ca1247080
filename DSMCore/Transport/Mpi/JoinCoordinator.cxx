// SPDX-License-Identifier: BSD-3-Clause
#include "Transport/Mpi/JoinCoordinator.h"

#include "Base/Error.h"
#include "Base/Log.h"
#include "Base/Timeouts.h"

#include <algorithm>
#include <utility>

namespace dsm
{

namespace
{
// A client that may join does so at once; and an MPI message between living ranks takes no longer.
Seconds MeetingLimit()
{
  return std::min(Seconds(10), RequestTimeout() / 2);
}

// A tag of MPI_COMM_WORLD, which belongs to the programs: near the end of what every MPI has.
int JoinTag(std::uint64_t link)
{
  return 31000 + static_cast<int>(link % 1000);
}
}

JoinCoordinator::JoinCoordinator(MpiOffer offer, Callbacks callbacks)
  : WhatIsOffered(std::move(offer))
  , Call(std::move(callbacks))
{
}

template <typename Visitor>
void JoinCoordinator::ForAllHosts(const Visitor& visit) const
{
  for (HostIndex host = 0; host < this->WhatIsOffered.Hosts.Ranks; ++host)
  {
    visit(host);
  }
}

void JoinCoordinator::Join(const RequestId& request, const JoinRequest& message)
{
  ChooseJoinMethod(this->WhatIsOffered, message.Job);
  if (!this->Stuck.empty())
  {
    throw Error(
      Fault::Unsupported, "the DSM server's hosts cannot be joined over MPI: {}", this->Stuck);
  }
  if (this->Joining)
  {
    const bool waits = std::any_of(this->Queue.begin(), this->Queue.end(),
      [&](const Waiting& waiting) { return waiting.Request.Peer == request.Peer; });
    if (waits)
    {
      throw Error(Fault::Refused, "this program waits to join the DSM server's hosts already");
    }
    this->Queue.push_back({ request, message, Deadline(RequestTimeout() * 0.9) });
    return;
  }
  this->Begin(request, message);
}

void JoinCoordinator::Begin(const RequestId& request, const JoinRequest& message)
{
  const std::uint64_t number = ++this->Last;
  Link link;
  link.Owner = request.Peer;
  link.Client = message.Job;
  link.How = ChooseJoinMethod(this->WhatIsOffered, link.Client);
  link.OneSided = message.OneSided;
  link.Until = Deadline(MeetingLimit());
  const bool isStatic = link.How == JoinMethod::Static;
  this->Call.Prepare(0, { number, isStatic, link.Client.Leader, JoinTag(number) });
  this->Call.Plan(request, { number, isStatic, this->WhatIsOffered.Hosts.Leader, JoinTag(number) });
  this->Links[number] = std::move(link);
  this->Joining = number;
}

void JoinCoordinator::Enter(const RequestId& request, const EnterLink& message)
{
  const auto found = this->Links.find(message.Link);
  if (found == this->Links.end() || found->second.Owner != request.Peer ||
    found->second.At != Phase::Preparing)
  {
    throw Error(Fault::Refused,
      "the DSM server's hosts no longer wait for this simulation to join them over MPI: it took "
      "more than {:.3g} s",
      MeetingLimit().count());
  }
  found->second.Entry = request;
  if (found->second.HostsReady)
  {
    this->EnterAll(message.Link);
  }
}

void JoinCoordinator::Prepared(const JoinPrepared& message)
{
  const auto found = this->Links.find(message.Link);
  if (found != this->Links.end() && found->second.At == Phase::Preparing)
  {
    found->second.HostsReady = true;
    found->second.Port = message.Port;
    if (found->second.Entry)
    {
      this->EnterAll(message.Link);
    }
  }
}

void JoinCoordinator::EnterAll(std::uint64_t number)
{
  Link& link = this->Links.at(number);
  link.At = Phase::Entering;
  link.Missing = this->WhatIsOffered.Hosts.Ranks;
  const ExecuteJoin enter{ number, link.How == JoinMethod::Static, this->WhatIsOffered.Port,
    link.Client.Leader, JoinTag(number), link.OneSided };
  this->ForAllHosts([&](HostIndex host) { this->Call.Execute(host, enter); });
  if (const auto entry = std::exchange(link.Entry, std::nullopt))
  {
    this->Call.Enter(*entry, { link.Port });
  }
}

void JoinCoordinator::Executed(const JoinExecuted& message)
{
  if (message.Stuck && this->Stuck.empty())
  {
    this->Stuck = message.Failure;
    this->Call.Report(this->Stuck);
  }
  const auto found = this->Links.find(message.Link);
  if (found == this->Links.end())
  {
    if (message.Link == 0 && !message.Stuck)
    {
      this->Call.Report(message.Failure);
    }
    return;
  }
  Link& link = found->second;
  if (!message.Failure.empty())
  {
    // One that did not come in time may be stopped: it learns of this when it goes on.
    this->Call.Report("joining a simulation over MPI failed: " + message.Failure);
    this->DropAll(found->first);
    this->Links.erase(found);
    this->EndJoining();
    return;
  }
  if (link.Missing == 0)
  {
    return;
  }
  --link.Missing;
  if (link.Missing == 0)
  {
    link.At = Phase::Joined;
    Log().info("joined {} ranks over MPI ({}); {}", link.Client.Ranks,
      link.How == JoinMethod::Static ? "static" : "dynamic", this->WhatIsOffered.Progress);
    this->EndJoining();
  }
}

void JoinCoordinator::Leave(const PeerId& peer, const LeaveLink& message)
{
  const auto found = this->Links.find(message.Link);
  if (found != this->Links.end() && found->second.Owner == peer)
  {
    this->Links.erase(found);
    this->ForAllHosts([&](HostIndex host) { this->Call.Close(host, { message.Link }); });
  }
}

void JoinCoordinator::DropAll(std::uint64_t number)
{
  this->ForAllHosts([&](HostIndex host) { this->Call.Drop(host, { number }); });
}

void JoinCoordinator::Gone(const PeerId& peer)
{
  std::erase_if(this->Queue, [&](const Waiting& waiting) { return waiting.Request.Peer == peer; });
  for (auto found = this->Links.begin(); found != this->Links.end();)
  {
    if (found->second.Owner != peer)
    {
      ++found;
      continue;
    }
    const std::uint64_t number = found->first;
    const bool inside = found->second.At == Phase::Entering;
    found = this->Links.erase(found);
    this->DropAll(number);
    if (this->Joining == number)
    {
      if (inside)
      {
        this->Call.Report("a simulation exited while it joined the hosts over MPI");
      }
      this->EndJoining();
    }
  }
}

void JoinCoordinator::Tick()
{
  if (this->Joining && this->Links.count(*this->Joining))
  {
    const std::uint64_t number = *this->Joining;
    Link& link = this->Links.at(number);
    if (link.At == Phase::Preparing && link.Until.Expired())
    {
      if (link.Entry)
      {
        this->Call.Refuse(*link.Entry,
          Error(Fault::Unsupported,
            "no MPI message from the simulation's rank 0 reached the DSM server's first host "
            "within {:.3g} s. MPI joins them statically only when one launch starts both programs "
            "(mpiexec -n {} PARAVIEW : -n {} SIMULATION); if it did, the hosts' program makes no "
            "MPI call ({}). Or choose the transport fabric",
            MeetingLimit().count(), this->WhatIsOffered.Hosts.Ranks, link.Client.Ranks,
            this->WhatIsOffered.Progress));
      }
      this->Links.erase(number);
      this->DropAll(number);
      this->EndJoining();
    }
  }
  while (!this->Queue.empty() && this->Queue.front().Until.Expired())
  {
    this->Call.Refuse(this->Queue.front().Request,
      Error(Fault::TimedOut,
        "another simulation has been joining the DSM server's hosts over MPI for more than {:.3g} "
        "s: if it was killed there, restart ParaView's side",
        (RequestTimeout() * 0.9).count()));
    this->Queue.pop_front();
  }
}

// The next one's turn.
void JoinCoordinator::EndJoining()
{
  this->Joining.reset();
  if (!this->Queue.empty())
  {
    const Waiting next = std::move(this->Queue.front());
    this->Queue.pop_front();
    this->Begin(next.Request, next.Message);
  }
}

}
