// SPDX-License-Identifier: BSD-3-Clause
#include "Peer/AnswerWait.h"

#include "Base/Doorbell.h"
#include "Memory/SharedNumber.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace dsm
{

namespace
{
// How long a rank waits for the doorbell before it looks again by itself.
constexpr Seconds BetweenLooks(0.05);
// The same for one that has to ask over a network: at first, and in the end.
constexpr Seconds FirstPause(0.0005);
constexpr Seconds LongestPause(0.02);
// A process that looks less often does not run: it is stopped, or the machine is overloaded.
constexpr Seconds LongestWait(0.25);
// How often a coordinator without a sign of life is asked whether its process has ended.
constexpr Seconds BetweenProbes(1);
}

AnswerWait::AnswerWait(Transport& route, const SegmentLayout& layout, Seconds limit,
  Seconds silence, std::function<bool()> hasEnded)
  : Route(route)
  , PulseAt(layout.Signals.OffsetOf(SegmentLayout::Pulse))
  , Bell(route.Shared(0, layout.Signals.OffsetOf(SegmentLayout::Answers)))
  , Limit(limit)
  , SilenceLimit(silence)
  , HasEnded(std::move(hasEnded))
  , LastPulse(this->Pulse())
  , Silence(silence, LongestWait)
  , Pause(FirstPause)
{
}

std::uint64_t AnswerWait::Pulse() const
{
  if (std::byte* place = this->Route.Shared(0, this->PulseAt))
  {
    return SharedNumber(place).Load();
  }
  std::uint64_t pulse = 0;
  this->Route.Get(0, this->PulseAt, &pulse, sizeof pulse);
  this->Route.Flush();
  return pulse;
}

void AnswerWait::BeginLook()
{
  this->Rung = this->Bell ? Doorbell(this->Bell).Count() : 0;
}

bool AnswerWait::UntilNext()
{
  const auto now = Clock::now();
  if (const std::uint64_t next = this->Pulse(); next != this->LastPulse)
  {
    this->LastPulse = next;
    this->Alive = now;
    this->Silence = RunningDeadline(this->SilenceLimit, LongestWait);
  }
  if (now - this->Alive > BetweenProbes && now - this->Probed > BetweenProbes)
  {
    this->Probed = now;
    if (this->HasEnded())
    {
      return false;
    }
  }
  if (this->Silence.Look() || this->Limit.Expired())
  {
    return false;
  }
  if (this->Bell)
  {
    Doorbell(this->Bell).Wait(this->Rung, BetweenLooks);
  }
  else
  {
    std::this_thread::sleep_for(this->Pause);
    this->Pause = std::min(LongestPause, 2 * this->Pause);
  }
  return true;
}

}
