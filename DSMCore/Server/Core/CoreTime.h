// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Clock.h"

namespace dsm
{

/// The moment of the event that the core handles. RequestRouter sets it before each event. Nothing
/// else in the core reads a clock, so the core can run in a test's time.
struct CoreTime
{
  Clock::time_point Now;
  double Wall = 0; ///< the same in seconds since 1970: for dates, since somebody may set that clock

  /// Seconds by the clock that nobody sets: for the moments that peers are told of.
  double Steady() const { return Seconds(this->Now.time_since_epoch()).count(); }
};

}
