// SPDX-License-Identifier: BSD-3-Clause
#include "Base/Watchdog.h"

#include "Base/Log.h"
#include "Base/Threads.h"

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <utility>

#include <unistd.h>

namespace dsm
{

Watchdog::Watchdog(Seconds limit, Alarm alarm)
  : Limit(limit)
  , Raise(std::move(alarm))
{
}

Watchdog::Watch::Watch(Watchdog& watchdog, const char* call)
  : Owner(watchdog)
{
  if (!watchdog.Worker.joinable())
  {
    const SignalsBlocked quiet;
    watchdog.Worker = std::jthread([&watchdog](const std::stop_token& end) { watchdog.Run(end); });
  }
  watchdog.Since.store(Clock::now().time_since_epoch().count(), std::memory_order_relaxed);
  watchdog.Call.store(call, std::memory_order_release);
}

Watchdog::Watch::~Watch()
{
  this->Owner.Call.store(nullptr, std::memory_order_release);
}

void Watchdog::Run(const std::stop_token& end)
{
  // Looks a few times in a limit, so an alarm comes at most a quarter too late.
  const Seconds pause = std::max(this->Limit / 4, Seconds(0.1));
  Clock::rep raised = 0;
  Clock::rep watched = 0; // when the call began that it looks at
  Seconds stood(0);       // since then, while this process did not run: nobody was waited for
  auto looked = Clock::now();
  std::mutex guard;
  std::condition_variable_any wake;
  std::unique_lock lock(guard);
  while (!wake.wait_for(lock, end, pause, [&end] { return end.stop_requested(); }))
  {
    const char* const call = this->Call.load(std::memory_order_acquire);
    const Clock::rep since = this->Since.load(std::memory_order_relaxed);
    const auto now = Clock::now();
    const Seconds between = now - std::exchange(looked, now);
    const Seconds taken = now - Clock::time_point(Clock::duration(since));
    if (std::exchange(watched, since) != since)
    {
      stood = Seconds(0);
    }
    if (between > 2 * pause)
    {
      stood += std::min(taken, between - pause);
    }
    if (call && since != raised && taken - stood > this->Limit)
    {
      raised = since;
      this->Raise(call);
    }
  }
}

void EndThisProcess(const std::string& why)
{
  Log().critical("{}", why);
  std::fflush(nullptr);
  _exit(EXIT_FAILURE);
}

}
