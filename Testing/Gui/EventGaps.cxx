// SPDX-License-Identifier: BSD-3-Clause
#include "EventGaps.h"

#include "pqDSMStopwatch.h"

#include <pqApplicationCore.h>
#include <pqProgressManager.h>

#include <algorithm>
#include <utility>

namespace
{
constexpr int Interval = 10; // ms

double Milliseconds(const QElapsedTimer& clock)
{
  return static_cast<double>(clock.nsecsElapsed()) / 1e6;
}
}

EventGaps::EventGaps()
{
  auto* progress = pqApplicationCore::instance()->getProgressManager();
  QObject::connect(progress, &pqProgressManager::progressStartEvent, &this->Timer,
    [this]
    {
      if (this->PipelineSince < 0)
      {
        this->PipelineSince = Milliseconds(this->Clock);
      }
    });
  QObject::connect(progress, &pqProgressManager::progressEndEvent, &this->Timer,
    [this]
    {
      if (this->PipelineSince >= 0)
      {
        this->Pipelines += Milliseconds(this->Clock) - this->PipelineSince;
        this->PipelineSince = -1;
      }
    });
  QObject::connect(&this->Timer, &QTimer::timeout, &this->Timer, [this] { this->measure(); });
  this->WaitedBefore = pqDSMStopwatch::waitedForProcessor();
  this->Clock.start();
  this->Timer.start(Interval);
}

void EventGaps::measure()
{
  const double now = Milliseconds(this->Clock);
  const double waited = pqDSMStopwatch::waitedForProcessor();
  const double gap = now - (waited - this->WaitedBefore) - Interval;
  const double running = this->PipelineSince >= 0 ? now - this->PipelineSince : 0;
  this->Longest.All = std::max(this->Longest.All, gap);
  this->Longest.WithoutPipelines =
    std::max(this->Longest.WithoutPipelines, gap - this->Pipelines - running);
  this->Clock.restart();
  this->WaitedBefore = waited;
  this->Pipelines = 0;
  this->PipelineSince = this->PipelineSince >= 0 ? 0 : -1;
}

EventGaps::Times EventGaps::take()
{
  return std::exchange(this->Longest, {});
}
