// SPDX-License-Identifier: BSD-3-Clause
#include "Mpi/RankLock.h"

#include "Base/Deadline.h"
#include "Base/Error.h"

#include <algorithm>
#include <atomic>
#include <thread>

namespace dsm
{

namespace
{
// Whoever holds it for long leaves the core to others meanwhile.
constexpr int LooksBeforeYielding = 100;

bool AreOnOneNode(const Communicator& ranks)
{
  MPI_Comm node = MPI_COMM_NULL;
  CheckMpi(
    MPI_Comm_split_type(ranks.Handle(), MPI_COMM_TYPE_SHARED, ranks.Rank(), MPI_INFO_NULL, &node),
    "MPI_Comm_split_type");
  const Communicator neighbours = Communicator::Adopt(node);
  return ranks.Max(static_cast<std::uint64_t>(ranks.Size() - neighbours.Size())) == 0;
}
}

RankLock::RankLock(const Communicator& ranks, Way way)
  : Ranks(ranks)
{
  const bool mayShare = AreOnOneNode(ranks) && way == Way::Automatic;
  const MPI_Aint size = ranks.Rank() == 0 ? Count * sizeof(std::uint64_t) : 0;
  void* mine = nullptr;
  if (mayShare)
  {
    CheckMpi(MPI_Win_allocate_shared(size, sizeof(std::uint64_t), MPI_INFO_NULL, ranks.Handle(),
               static_cast<void*>(&mine), &this->Handle),
      "MPI_Win_allocate_shared");
    MPI_Aint length = 0;
    int unit = 0;
    void* numbers = nullptr;
    CheckMpi(MPI_Win_shared_query(this->Handle, 0, &length, &unit, static_cast<void*>(&numbers)),
      "MPI_Win_shared_query");
    this->Shared = static_cast<std::uint64_t*>(numbers);
  }
  else
  {
    CheckMpi(MPI_Win_allocate(size, sizeof(std::uint64_t), MPI_INFO_NULL, ranks.Handle(),
               static_cast<void*>(&mine), &this->Handle),
      "MPI_Win_allocate");
  }
  CheckMpi(MPI_Win_set_errhandler(this->Handle, MPI_ERRORS_RETURN), "MPI_Win_set_errhandler");
  CheckMpi(MPI_Win_lock_all(MPI_MODE_NOCHECK, this->Handle), "MPI_Win_lock_all");
  if (ranks.Rank() == 0)
  {
    std::fill_n(static_cast<std::uint64_t*>(mine), Count, UINT64_C(0));
    CheckMpi(MPI_Win_sync(this->Handle), "MPI_Win_sync");
  }
  ranks.Barrier();
}

// What the number was before.
std::uint64_t RankLock::Add(Number number, std::uint64_t value)
{
  if (this->Shared)
  {
    return std::atomic_ref(this->Shared[number]).fetch_add(value);
  }
  std::uint64_t before = 0;
  CheckMpi(MPI_Fetch_and_op(&value, &before, MPI_UINT64_T, 0, number,
             value == 0 ? MPI_NO_OP : MPI_SUM, this->Handle),
    "MPI_Fetch_and_op");
  CheckMpi(MPI_Win_flush(0, this->Handle), "MPI_Win_flush");
  return before;
}

void RankLock::Lock(bool toWrite, Seconds limit)
{
  const Number mine = toWrite ? Writing : Reading;
  const std::uint64_t ticket = this->Add(Next, 1);
  std::uint64_t served = this->Read(mine);
  Deadline deadline(limit);
  for (int looks = 0; served != ticket; ++looks)
  {
    if (looks >= LooksBeforeYielding)
    {
      std::this_thread::yield();
    }
    const std::uint64_t now = this->Read(mine);
    if (now != served)
    {
      served = now;
      deadline = Deadline(limit);
    }
    else if (deadline.Expired())
    {
      throw Error(Fault::TimedOut,
        "rank {} waited {:.3g} s (DSM_TIMEOUT) for other ranks to end what they read or write in "
        "atomic mode",
        this->Ranks.Rank(), limit.count());
    }
  }
  if (!toWrite)
  {
    this->Add(Reading, 1);
  }
}

void RankLock::Unlock(bool toWrite)
{
  if (toWrite)
  {
    this->Add(Reading, 1);
  }
  this->Add(Writing, 1);
}

void RankLock::Free()
{
  if (this->Handle != MPI_WIN_NULL)
  {
    CheckMpi(MPI_Win_unlock_all(this->Handle), "MPI_Win_unlock_all");
    CheckMpi(MPI_Win_free(&this->Handle), "MPI_Win_free");
    this->Shared = nullptr;
  }
}

}
