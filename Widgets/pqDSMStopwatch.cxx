// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMStopwatch.h"

#include <QFile>
#include <QList>

#include <algorithm>

double pqDSMStopwatch::waitedForProcessor()
{
  // Nanoseconds on a processor, nanoseconds in the run queue, number of time slices.
  QFile file("/proc/thread-self/schedstat");
  const auto numbers =
    file.open(QIODevice::ReadOnly) ? file.readAll().split(' ') : QList<QByteArray>();
  return numbers.size() < 2 ? 0 : numbers[1].toDouble() / 1e6;
}

void pqDSMStopwatch::begin()
{
  this->WaitedBefore = pqDSMStopwatch::waitedForProcessor();
  this->Timer.start();
}

void pqDSMStopwatch::end()
{
  const double took = static_cast<double>(this->Timer.nsecsElapsed()) / 1e6;
  this->Longest =
    std::max(this->Longest, took - (pqDSMStopwatch::waitedForProcessor() - this->WaitedBefore));
  this->LongestWallTime = std::max(this->LongestWallTime, took);
}
