// SPDX-License-Identifier: BSD-3-Clause
#include "Control/Wakeup.h"

#include "Base/Error.h"

#include <cerrno>
#include <cstdint>

#include <sys/eventfd.h>
#include <unistd.h>

namespace dsm
{

Wakeup::Wakeup()
  : Fd(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC))
{
  if (this->Fd < 0)
  {
    throw Error(
      Fault::System, "cannot make an eventfd for the control channel: {}", SystemText(errno));
  }
}

Wakeup::~Wakeup()
{
  close(this->Fd);
}

void Wakeup::Signal() noexcept
{
  // Fails only when the counter is full, and then the other side is awake anyway.
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = write(this->Fd, &one, sizeof one);
}

void Wakeup::Drain() noexcept
{
  std::uint64_t count = 0;
  [[maybe_unused]] const auto got = read(this->Fd, &count, sizeof count);
}

}
