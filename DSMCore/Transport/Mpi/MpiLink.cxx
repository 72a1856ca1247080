// SPDX-License-Identifier: BSD-3-Clause
#include "Transport/Mpi/MpiLink.h"

#include "Base/Deadline.h"
#include "Base/Error.h"
#include "Base/RunningDeadline.h"

#include <sched.h>

#include <utility>

namespace dsm
{

MpiLink::MpiLink(
  MergedJobs jobs, std::uint64_t hosts, std::byte* segment, std::uint64_t size, bool oneSided)
  : Jobs(std::move(jobs))
  , HostCount(hosts)
  , Bytes(segment)
  , Size(size)
  , HasWindow(oneSided)
{
  if (oneSided)
  {
    this->Opened = Window::Create(this->Ranks(), segment, size);
  }
}

void MpiLink::RequireNotGivenUp() const
{
  if (this->GivenUp())
  {
    throw Error(
      Fault::PeerLost, "the way over MPI to the DSM server's hosts was given up: {}", this->Reason);
  }
}

const Communicator& MpiLink::Ranks() const
{
  this->RequireNotGivenUp();
  if (this->Ended)
  {
    throw Error(Fault::PeerLost,
      "this process has left the DSM server's hosts, which it reached over MPI: open files before "
      "MPI_Finalize, and close them before the server stops");
  }
  return this->Jobs.Ranks();
}

Window& MpiLink::Memory()
{
  this->Ranks();
  return this->Opened;
}

void MpiLink::GiveUp(const std::string& why)
{
  std::call_once(this->Once,
    [&]
    {
      this->Reason = why;
      this->IsGivenUp = true;
    });
}

bool MpiLink::TryFree()
{
  if (!this->IsParting)
  {
    this->Parting = Request::Barrier(this->Ranks());
    this->IsParting = true;
  }
  if (!this->Parting.Done())
  {
    return false;
  }
  this->Ended = true;
  this->Opened.Free();
  this->Jobs.Free();
  return true;
}

void WaitFor(
  const WaitPolicy& waitPolicy, const char* what, const std::function<bool()>& done, HostName from)
{
  // Asking whether the others live may open a connection: only when it takes unusually long.
  const Seconds suspicious(0.5);
  RunningDeadline deadline(Seconds(waitPolicy.Limit), suspicious);
  Deadline next(suspicious);
  while (!done())
  {
    if (waitPolicy.WhileWaiting)
    {
      waitPolicy.WhileWaiting();
    }
    // More ranks than cores are common where hosts and simulation share a node.
    sched_yield();
    if (!next.Expired())
    {
      continue;
    }
    if (!waitPolicy.PeersAlive())
    {
      throw Error(Fault::PeerLost,
        "the DSM server went away while this process waited for {} over MPI: restart ParaView's "
        "side",
        what);
    }
    if (deadline.Look())
    {
      throw Error(Fault::TimedOut,
        "{} did not answer over MPI for {:.3g} s (DSM_TIMEOUT) while this process waited for {}: "
        "stopped or dead, cut off from here, or its program neither calls MPI nor lets threads do "
        "so (MPI_THREAD_MULTIPLE)",
        from.Of > 0 ? fmt::format("host {} of {} of the DSM server", from.Host, from.Of)
                    : "the DSM server's hosts",
        waitPolicy.Limit, what);
    }
    next = Deadline(suspicious);
  }
}

}
