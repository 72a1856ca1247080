// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Deadline.h"

#include <atomic>
#include <functional>
#include <stop_token>
#include <string>
#include <thread>

namespace dsm
{

/// For calls into other libraries that wait without a limit and cannot be given up: a thread of its
/// own looks on, and raises an alarm when one takes longer than the limit. Everything is done
/// before such a call so that it need not wait; this is what is left when the other side stops in
/// between.
///
///     const Watchdog::Watch watch(watchdog, "MPI_Win_flush");
///     MPI_Win_flush(…);
///
/// One call at a time. The thread starts with the first of them and sleeps; watching costs two
/// stores. While this process does not run (batch systems stop whole jobs for hours) no time
/// counts.
class Watchdog
{
public:
  /// Runs in the watchdog's thread, once for each call that takes too long.
  using Alarm = std::function<void(const char* call)>;

  Watchdog(Seconds limit, Alarm alarm);
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  class Watch
  {
  public:
    /// `call` is a literal.
    Watch(Watchdog& watchdog, const char* call);
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

  private:
    Watchdog& Owner;
  };

private:
  void Run(const std::stop_token& end);

  const Seconds Limit;
  const Alarm Raise;
  std::atomic<const char*> Call{ nullptr };
  std::atomic<Clock::rep> Since{ 0 };
  std::jthread Worker; ///< last: it ends before what it looks at
};

/// The last resort: says why on standard error and ends this process, and with it the MPI job it is
/// part of, without another word to MPI.
[[noreturn]] void EndThisProcess(const std::string& why);

}
