// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Server/Core/ImageState.h"
#include "Server/Core/SlotSignals.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace dsm
{

/// Evicts snapshots to make room, as the policy of the full ring says:
///
///     drop oldest   any snapshot that nobody has open, oldest first
///     block         those that were read, oldest first
///     drop newest   those that were read, oldest first; then unread ones, newest first
///
/// With "drop newest", a new snapshot is usually dropped when it is sealed (DropsNew). Files that
/// grow can leave no room all the same. Then the newest unread snapshot is evicted, so that no
/// simulation waits.
class Evictor
{
public:
  /// `slots`: where readers enter slots without a message; null: none does.
  explicit Evictor(ImageState& state, SlotSignals* slots = nullptr);

  /// Whether there is enough room, if the ring is like this and has that many snapshots.
  using Enough = std::function<bool(const Ring& memory, std::uint64_t snapshots)>;

  /// Evicts snapshots until there is enough room. Evicts none and returns false if that could not
  /// help, since images or snapshots in use have the memory.
  bool MakeRoom(const Enough& enough);

  /// Throws Error(RingFull) if the hosts get less memory than they lend, and neither the end of an
  /// image nor of a lease could give some back.
  void RequireMemory();

  /// Evicts one snapshot ahead of a stream's next file: one that was read, otherwise the oldest if
  /// the policy drops that anyway. Returns false if none is left but the newest, and those that are
  /// spared.
  bool EvictAhead();

  /// Evicts snapshots until there are no more than the policy allows, or none may leave. Files that
  /// were open at once, and those published at flushes, exceed that number.
  void EvictSurplus();

  void Evict(SnapshotId snapshot);

  /// Evicts a snapshot that a user does not want any more, with all its parts. Returns false if it
  /// has to stay: somebody reads it, it is pinned, or it is the newest checkpoint.
  bool Drop(SnapshotId snapshot);

  /// The snapshots that may leave, in that order. None of them is read, and nobody begins to read
  /// one without asking, until OpenToReaders.
  std::vector<SnapshotId> Candidates();

  /// The snapshots that are to leave have left. Readers begin without a message again.
  void OpenToReaders();

  /// Returns true if a snapshot could not leave since the last call because somebody reads it who
  /// has not said so: it may be able to leave soon, though nobody says so.
  bool TakeHindered() { return std::exchange(this->IsHindered, false); }

  /// Whether the policy drops a new snapshot, so that the next of its size finds room without the
  /// eviction of an unread one. The first snapshot is kept, or no viewer would see any.
  bool DropsNew(const AddressMap& map, std::uint64_t size);

  /// Whether snapshots stay until they were read.
  bool KeepsUnread() const;

  /// The ring as it would be without some snapshots.
  Ring MemoryWithout(const std::vector<SnapshotId>& snapshots) const;

  /// Returns the snapshots that were evicted since the last call.
  std::vector<SnapshotDescription> TakeEvicted();

private:
  std::vector<SnapshotId> Evictable(bool unreadToo);

  ImageState& State;
  SlotSignals* Slots;
  bool IsClosed = false; ///< to readers that do not ask
  bool IsHindered = false;
  std::vector<SnapshotDescription> Evicted;
};

}
