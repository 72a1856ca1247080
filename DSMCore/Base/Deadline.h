// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Clock.h"

#include <algorithm>

namespace dsm
{

/// The moment at which a wait gives up. Every wait in the library takes one.
class Deadline
{
public:
  explicit Deadline(Seconds limit)
    : Limit(limit)
    , End(Clock::now() + std::chrono::duration_cast<Clock::duration>(limit))
  {
  }

  bool Expired() const { return Clock::now() >= this->End; }
  Clock::time_point TimePoint() const { return this->End; }

  /// Seconds the wait was given at the start, for messages.
  double LimitInSeconds() const { return this->Limit.count(); }

  /// What is left, never negative, at most `atMost`: fits poll-like calls.
  std::chrono::milliseconds Remaining(
    std::chrono::milliseconds atMost = std::chrono::hours(24)) const
  {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(this->End - Clock::now());
    return std::clamp(left, std::chrono::milliseconds(0), atMost);
  }

private:
  Seconds Limit;
  Clock::time_point End;
};

}
