// SPDX-License-Identifier: BSD-3-Clause
// MpiService's way into a link: everybody shows up first, then the collective calls, which a
// watchdog looks after.
#include "Session/MpiService.h"

#include "Base/Error.h"
#include "Base/Log.h"
#include "Mpi/Job.h"
#include "Session/Connection.h"

namespace dsm
{

// Before a static meeting, all ranks of both sides show that they are there: nobody waits without a
// limit for one who is not.
void MpiService::Expect(const Json& event)
{
  if (!event.at("static").get<bool>())
  {
    this->Enter(event);
    return;
  }
  this->Guests.insert_or_assign(event.at("link").get<std::uint64_t>(),
    Guest{ event,
      std::make_unique<Arrival>(
        this->Hosts, event.at("leader").get<int>(), event.at("tag").get<int>()),
      Deadline(RequestTimeout()) });
}

bool MpiService::GuestsArrived()
{
  for (auto next = this->Guests.begin(); next != this->Guests.end();)
  {
    const auto now = next++;
    Guest& guest = now->second;
    if (guest.Coming->Done())
    {
      const Json event = std::move(guest.Event);
      this->Guests.erase(now);
      this->Enter(event);
    }
    else if (guest.Until.Expired())
    {
      this->Tell("linked",
        { { "link", now->first },
          { "failure",
            fmt::format("host {} waited {:.3g} s (DSM_TIMEOUT) for {}: the simulation's ranks did "
                        "not all come, or another host is stopped",
              this->Hosts.Rank(), RequestTimeout().count(), guest.Coming->WaitsFor()) } });
      this->Guests.erase(now);
    }
  }
  return !this->Guests.empty();
}

// Meets the client's ranks in collective calls, which wait for them without a limit.
void MpiService::Enter(const Json& event)
{
  const auto number = event.at("link").get<std::uint64_t>();
  std::string failure;
  try
  {
    const Watchdog::Watch watch(this->Dog, "joining a simulation over MPI");
    auto jobs = event.at("static").get<bool>()
      ? MergedJobs::MeetAsFirst(
          this->Hosts, event.at("leader").get<int>(), event.at("tag").get<int>())
      : MergedJobs::Accept(this->Hosts, event.at("port").get<std::string>());
    Client client;
    client.Link =
      std::make_shared<MpiLink>(std::move(jobs), static_cast<std::uint64_t>(this->Hosts.Size()),
        this->Memory.Data(), this->Memory.Size(), event.at("one_sided").get<bool>());
    client.Messages = std::make_unique<MessageService>(*client.Link);
    this->Clients[number] = std::move(client);
  }
  catch (const std::exception& error)
  {
    failure = error.what();
  }
  this->Tell("linked", { { "link", number }, { "failure", failure } });
}

// A call of MPI that waits for a simulation has taken too long, and cannot be given up. In the
// watchdog's thread.
void MpiService::Held(const char* call)
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
    this->IsHeld = true;
  }
  this->Wake.notify_all();
  this->Tell("linked",
    { { "link", 0 }, { "stuck", true },
      { "failure",
        what +
          ": no other simulation can join over MPI until ParaView's side is started again. "
          "Snapshots are kept, and other transports work" } });
  job::LimitFinalize(RequestTimeout(), what);
}

}
