// SPDX-License-Identifier: BSD-3-Clause
#include "Mpi/CollectiveWait.h"

#include "Base/Environment.h"
#include "Base/Log.h"
#include "Base/Threads.h"
#include "Mpi/Leak.h"

#include <atomic>
#include <memory>
#include <utility>

#include <unistd.h>

namespace dsm
{

namespace
{
constexpr int RanksThatTell = 4;

// A thread's collective calls, and who looks on.
class Watched
{
public:
  Watchdog& TheDog(int rank)
  {
    if (!this->Dog || getpid() != this->Maker)
    {
      if (this->Dog)
      {
        Leak(std::move(this->Dog)); // its thread is the parent's
      }
      this->Maker = getpid();
      const Seconds limit = environment::SecondsOr("DSM_WAIT_WARNING", 30);
      this->Dog = std::make_unique<Watchdog>(limit,
        [this, rank, limit](const char* call)
        {
          const std::string* what = this->What.load(std::memory_order_acquire);
          Log().warn("rank {} has been waiting for the other ranks for {:.3g} s, {} ({}): one of "
                     "them has not come there, or its process does not run",
            rank, limit.count(), what ? *what : "in a collective call", call);
        });
    }
    return *this->Dog;
  }

  std::atomic<const std::string*> What = nullptr;

private:
  pid_t Maker = getpid();
  std::unique_ptr<Watchdog> Dog;
};

// Goes with its thread. That of the main thread stays: HDF5 closes files when exit() has destroyed
// what threads have of their own.
thread_local Watched* Mine = nullptr;

struct EndOfThread
{
  EndOfThread() = default;
  EndOfThread(const EndOfThread&) = delete;
  EndOfThread& operator=(const EndOfThread&) = delete;
  ~EndOfThread()
  {
    if (ThreadNumber() != getpid())
    {
      delete std::exchange(Mine, nullptr);
    }
  }
};

Watched& ThisThread()
{
  if (!Mine)
  {
    thread_local const EndOfThread end;
    Mine = new Watched;
  }
  return *Mine;
}
}

CollectiveWait::Purpose::Purpose(std::string what)
  : What(std::move(what))
  , Before(ThisThread().What.exchange(&this->What))
{
}

CollectiveWait::Purpose::~Purpose()
{
  ThisThread().What = this->Before;
}

CollectiveWait::CollectiveWait(const char* call, int rank)
{
  if (rank < RanksThatTell)
  {
    this->Watch.emplace(ThisThread().TheDog(rank), call);
  }
}

}
