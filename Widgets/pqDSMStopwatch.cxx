// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMStopwatch.h"

#include <QFile>
#include <QList>

#include <algorithm>

namespace
{
// How long this thread has waited for a processor since it began, in milliseconds.
double WaitedForProcessor()
{
  // Nanoseconds on a processor, nanoseconds in the run queue, number of time slices.
  QFile file("/proc/thread-self/schedstat");
  const auto numbers =
    file.open(QIODevice::ReadOnly) ? file.readAll().split(' ') : QList<QByteArray>();
  return numbers.size() < 2 ? 0 : numbers[1].toDouble() / 1e6;
}
}

void pqDSMStopwatch::begin()
{
  this->WaitedBefore = WaitedForProcessor();
  this->Timer.start();
}

void pqDSMStopwatch::end()
{
  const double took = static_cast<double>(this->Timer.nsecsElapsed()) / 1e6;
  this->Longest = std::max(this->Longest, took - (WaitedForProcessor() - this->WaitedBefore));
  this->LongestWallTime = std::max(this->LongestWallTime, took);
}
