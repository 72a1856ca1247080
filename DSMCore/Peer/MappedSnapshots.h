// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/StrongType.h"
#include "Peer/StitchedView.h"
#include "Protocol/SnapshotMessages.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dsm
{

class Connection;
class SnapshotView;

/// The ranges of snapshots that this process has mapped in place of copies. The server keeps each
/// snapshot in the ring until the last of its ranges is released, also when this process is stopped
/// or loses the server (MapSnapshot). When a writer waits for the memory, the ranges become copies
/// of their own, at the same addresses.
///
/// A child that this process forks sees the same memory, but keeps nothing: it must not look at it
/// any more once the parent may have released it.
///
/// Thread safe.
class MappedSnapshots
{
public:
  /// Returns those of this process. They are never destroyed, since ranges may be released after
  /// static destructors have run.
  static MappedSnapshots& OfProcess();

  /// The place where a range is mapped, or the reason to copy it.
  struct Outcome
  {
    std::byte* Data = nullptr; ///< the range's first byte; null: it is not mapped
    std::string Why;           ///< a clause: "its host is on another node"
  };

  /// Maps [address, address + size) of a snapshot's file as private memory of this process, which
  /// stays until Release. Asks the server once for each snapshot. `alignment`: of the first byte.
  /// Throws only as StitchedView does if the snapshot was evicted.
  Outcome Map(
    const SnapshotView& snapshot, FileOffset address, std::uint64_t size, std::uint64_t alignment);

  /// Unmaps the range that begins there. Returns false if there is none.
  bool Release(const std::byte* data) noexcept;

  /// Turns the range that begins there into a copy of its own, so that its snapshot may leave. Does
  /// nothing if there is none. Throws as StitchedView::CopyOut does.
  void Detach(const std::byte* data);

  /// The server asks for the memory: copies the ranges of these snapshots, in a thread of its own,
  /// and lets go of them. `server`: its public key.
  void GiveBack(const std::string& server, std::vector<MappedPlace> kept);

  /// Returns the bytes that are mapped and not copied.
  std::uint64_t MappedBytes() const;

private:
  class Hold;
  using Holding = std::shared_ptr<const Hold>;
  using Key = std::pair<std::string, SnapshotId>; ///< the server's public key, and the snapshot

  struct Range
  {
    Holding Keeps;     ///< null: it was copied
    StitchedView View; ///< unmapped before the snapshot may leave
  };

  MappedSnapshots() = default;
  Holding HoldOf(const SnapshotView& snapshot, std::string& why);
  void CopyOut(const std::string& server, const std::vector<MappedPlace>& kept) noexcept;

  mutable std::mutex Guard;
  std::map<const std::byte*, Range> Ranges;
  std::map<Key, std::weak_ptr<const Hold>> Holds;
};

}
