// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Clock.h"
#include "Memory/Ring.h"

#include <cstdint>
#include <vector>

namespace dsm
{

/// Follows a time in which hosts get less memory than they lend, which is reported once.
///
///     Begin -> (limits of the ring) -> NoteLifted -> Begin, or EndsWith
class MemoryShortage
{
public:
  /// The time for which a host is not asked for more than it has.
  static constexpr Seconds Pause{ 1 };

  /// Notes that a host lacks memory. Returns true if none did before.
  bool Begin(Clock::time_point now);

  /// Returns true if the last lack is so long ago that hosts may be asked again.
  bool MayTryAgain(Clock::time_point now) const;

  /// Returns true if no host has lacked memory since then.
  bool IsOlderThan(Clock::time_point time) const { return this->Last < time; }

  /// Notes that the ring has its limits no more. `limits`: those that it had (Ring::LiftLimits).
  void NoteLifted(std::vector<std::uint64_t> limits);

  /// Returns true, once, if a host has clearly more pages than its limit was. All that the ring
  /// counts must exist.
  bool EndsWith(const Ring& memory);

private:
  bool IsShort = false;
  Clock::time_point Last{};
  std::vector<std::uint64_t> Limits;
};

}
