// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMStopwatch_h
#define pqDSMStopwatch_h

#include <QElapsedTimer>

/// Measures sections of one thread, and keeps the longest time, in milliseconds. Where the system
/// reports it (Linux), the time in which the thread was ready to run and waited for a processor
/// does not count; waiting for locks, replies and disks does.
class pqDSMStopwatch
{
public:
  void begin();
  void end();

  double longest() const { return this->Longest; }
  /// The longest with the waits for a processor.
  double longestWallTime() const { return this->LongestWallTime; }

  /// How long this thread has waited for a processor since it began, in milliseconds; 0 where the
  /// system does not report it.
  static double waitedForProcessor();

private:
  double Longest = 0;
  double LongestWallTime = 0;
  QElapsedTimer Timer;
  double WaitedBefore = 0;
};

#endif
