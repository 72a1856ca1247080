// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Deadline.h"
#include "Base/RunningDeadline.h"
#include "Memory/SegmentLayout.h"
#include "Transport/Transport.h"

#include <cstddef>
#include <cstdint>
#include <functional>

namespace dsm
{

/// How a rank waits for what the coordinator is to say in the memory of host 0: at a Doorbell where
/// it maps that memory; else it looks again and again. As long as the coordinator shows signs of
/// life, until the limit at most.
///
///     AnswerWait wait(…);
///     do
///     {
///       wait.BeginLook();
///       … return what is there; or say what is wanted
///     } while (wait.UntilNext());
///
/// Not thread safe, as the transport is not.
class AnswerWait
{
public:
  /// `silence`: seconds without a sign of life after which it counts as silent; those in which this
  /// process did not run itself do not count. `hasEnded` is asked now and then meanwhile. The
  /// transport must outlive this.
  AnswerWait(Transport& route, const SegmentLayout& layout, Seconds limit, Seconds silence,
    std::function<bool()> hasEnded);

  /// What comes from here on ends the next wait.
  void BeginLook();

  /// False when the coordinator is silent, or at the limit.
  bool UntilNext();

private:
  std::uint64_t Pulse() const;

  Transport& Route;
  const std::uint64_t PulseAt;
  std::byte* const Bell; ///< null: this process does not map it
  const Deadline Limit;
  const Seconds SilenceLimit;
  const std::function<bool()> HasEnded;
  std::uint32_t Rung = 0;
  std::uint64_t LastPulse;
  RunningDeadline Silence;
  Clock::time_point Alive = Clock::now();
  Clock::time_point Probed = Alive;
  Seconds Pause;
};

}
