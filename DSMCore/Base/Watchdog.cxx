// SPDX-License-Identifier: BSD-3-Clause
#include "Base/Watchdog.h"

#include "Base/Log.h"
#include "Base/Threads.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include <unistd.h>

namespace dsm
{

Watchdog::Watchdog(Seconds limit, Alarm alarm)
  : Limit(limit)
  , Raise(std::move(alarm))
{
}

Watchdog::~Watchdog()
{
  {
    const std::lock_guard lock(this->Guard);
    this->Ending = true;
  }
  this->Wake.notify_all();
  if (this->Worker.joinable())
  {
    this->Worker.join();
  }
}

Watchdog::Watch::Watch(Watchdog& dog, const char* call)
  : Dog(dog)
{
  if (!dog.Worker.joinable())
  {
    const SignalsBlocked quiet;
    dog.Worker = std::thread([&dog] { dog.Run(); });
  }
  dog.Since.store(Clock::now().time_since_epoch().count(), std::memory_order_relaxed);
  dog.Call.store(call, std::memory_order_release);
}

Watchdog::Watch::~Watch()
{
  this->Dog.Call.store(nullptr, std::memory_order_release);
}

void Watchdog::Run()
{
  // Looks a few times in a limit, so an alarm comes at most a quarter too late.
  const Seconds pause = std::max(this->Limit / 4, Seconds(0.1));
  Clock::rep raised = 0;
  std::unique_lock lock(this->Guard);
  while (!this->Wake.wait_for(lock, pause, [this] { return this->Ending; }))
  {
    const char* const call = this->Call.load(std::memory_order_acquire);
    const Clock::rep since = this->Since.load(std::memory_order_relaxed);
    if (call && since != raised &&
      Clock::now() - Clock::time_point(Clock::duration(since)) > this->Limit)
    {
      raised = since;
      this->Raise(call);
    }
  }
}

void EndThisProcess(const std::string& why)
{
  Log().critical("{}", why);
  Log().flush();
  std::fflush(nullptr);
  _exit(EXIT_FAILURE);
}

}
