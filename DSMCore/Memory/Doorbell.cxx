// SPDX-License-Identifier: BSD-3-Clause
#include "Memory/Doorbell.h"

#include <algorithm>
#include <atomic>
#include <climits>
#include <ctime>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace dsm
{

Doorbell::Doorbell(std::byte* place)
  : Place(reinterpret_cast<std::uint32_t*>(place))
{
}

std::uint32_t Doorbell::Count() const
{
  return std::atomic_ref<std::uint32_t>(*this->Place).load();
}

void Doorbell::Ring() const
{
  ++std::atomic_ref<std::uint32_t>(*this->Place);
  syscall(SYS_futex, this->Place, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void Doorbell::Wait(std::uint32_t seen, Seconds limit) const
{
  const double seconds = std::max(0.0, limit.count());
  timespec until = {};
  until.tv_sec = static_cast<time_t>(seconds);
  until.tv_nsec = static_cast<long>((seconds - static_cast<double>(until.tv_sec)) * 1e9);
  // Not the private kind: those who ring are other processes.
  syscall(SYS_futex, this->Place, FUTEX_WAIT, seen, &until, nullptr, 0);
}

}
