// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMStopwatch_h
#define pqDSMStopwatch_h

#include <QElapsedTimer>

#include <ctime>

/// The longest of several spells of one thread, in milliseconds; and how much of that one the
/// thread worked, rather than wait or be kept waiting by other programs.
struct pqDSMStopwatch
{
  double Longest = 0;
  double Busy = 0;

  void begin()
  {
    this->Began = pqDSMStopwatch::busyNow();
    this->Clock.start();
  }

  void end()
  {
    const double took = static_cast<double>(this->Clock.nsecsElapsed()) / 1e6;
    if (took > this->Longest)
    {
      this->Longest = took;
      this->Busy = pqDSMStopwatch::busyNow() - this->Began;
    }
  }

private:
  static double busyNow()
  {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e3 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e6;
  }

  QElapsedTimer Clock;
  double Began = 0;
};

#endif
