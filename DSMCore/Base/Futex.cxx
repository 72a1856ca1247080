// SPDX-License-Identifier: BSD-3-Clause
#include "Base/Futex.h"

#include <algorithm>
#include <climits>
#include <ctime>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace dsm::futex
{

// Not the private kind: those who wake, or wait, are other processes.

void Wait(std::uint32_t* number, std::uint32_t value, Seconds limit)
{
  const double seconds = std::max(0.0, limit.count());
  timespec time = {};
  time.tv_sec = static_cast<time_t>(seconds);
  time.tv_nsec = static_cast<long>((seconds - static_cast<double>(time.tv_sec)) * 1e9);
  syscall(SYS_futex, number, FUTEX_WAIT, value, &time, nullptr, 0);
}

void Wake(std::uint32_t* number)
{
  syscall(SYS_futex, number, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}
