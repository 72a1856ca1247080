// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Clock.h"

namespace dsm
{

/// Seconds since 1970 by this machine's clock, which somebody may set: for dates, and for moments
/// that another machine is told.
inline double WallTime()
{
  return Seconds(std::chrono::system_clock::now().time_since_epoch()).count();
}

}
