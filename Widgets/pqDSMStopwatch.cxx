// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMStopwatch.h"

#include <QFile>
#include <QList>

#include <algorithm>

namespace
{
// How long this thread has waited for a processor so far.
double QueuedSoFar()
{
  QFile told("/proc/thread-self/schedstat"); // nanoseconds at work, nanoseconds in the queue, turns
  const auto numbers =
    told.open(QIODevice::ReadOnly) ? told.readAll().split(' ') : QList<QByteArray>();
  return numbers.size() < 2 ? 0 : numbers[1].toDouble() / 1e6;
}
}

void pqDSMStopwatch::begin()
{
  this->Queued = QueuedSoFar();
  this->Clock.start();
}

void pqDSMStopwatch::end()
{
  const double took = static_cast<double>(this->Clock.nsecsElapsed()) / 1e6;
  this->Longest = std::max(this->Longest, took - (QueuedSoFar() - this->Queued));
  this->LongestOnTheWall = std::max(this->LongestOnTheWall, took);
}
