// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Durations and clocks only. With C++20, <chrono> brings calendars, time zones and formatting,
// which cost each source two seconds of compile time. The mutexes that wait take durations, so
// every standard library declares what is used here in <mutex>, too.
#include <mutex>

namespace dsm
{

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

}
