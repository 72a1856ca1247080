// SPDX-License-Identifier: BSD-3-Clause
#include "Session/MpiService.h"

#include "Base/Error.h"
#include "Base/Log.h"
#include "Base/Threads.h"
#include "Mpi/Abandon.h"
#include "Mpi/Job.h"
#include "Mpi/Request.h"
#include "Session/Connection.h"
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
constexpr auto Hot = std::chrono::seconds(1);
// The pause otherwise, while anybody could begin a transfer.
constexpr auto Pause = std::chrono::microseconds(200);
// How long the others may take to part from a link.
const Seconds PartingLimit(10);

// A server without a communicator is one rank, which MPI calls by this name.
Communicator OrSelf(const Communicator& hosts)
{
  if (!MpiIsAlive())
  {
    throw Error(Fault::Unsupported,
      "the DSM server shall use a transport over MPI, and this program does not run MPI: start it "
      "with mpiexec, or choose the transport auto or fabric");
  }
  return Communicator::Duplicate(hosts.Handle() == MPI_COMM_NULL ? MPI_COMM_SELF : hosts.Handle());
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

struct MpiService::Greeting
{
  std::uint64_t Text = 0;
  Request Arriving;
};

MpiService::MpiService(
  const Communicator& hosts, const ServerDescription& server, const std::string& segment)
  : Hosts(OrSelf(hosts))
  , Memory(Segment::Open(segment, server.SlotSize * server.SlotCount))
  , Dog(RequestTimeout(), [this](const char* call) { this->Held(call); })
{
  this->Threaded = job::AllowsThreads();
  this->OneSided = WantsOneSided(server.Transport);
  this->WhatIsOffered.Given = true;
  this->WhatIsOffered.Progress = ProgressText(this->Threaded);
  this->WhatIsOffered.Hosts = JobDescription::Of(this->Hosts);
  const bool alone = this->WhatIsOffered.Hosts.Ranks == this->WhatIsOffered.Hosts.WorldSize;
  if (this->Hosts.Rank() == 0 && alone)
  {
    try
    {
      this->Door = Port::Open();
      this->WhatIsOffered.Port = this->Door.Name();
    }
    catch (const std::exception& error)
    {
      this->WhatIsOffered.PortFailure = LastLine(error.what());
    }
  }
  const auto apart = [&](const HostDescription& host)
  { return host.Node != server.Hosts.front().Node; };
  if (!server.Transport.NodeMemory || std::any_of(server.Hosts.begin(), server.Hosts.end(), apart))
  {
    this->Own.Link = std::make_shared<MpiLink>(MergedJobs::Alone(this->Hosts), server.Hosts.size(),
      this->Memory.Data(), this->Memory.Size(), this->OneSided);
    this->Own.Messages = std::make_unique<MessageService>(*this->Own.Link);
  }
  if (this->Hosts.Rank() == 0)
  {
    Log().info("MPI transport: {}", this->WhatIsOffered.Progress);
    if (!this->Threaded)
    {
      Log().warn("MPI transport: MPI is at {}, so bytes move only while ParaView's side calls MPI. "
                 "Set OMPI_MPI_THREAD_LEVEL=3 (Open MPI) or "
                 "MPIR_CVAR_DEFAULT_THREAD_LEVEL=MPI_THREAD_MULTIPLE (MPICH) for it, and a thread "
                 "does it",
        job::ThreadLevelName());
    }
  }
}

MpiService::~MpiService()
{
  this->End();
}

std::string MpiService::Names() const
{
  return this->OneSided ? "mpi-rma and mpi-messages" : "mpi-messages";
}

void MpiService::Start(Teller tell)
{
  this->Tell = std::move(tell);
  if (this->Threaded)
  {
    const SignalsBlocked quiet;
    this->Worker = std::thread([this] { this->Run(); });
  }
}

bool MpiService::Told(const Json& event)
{
  if (event.value("event", "").rfind("link-", 0) != 0)
  {
    return false;
  }
  {
    const std::lock_guard lock(this->Guard);
    this->Events.push_back(event);
  }
  this->Wake.notify_all();
  return true;
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
  return this->Clients.empty() && this->Greetings.empty() && this->Guests.empty() &&
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
    Json event;
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
      this->Obey(event);
    }
    catch (const std::exception& error)
    {
      this->Tell("trouble", { { "text", error.what() } });
    }
  }
  bool busy = this->GreetingsArrived();
  busy = this->GuestsArrived() || busy;
  if (this->Own.Link)
  {
    busy = this->Serve(this->Own) || busy;
  }
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
  this->PartFromLeaving();
  return busy || Clock::now() < this->HotUntil;
}

bool MpiService::Serve(Client& client)
{
  const bool busy = client.Messages->Step();
  if (client.Messages->WasWoken() || busy)
  {
    this->HotUntil = Clock::now() + Hot;
  }
  return busy;
}

void MpiService::Obey(const Json& event)
{
  const auto what = event.at("event").get<std::string>();
  const auto link = event.at("link").get<std::uint64_t>();
  if (what == "link-meet")
  {
    this->Meet(event);
  }
  else if (what == "link-enter")
  {
    this->Expect(event);
  }
  else if (what == "link-leave")
  {
    if (const auto found = this->Clients.find(link); found != this->Clients.end())
    {
      found->second.Leaving = true;
      found->second.Until = Deadline(PartingLimit);
    }
  }
  else if (what == "link-drop")
  {
    if (const auto found = this->Greetings.find(link); found != this->Greetings.end())
    {
      found->second->Arriving.Cancel();
      Abandon(std::move(found->second));
      this->Greetings.erase(found);
    }
    this->Guests.erase(link);
    this->Drop(link, "the simulation ended without taking leave");
    job::LimitFinalize(RequestTimeout(),
      "a simulation of the same MPI job ended without taking leave, and MPI_Finalize waits for it");
  }
}

// Static: waits for the client's message over MPI_COMM_WORLD. Dynamic: the port is open.
void MpiService::Meet(const Json& event)
{
  if (!event.at("static").get<bool>())
  {
    this->Tell("link-met", { { "link", event.at("link") }, { "port", this->Door.Name() } });
    return;
  }
  auto greeting = std::make_unique<Greeting>();
  greeting->Arriving = Request::Receive(MPI_COMM_WORLD, event.at("from").get<int>(),
    event.at("tag").get<int>(), &greeting->Text, sizeof greeting->Text);
  this->Greetings[event.at("link").get<std::uint64_t>()] = std::move(greeting);
}

bool MpiService::GreetingsArrived()
{
  for (auto next = this->Greetings.begin(); next != this->Greetings.end();)
  {
    const auto now = next++;
    if (now->second->Arriving.Done())
    {
      this->Tell("link-met", { { "link", now->first }, { "port", "" } });
      this->Greetings.erase(now);
      return true;
    }
  }
  return false;
}

// Those who left meet once more before anything is freed: none waits for one who will not come.
void MpiService::PartFromLeaving()
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
      const Watchdog::Watch watch(this->Dog, "parting from a simulation over MPI");
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
  MpiPatience patience;
  patience.Limit = RequestTimeout().count();
  if (!this->Threaded)
  {
    patience.Meanwhile = [this] { this->Step(); };
  }
  std::vector<std::shared_ptr<Transport>> ways;
  if (!this->Own.Link)
  {
    return ways;
  }
  if (this->Own.Link->OneSided())
  {
    ways.push_back(std::make_shared<MpiRma>(this->Own.Link, patience));
  }
  ways.push_back(std::make_shared<MpiMessages>(this->Own.Link, patience));
  return ways;
}

bool MpiService::End()
{
  if (this->Worker.joinable())
  {
    std::unique_lock lock(this->Guard);
    this->Ending = true;
    this->Wake.notify_all();
    this->Wake.wait(lock, [this] { return this->HasEnded || this->IsHeld; });
    if (!this->HasEnded)
    {
      this->Worker.detach();
      return false;
    }
    lock.unlock();
    this->Worker.join();
  }
  if (this->IsHeld)
  {
    return false;
  }
  // Clients that took leave wait for us in the middle of parting.
  const Deadline parting(PartingLimit);
  const auto leaving = [](const auto& entry) { return entry.second.Leaving; };
  while (std::any_of(this->Clients.begin(), this->Clients.end(), leaving) && !parting.Expired())
  {
    this->PartFromLeaving();
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
  while (this->Own.Link && !this->Own.Link->TryFree() && !deadline.Expired())
  {
    sched_yield();
  }
  this->Own.Link.reset();
}

}
