// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Clock.h"

#include <cstdint>

/// Waiting for a number in memory that several processes map (futex(2)): the kernel finds it by the
/// page, wherever each has mapped that.
namespace dsm::futex
{

/// Sleeps while the number is `value`: until somebody wakes those who wait for it, for so long at
/// most; may return for no reason.
void Wait(std::uint32_t* number, std::uint32_t value, Seconds limit);

/// Wakes all who wait for it.
void Wake(std::uint32_t* number);

}
