// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Clock.h"

namespace dsm
{

/// Seconds since 1970 by this machine's clock, which somebody may set: for dates. Deadlines use
/// SteadySeconds.
inline double WallTime()
{
  return Seconds(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// Seconds by this machine's clock that nobody can set: for moments that other processes are told
/// of. They have the same clock on this machine; that of another machine began at another moment.
inline double SteadySeconds(Clock::time_point moment = Clock::now())
{
  return Seconds(moment.time_since_epoch()).count();
}

}
