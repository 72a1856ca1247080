// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Server/Core/AllocationQueue.h"
#include "Server/Core/Call.h"
#include "Server/Core/CoreState.h"
#include "Server/Core/DiskBook.h"
#include "Server/Core/HostPresence.h"
#include "Server/Core/HostService.h"
#include "Server/Core/ImageManager.h"
#include "Server/Core/PeerRegistry.h"
#include "Server/Core/SnapshotEvents.h"

#include <optional>
#include <string>

namespace dsm
{

/// Decides how long requests wait for memory.
class AllocationService final : public SnapshotObserver
{
public:
  /// All must outlive this.
  AllocationService(CoreState& state, PeerRegistry& peers, const HostPresence& presence,
    HostService& hosts, const ImageManager& images, const DiskBook& disk);

  /// Tries, and waits if there is no room. Throws what the first attempt throws.
  void TryOrWait(
    const PeerId& peer, AllocationQueue::Attempt attempt, AllocationQueue::Refusal refuse);
  /// The same of a request, which is refused if it waits in vain.
  void TryOrWait(const Call& call, AllocationQueue::Attempt attempt);

  /// Tries a request again that was granted memory which the hosts could not get. `since`: the time
  /// at which it came, from which its limit counts. `refuse` is also called if the attempt throws.
  void TryAgain(const PeerId& peer, Clock::time_point since, AllocationQueue::Attempt attempt,
    const AllocationQueue::Refusal& refuse);

  /// Tries those that wait: memory may have become free.
  void Retry();

  /// Refuses those that have waited too long.
  void Expire();

  /// Nobody is served any more.
  void Clear() { this->Queue.Clear(); }

  bool IsWaiting() const { return this->Queue.IsWaiting(); }
  Seconds Waiting() const { return this->Queue.Waiting(this->State.Time.Now); }

  void OnPeerLeft(const PeerLeft& left) override { this->Queue.Forget(left.Id); }

private:
  AllocationQueue::Request RequestOf(const PeerId& peer, Clock::time_point since,
    AllocationQueue::Attempt attempt, AllocationQueue::Refusal refuse);
  bool Try(Clock::time_point since, const AllocationQueue::Attempt& attempt);
  std::string RoomAdvice() const;

  CoreState& State;
  PeerRegistry& Peers;
  const HostPresence& Presence;
  HostService& Hosts;
  const ImageManager& Images;
  const DiskBook& Disk;
  AllocationQueue Queue;
  std::optional<Clock::time_point> LastFull; ///< when a request found no room in time
};

}
