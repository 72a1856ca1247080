// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Clock.h"

#include <algorithm>
#include <utility>

namespace dsm
{

/// A deadline that comes no nearer while this process does not run: batch systems stop whole jobs
/// for hours, in which nobody has been waited for. For those who look again and again.
class RunningDeadline
{
public:
  /// `pause`: those who look do so as often, as long as they run.
  RunningDeadline(Seconds limit, Seconds pause)
    : Left(limit)
    , Longest(2 * pause)
  {
  }

  /// Whether it has come.
  bool Look()
  {
    const auto now = Clock::now();
    this->Left -= std::min(this->Longest, Seconds(now - std::exchange(this->Looked, now)));
    return this->Left <= Seconds(0);
  }

private:
  Seconds Left;
  Seconds Longest; ///< more between two looks is no waiting
  Clock::time_point Looked = Clock::now();
};

}
