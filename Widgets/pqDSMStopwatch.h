// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMStopwatch_h
#define pqDSMStopwatch_h

#include <QElapsedTimer>

/// The longest of several spells of one thread, in milliseconds. Time in which the thread could
/// have worked, and other programs had all processors, does not count, where the system tells
/// (Linux): waiting for locks, answers and disks does.
class pqDSMStopwatch
{
public:
  void begin();
  void end();

  double longest() const { return this->Longest; }
  /// The longest spell by the clock on the wall.
  double longestOnTheWall() const { return this->LongestOnTheWall; }

private:
  double Longest = 0;
  double LongestOnTheWall = 0;
  QElapsedTimer Clock;
  double Queued = 0;
};

#endif
