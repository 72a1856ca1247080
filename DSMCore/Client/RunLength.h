// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Deadline.h"

#include <cstdint>
#include <optional>

namespace dsm
{

/// Estimates how long a run still takes: from the step at which it ends and the wall time that its
/// steps have taken. Steps of long ago weigh less. Not thread safe.
class RunLength
{
public:
  /// Sets the step at which the run ends; negative: unknown.
  void SetLast(std::int64_t step) { this->LastStep = step; }
  std::int64_t Last() const { return this->LastStep; }

  /// Notes that the run has reached a step. A step that is not above the one before begins a new
  /// estimate.
  void Note(std::int64_t step, Clock::time_point now);

  /// Leaves the time until the next Note out of the estimate: the run is paused.
  void Interrupt() { this->Before.reset(); }

  /// Returns the seconds from the step that was noted last to the last step; negative: unknown.
  double SecondsLeft() const;

private:
  std::int64_t LastStep = -1;
  std::int64_t Step = 0;
  std::optional<Clock::time_point> Before; ///< of the last Note; none: nothing to measure from
  double Seconds = 0;                      ///< that the steps took, both with their weights
  double Steps = 0;
};

}
