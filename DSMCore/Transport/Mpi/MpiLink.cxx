// SPDX-License-Identifier: BSD-3-Clause
#include "Transport/Mpi/MpiLink.h"

#include "Base/Deadline.h"
#include "Base/Error.h"

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

const Communicator& MpiLink::Ranks() const
{
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

bool MpiLink::TryFree()
{
  if (!this->IsParting)
  {
    this->Parting = Request::Meet(this->Ranks());
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

void WaitPatiently(const MpiPatience& patience, const char* what, const std::function<bool()>& done)
{
  // Asking whether the others live may open a connection: only when it takes unusually long.
  const Seconds suspicious(0.5);
  const Deadline deadline{ Seconds(patience.Limit) };
  Deadline next(suspicious);
  while (!done())
  {
    if (patience.Meanwhile)
    {
      patience.Meanwhile();
    }
    // More ranks than cores are common where hosts and simulation share a node.
    sched_yield();
    if (!next.Expired())
    {
      continue;
    }
    if (!patience.OthersLive())
    {
      throw Error(Fault::PeerLost,
        "the DSM server went away while this process waited for {} over MPI: restart ParaView's "
        "side",
        what);
    }
    if (deadline.Expired())
    {
      throw Error(Fault::TimedOut,
        "the DSM server's hosts did not answer over MPI for {:.3g} s (DSM_TIMEOUT) while this "
        "process waited for {}: they are stopped, or their program neither calls MPI nor lets "
        "threads do so (MPI_THREAD_MULTIPLE)",
        patience.Limit, what);
    }
    next = Deadline(suspicious);
  }
}

}
