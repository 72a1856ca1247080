// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Host/Pace.h"

#include <algorithm>

namespace dsm
{

namespace
{
// A thread on a core of its own waits as well: for interrupts, and until it is woken.
constexpr Seconds AlwaysWaits(0.001);
constexpr double WaitsOfUse = 0.5;
// No rest is longer, so that the work soon goes on when others have left.
constexpr Seconds LongestRest(1);
}

Seconds Pace::RestAfter(Seconds elapsed, Seconds used)
{
  const Seconds waited = elapsed - used;
  if (waited <= AlwaysWaits + WaitsOfUse * used)
  {
    return Seconds(0);
  }
  return std::clamp(used / Share - elapsed, Seconds(0), LongestRest);
}

}
