// SPDX-License-Identifier: BSD-3-Clause
#ifndef EventGaps_h
#define EventGaps_h

#include <QElapsedTimer>
#include <QTimer>

/// Measures by a timer how long ParaView's window handles no events, in milliseconds. Where the
/// system reports it, time in which its thread waited for a processor does not count.
class EventGaps
{
public:
  struct Times
  {
    /// Everything.
    double All = 0;
    /// Without the time in which ParaView reads data, runs filters or renders: of that it shows
    /// the progress.
    double WithoutPipelines = 0;
  };

  EventGaps();

  /// The longest since the last call. For both, they may be of different gaps.
  Times take();

private:
  void measure();

  QTimer Timer;
  QElapsedTimer Clock;
  Times Longest;
  /// Since the last event of the timer; the second if a pipeline runs.
  double Pipelines = 0;
  double PipelineSince = -1;
  double WaitedBefore = 0;
};

#endif
