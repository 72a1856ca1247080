// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace dsm
{

/// Ends another thread's poll from any thread: an eventfd.
class Wakeup
{
public:
  Wakeup();
  ~Wakeup();
  Wakeup(const Wakeup&) = delete;
  Wakeup& operator=(const Wakeup&) = delete;

  void Signal() noexcept;
  void Drain() noexcept;

  int Descriptor() const { return this->Fd; }

private:
  int Fd;
};

}
