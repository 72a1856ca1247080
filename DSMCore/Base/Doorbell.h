// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Clock.h"

#include <cstddef>
#include <cstdint>

namespace dsm
{

/// Wakes those who wait for something in memory that several processes map: a counter, and the
/// kernel's queue of who waits for it to change (futex(2)). It must lie at a multiple of 8 bytes.
class Doorbell
{
public:
  explicit Doorbell(std::byte* place);

  /// How often it was rung, modulo 2^32. To be read before one looks at what is waited for.
  std::uint32_t Count() const;

  /// Wakes all who wait, in whichever process.
  void Ring() const;

  /// Returns once it was rung more often than `seen`, at the limit, or without a reason.
  void Wait(std::uint32_t seen, Seconds limit) const;

private:
  std::uint32_t* Place;
};

}
