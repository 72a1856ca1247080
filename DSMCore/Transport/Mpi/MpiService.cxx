// SPDX-License-Identifier: BSD-3-Clause
#include "Transport/Mpi/MpiService.h"

#include "Base/Error.h"
#include "Base/Log.h"
#include "Base/Threads.h"
#include "Base/Timeouts.h"
#include "Mpi/Job.h"
#include "Mpi/Leak.h"
#include "Mpi/Request.h"
#include "Transport/Mpi/MpiMessages.h"
#include "Transport/Mpi/MpiRma.h"

#include <sched.h>

#include <algorithm>
#include <utility>

namespace dsm
{

namespace
{
// How long progress is made without a pause after the last sign of a transfer. Clients repeat that
// sign more often.
constexpr auto PollAfterTransfer = std::chrono::seconds(1);
// The pause otherwise, while anybody could begin a transfer.
constexpr auto Pause = std::chrono::microseconds(200);
// How long the others may take to part from a link.
const Seconds PartingLimit(10);

// A server without a communicator is one rank, which MPI calls by this name.
Communicator OverMpi(const RankGroup& ranks)
{
  const auto* const hosts = dynamic_cast<const Communicator*>(&ranks);
  if (!hosts || !MpiIsAlive())
  {
    throw Error(Fault::Unsupported,
      "the DSM server shall use a transport over MPI, and this program does not run MPI: start it "
      "with mpiexec, or choose the transport automatic or fabric");
  }
  return Communicator::Duplicate(
    hosts->Handle() == MPI_COMM_NULL ? MPI_COMM_SELF : hosts->Handle());
}

// MPICH tells its whole stack of calls; the last line says why.
std::string LastLine(std::string text)
{
  while (!text.empty() && text.back() == '\n')
  {
    text.pop_back();
  }
  return text.substr(text.rfind('\n') + 1);
}

std::string ProgressText(bool threaded)
{
  return threaded
    ? "a thread of each host lets MPI move bytes (MPI_THREAD_MULTIPLE); it polls while a client is "
      "joined, and takes a core while bytes move"
    : "the hosts' program lets MPI move bytes when it calls Server::Pump or MPI itself (" +
      job::ThreadLevelName() + ")";
}
}

struct MpiService::JobProof
{
  std::uint64_t Text = 0;
  Request Arriving;
};

MpiService::MpiService(const LentSegment& segment, const TransportChoice& choice)
  : Hosts(OverMpi(segment.Hosts))
  , Memory(Segment::Open(segment.Name, segment.Size - segment.Disk, segment.Disk))
  , JoinWatchdog(RequestTimeout(), [this](const char* call) { this->OnStuckCall(call); })
{
  this->Threaded = job::AllowsThreads();
  this->OneSided = WantsOneSided(choice);
  this->WhatIsOffered.Given = true;
  this->WhatIsOffered.Progress = ProgressText(this->Threaded);
  this->WhatIsOffered.Hosts = DescribeJob(this->Hosts);
  const bool alone = this->WhatIsOffered.Hosts.Ranks == this->WhatIsOffered.Hosts.WorldSize;
  if (this->Hosts.Rank() == 0 && alone)
  {
    try
    {
      this->OwnPort = Port::Open();
      this->WhatIsOffered.Port = this->OwnPort.Name();
    }
    catch (const std::exception& error)
    {
      this->WhatIsOffered.PortFailure = LastLine(error.what());
    }
  }
  const auto apart = [&](const std::string& node) { return node != segment.Nodes.front(); };
  if (!choice.NodeMemory || std::any_of(segment.Nodes.begin(), segment.Nodes.end(), apart))
  {
    this->Own.Link = std::make_shared<MpiLink>(MergedJobs::Alone(this->Hosts), segment.Nodes.size(),
      this->Memory.Data(), this->Memory.Size(), this->OneSided);
    this->Own.Messages = std::make_unique<MessageService>(*this->Own.Link);
  }
  if (this->Hosts.Rank() == 0)
  {
    Log().info("MPI transport: {}", this->WhatIsOffered.Progress);
    if (!this->Threaded)
    {
      Log().warn("MPI transport: MPI is at {}, so bytes move only while the hosts' program calls "
                 "MPI. To have a thread do it, {}",
        job::ThreadLevelName(), job::MoreThreadsText());
    }
  }
}

MpiService::~MpiService()
{
  this->End();
}

std::vector<std::string> MpiService::Names() const
{
  return this->OneSided ? std::vector<std::string>{ "mpi-rma", "mpi-messages" }
                        : std::vector<std::string>{ "mpi-messages" };
}

void MpiService::Start(std::function<void(Bytes)> tell)
{
  this->Tell = std::move(tell);
  if (this->Threaded)
  {
    const SignalsBlocked quiet;
    this->Worker = std::thread([this] { this->Run(); });
  }
}

void MpiService::Receive(const Bytes& bytes)
{
  const auto message = Decode<LinkMessage>(bytes, "an event of the mediator");
  Event event;
  if (message.Is<PrepareJoin>())
  {
    event = message.Content<PrepareJoin>();
  }
  else if (message.Is<ExecuteJoin>())
  {
    event = message.Content<ExecuteJoin>();
  }
  else if (message.Is<CloseLink>())
  {
    event = message.Content<CloseLink>();
  }
  else if (message.Is<DropLink>())
  {
    event = message.Content<DropLink>();
  }
  else
  {
    throw Error(Fault::Refused, "the mediator's \"{}\" is not known here", message.Name);
  }
  {
    const std::lock_guard lock(this->Guard);
    this->Events.push_back(std::move(event));
  }
  this->Wake.notify_all();
}

void MpiService::Run()
{
  for (;;)
  {
    const bool busy = this->Step();
    std::unique_lock lock(this->Guard);
    if (this->Ending)
    {
      this->HasEnded = true;
      this->Wake.notify_all();
      return;
    }
    if (!this->Events.empty())
    {
      continue;
    }
    if (busy)
    {
      lock.unlock();
      sched_yield();
    }
    else if (this->Idle())
    {
      this->Wake.wait(lock, [this] { return this->Ending || !this->Events.empty(); });
    }
    else
    {
      this->Wake.wait_for(lock, Pause);
    }
  }
}

// True when nobody can begin a transfer or is waited for.
bool MpiService::Idle() const
{
  return this->Clients.empty() && this->JobProofs.empty() && this->JoiningClients.empty() &&
    !this->Own.Link;
}

bool MpiService::Step()
{
  const std::unique_lock step(this->OneStep, std::try_to_lock);
  if (!step)
  {
    return true; // another thread is at it
  }
  for (;;)
  {
    Event event;
    {
      const std::lock_guard lock(this->Guard);
      if (this->Events.empty())
      {
        break;
      }
      event = std::move(this->Events.front());
      this->Events.pop_front();
    }
    try
    {
      std::visit([this](const auto& one) { this->Execute(one); }, event);
    }
    catch (const std::exception& error)
    {
      this->Tell(EncodeLinkMessage(JoinExecuted{ 0, error.what(), false }));
    }
  }
  bool busy = this->JobProofsArrived();
  busy = this->ClientsArrived() || busy;
  busy = this->ServeOwn() || busy;
  for (auto next = this->Clients.begin(); next != this->Clients.end();)
  {
    const auto now = next++;
    try
    {
      busy = this->Serve(now->second) || busy;
    }
    catch (const std::exception& error)
    {
      this->Drop(now->first, error.what());
    }
  }
  this->CloseLeaving();
  return busy || Clock::now() < this->PollUntil;
}

// The thread that reads by the hosts' own way may give it up at any moment.
bool MpiService::ServeOwn()
{
  if (!this->Own.Link || this->Own.Link->GivenUp())
  {
    return false;
  }
  try
  {
    return this->Serve(this->Own);
  }
  catch (const std::exception& error)
  {
    this->Own.Link->GiveUp(error.what());
    return false;
  }
}

bool MpiService::Serve(Client& client)
{
  const bool busy = client.Messages->Step();
  if (client.Messages->WasWoken() || busy)
  {
    this->PollUntil = Clock::now() + PollAfterTransfer;
  }
  return busy;
}

// Static: waits for the client's message over MPI_COMM_WORLD. Dynamic: the port is open.
void MpiService::Execute(const PrepareJoin& event)
{
  if (!event.Static)
  {
    this->Tell(EncodeLinkMessage(JoinPrepared{ event.Link, this->OwnPort.Name() }));
    return;
  }
  auto proof = std::make_unique<JobProof>();
  proof->Arriving = Request::Receive(
    MPI_COMM_WORLD, static_cast<int>(event.Leader), event.Tag, &proof->Text, sizeof proof->Text);
  this->JobProofs[event.Link] = std::move(proof);
}

// Before a static meeting, all ranks of both sides show that they are there: nobody waits without a
// limit for one who is not.
void MpiService::Execute(const ExecuteJoin& event)
{
  if (!event.Static)
  {
    this->Enter(event);
    return;
  }
  this->JoiningClients.insert_or_assign(event.Link,
    JoiningClient{ event,
      std::make_unique<GroupBarrier>(this->Hosts, static_cast<int>(event.Leader), event.Tag),
      Deadline(RequestTimeout()) });
}

void MpiService::Execute(const CloseLink& event)
{
  if (const auto found = this->Clients.find(event.Link); found != this->Clients.end())
  {
    found->second.Leaving = true;
    found->second.Until = Deadline(PartingLimit);
  }
}

void MpiService::Execute(const DropLink& event)
{
  if (const auto found = this->JobProofs.find(event.Link); found != this->JobProofs.end())
  {
    found->second->Arriving.Cancel();
    ::dsm::Leak(std::move(found->second));
    this->JobProofs.erase(found);
  }
  this->JoiningClients.erase(event.Link);
  this->Drop(event.Link, "the simulation ended without taking leave");
  job::LimitFinalize(RequestTimeout(),
    "a simulation of the same MPI job ended without taking leave, and MPI_Finalize waits for it");
}

bool MpiService::JobProofsArrived()
{
  for (auto next = this->JobProofs.begin(); next != this->JobProofs.end();)
  {
    const auto now = next++;
    if (now->second->Arriving.Done())
    {
      this->Tell(EncodeLinkMessage(JoinPrepared{ now->first, {} }));
      this->JobProofs.erase(now);
      return true;
    }
  }
  return false;
}

bool MpiService::ClientsArrived()
{
  for (auto next = this->JoiningClients.begin(); next != this->JoiningClients.end();)
  {
    const auto now = next++;
    JoiningClient& client = now->second;
    if (client.Coming->Done())
    {
      const ExecuteJoin event = std::move(client.Event);
      this->JoiningClients.erase(now);
      this->Enter(event);
    }
    else if (client.Until.Expired())
    {
      this->Tell(EncodeLinkMessage(JoinExecuted{ now->first,
        fmt::format("host {} waited {:.3g} s (DSM_TIMEOUT) for {}: the simulation's ranks did not "
                    "all come, or another host is stopped",
          this->Hosts.Rank(), RequestTimeout().count(), client.Coming->Missing()),
        false }));
      this->JoiningClients.erase(now);
    }
  }
  return !this->JoiningClients.empty();
}

// Meets the client's ranks in collective calls, which wait for them without a limit.
void MpiService::Enter(const ExecuteJoin& event)
{
  std::string failure;
  try
  {
    const Watchdog::Watch watch(this->JoinWatchdog, "joining a simulation over MPI");
    auto jobs = event.Static
      ? MergedJobs::JoinAsFirst(this->Hosts, static_cast<int>(event.Leader), event.Tag)
      : MergedJobs::Accept(this->Hosts, event.Port);
    Client client;
    client.Link =
      std::make_shared<MpiLink>(std::move(jobs), static_cast<std::uint64_t>(this->Hosts.Size()),
        this->Memory.Data(), this->Memory.Size(), event.OneSided);
    client.Messages = std::make_unique<MessageService>(*client.Link);
    this->Clients[event.Link] = std::move(client);
  }
  catch (const std::exception& error)
  {
    failure = error.what();
  }
  this->Tell(EncodeLinkMessage(JoinExecuted{ event.Link, failure, false }));
}

// A call of MPI that waits for a simulation has taken too long, and cannot be given up. In the
// watchdog's thread.
void MpiService::OnStuckCall(const char* call)
{
  const auto what = fmt::format(
    "{} takes more than {:.3g} s (DSM_TIMEOUT) at host {}: the simulation's ranks were there a "
    "moment before, and then died or stopped. MPI cannot give up such a call",
    call, RequestTimeout().count(), this->Hosts.Rank());
  if (!this->Threaded)
  {
    EndThisProcess(what + ", and it holds this program: it ends");
  }
  {
    const std::lock_guard lock(this->Guard);
    this->IsStuck = true;
  }
  this->Wake.notify_all();
  this->Tell(EncodeLinkMessage(JoinExecuted{ 0,
    what +
      ": no other simulation can join over MPI until ParaView's side is started again. "
      "Snapshots are kept, and other transports work",
    true }));
  job::LimitFinalize(RequestTimeout(), what);
}

// Those who left meet once more before anything is freed: none waits for one who will not come.
void MpiService::CloseLeaving()
{
  for (auto next = this->Clients.begin(); next != this->Clients.end();)
  {
    const auto now = next++;
    Client& client = now->second;
    if (!client.Leaving)
    {
      continue;
    }
    try
    {
      const Watchdog::Watch watch(this->JoinWatchdog, "parting from a simulation over MPI");
      if (client.Link->TryFree())
      {
        this->Clients.erase(now);
      }
      else if (client.Until.Expired())
      {
        this->Drop(now->first, "not all of the simulation's ranks took leave");
      }
    }
    catch (const std::exception& error)
    {
      this->Drop(now->first, error.what());
    }
  }
}

void MpiService::Drop(std::uint64_t link, const std::string& why)
{
  const auto found = this->Clients.find(link);
  if (found != this->Clients.end())
  {
    Log().warn("MPI link {} is left behind: {}", link, why);
    this->Clients.erase(found);
  }
}

std::vector<std::shared_ptr<Transport>> MpiService::OwnTransports()
{
  WaitPolicy waitPolicy;
  waitPolicy.Limit = RequestTimeout().count();
  if (!this->Threaded)
  {
    waitPolicy.WhileWaiting = [this] { this->Step(); };
  }
  std::vector<std::shared_ptr<Transport>> transports;
  if (!this->Own.Link)
  {
    return transports;
  }
  if (this->Own.Link->OneSided())
  {
    transports.push_back(std::make_shared<MpiRma>(this->Own.Link, waitPolicy));
  }
  transports.push_back(std::make_shared<MpiMessages>(this->Own.Link, waitPolicy));
  return transports;
}

bool MpiService::End()
{
  if (this->Worker.joinable())
  {
    std::unique_lock lock(this->Guard);
    this->Ending = true;
    this->Wake.notify_all();
    this->Wake.wait(lock, [this] { return this->HasEnded || this->IsStuck; });
    if (!this->HasEnded)
    {
      this->Worker.detach();
      return false;
    }
    lock.unlock();
    this->Worker.join();
  }
  if (this->IsStuck)
  {
    return false;
  }
  // Clients that took leave wait for us in the middle of parting.
  const Deadline parting(PartingLimit);
  const auto leaving = [](const auto& entry) { return entry.second.Leaving; };
  while (std::any_of(this->Clients.begin(), this->Clients.end(), leaving) && !parting.Expired())
  {
    this->CloseLeaving();
    sched_yield();
  }
  while (!this->Clients.empty())
  {
    if (this->Memory.Data())
    {
      new Segment(std::move(this->Memory)); // whoever still writes there must find memory
    }
    this->Drop(this->Clients.begin()->first, "the server stops while the simulation is joined");
  }
  return true;
}

void MpiService::Free()
{
  this->Own.Messages.reset();
  const Deadline deadline(PartingLimit);
  // A way that was given up is left behind: no host waits there for this one.
  while (this->Own.Link && !this->Own.Link->GivenUp() && !this->Own.Link->TryFree() &&
    !deadline.Expired())
  {
    sched_yield();
  }
  this->Own.Link.reset();
}

}
