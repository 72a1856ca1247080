// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Clock.h"

namespace dsm
{

/// Decides how long background work rests between its steps.
///
/// Low priority alone leaves a thread a tenth of a core that others want all of the time, which a
/// simulation that computes on all cores loses. So work that had to wait for its core rests until
/// it has used a small share of the time. Work that had the core for itself goes on at once.
/// Resting differs from a still lower priority: a step that has begun is soon over, so nobody who
/// needs its result waits long.
class Pace
{
public:
  /// The share of a core that others want which background work may use.
  static constexpr double Share = 0.005;

  /// Returns how long to rest behind a step.
  /// @param elapsed the time since the step before, or the rest behind that, was over
  /// @param used the thread's processor time meanwhile
  static Seconds RestAfter(Seconds elapsed, Seconds used);
};

}
