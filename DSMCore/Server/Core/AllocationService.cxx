// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/AllocationService.h"

#include "Base/Error.h"
#include "Base/Log.h"
#include "Base/Timeouts.h"

#include <algorithm>
#include <utility>

namespace dsm
{

namespace
{
// If a request finds no room so soon after another one, that is not reported again.
constexpr Seconds TellAgain(120);
}

AllocationService::AllocationService(CoreState& state, PeerRegistry& peers,
  const HostPresence& presence, HostService& hosts, const ImageManager& images,
  const DiskBook& disk)
  : State(state)
  , Peers(peers)
  , Presence(presence)
  , Hosts(hosts)
  , Images(images)
  , Disk(disk)
{
}

void AllocationService::TryOrWait(
  const PeerId& peer, AllocationQueue::Attempt attempt, AllocationQueue::Refusal refuse)
{
  this->Queue.TryOrWait(
    this->RequestOf(peer, this->State.Time.Now, std::move(attempt), std::move(refuse)),
    this->State.Time.Now);
}

void AllocationService::TryAgain(const PeerId& peer, Clock::time_point since,
  AllocationQueue::Attempt attempt, const AllocationQueue::Refusal& refuse)
{
  try
  {
    this->Queue.TryOrWait(this->RequestOf(peer, since, std::move(attempt), refuse), since);
  }
  catch (const Error& error)
  {
    refuse(error);
  }
}

AllocationQueue::Request AllocationService::RequestOf(const PeerId& peer, Clock::time_point since,
  AllocationQueue::Attempt attempt, AllocationQueue::Refusal refuse)
{
  // Not longer than the peer was told, because it gives up then. A host that is away hears of
  // nothing: it may be back soon, or never.
  const Seconds limit =
    std::min({ this->State.Options.FullRingLimit, this->Peers.Known(peer).AllocationTimeout,
      this->Presence.Lost.empty() ? Seconds::max() : PeerTimeout() });
  return { peer, limit,
    [this, since, attempt = std::move(attempt)]
    {
      return this->Presence.Lost.empty() && !this->State.Around.Rarely() &&
        this->Try(since, attempt);
    },
    std::move(refuse) };
}

// The hosts may have memory by now that they lacked before the request came. The request is refused
// only if they lack memory for the request itself.
bool AllocationService::Try(Clock::time_point since, const AllocationQueue::Attempt& attempt)
{
  try
  {
    return attempt();
  }
  catch (const Error& error)
  {
    if (error.GetFault() != Fault::RingFull || !this->Hosts.TryMoreMemory(since))
    {
      throw;
    }
  }
  return attempt();
}

void AllocationService::TryOrWait(const Call& call, AllocationQueue::Attempt attempt)
{
  this->TryOrWait(
    call.Peer(), std::move(attempt), [call](const std::exception& error) { call.Refuse(error); });
}

void AllocationService::Retry()
{
  if (this->State.IsOpen)
  {
    this->Queue.Retry();
  }
}

void AllocationService::Expire()
{
  for (const auto& late : this->Queue.TakeExpired(this->State.Time.Now))
  {
    const Error error = this->Presence.Lost.empty()
      ? Error(Fault::RingFull, "{}; waited {:.3g} s for room. {}", this->Images.FullText(),
          late.Waited, this->RoomAdvice())
      : Error(Fault::PeerLost, "{}; waited {:.3g} s for it to be back", this->Presence.WhyLost(),
          late.Waited);
    const auto last = std::exchange(this->LastFull, this->State.Time.Now);
    if (last && this->State.Time.Now - *last < TellAgain)
    {
      Log().info("{}", error.what());
    }
    else
    {
      this->State.Trouble.Report(error.what());
    }
    late.Refuse(error);
  }
}

std::string AllocationService::RoomAdvice() const
{
  const auto missing = this->Disk.Backlog(this->State.Time.Now).Files.size();
  const std::string trouble = this->Disk.Trouble();
  return missing == 0
    ? this->Images.RoomAdvice()
    : fmt::format("{} of them wait to be written to disk{}{}: memory for more files "
                  "would help, or a faster disk, or fewer files on disk",
        missing, trouble.empty() ? "" : ", and ", trouble);
}

}
