// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Peer/SlotEntry.h"
#include "Protocol/SnapshotMessages.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dsm
{

class Connection;

/// Keeps a snapshot in the ring while it exists, without opening it: for viewers that choose a
/// snapshot and open it by name afterwards. Without a lease it may be evicted before it is opened,
/// so each function that makes a lease is one request: the server chooses and retains.
class SnapshotLease
{
public:
  /// What the ring has of some files, oldest first, with the newest of it kept.
  struct List;

  /// The snapshots whose files fit `pattern` (empty: all), or only the one of that number (0: all).
  /// Releasing the newest does not count as having read it.
  static List Newest(
    std::shared_ptr<Connection> connection, const std::string& pattern, SnapshotId number);

  /// One snapshot for all ranks of a viewer that want this number: the first to ask decides, and
  /// what it got stays until each rank has let go of it as often as the others, or for ten seconds
  /// (a pipeline may ask only some ranks). When the number has left the ring, and `instead` is
  /// given, it is the newest whose file fits that pattern. Releasing it counts as having read it.
  /// Throws Error(Refused) where there is none, on all ranks alike.
  static SnapshotLease Together(std::shared_ptr<Connection> connection, SnapshotId number,
    const std::optional<std::string>& instead, const JointViewer& viewer);

  /// Lets the server evict a snapshot only after all others, while the lease exists. Throws
  /// Error(Refused) if the ring has no such snapshot. May outlive the use of the connection: it
  /// keeps no connection open.
  static SnapshotLease Spare(std::shared_ptr<Connection> connection, SnapshotId number);

  /// What the server gives for a request. Throws Error(Refused) where the ring has no such
  /// snapshot.
  static SnapshotLease Open(std::shared_ptr<Connection> connection, const OpenSnapshot& request);

  /// One whose description is known and whose slot was entered. Tells the server, and does not
  /// wait: the entry keeps the snapshot until the server has heard of this.
  static SnapshotLease Known(
    std::shared_ptr<Connection> connection, const SnapshotDescription& known, SlotEntry entry);

  /// The description of one that somebody else holds; this releases nothing.
  static SnapshotLease Without(const SnapshotDescription& held);

  SnapshotLease() = default;
  SnapshotLease(SnapshotLease&& other) noexcept = default;
  SnapshotLease& operator=(SnapshotLease&& other) noexcept;
  ~SnapshotLease() { this->Release(); }

  void Release() noexcept;
  const SnapshotDescription& Description() const { return this->Snapshot; }

private:
  std::shared_ptr<Connection> Link;   ///< null: holds nothing, unless there is a WeakLink
  std::weak_ptr<Connection> WeakLink; ///< in place of Link, of a lease that spares
  std::shared_ptr<const void> InUse;  ///< Connection::Use
  SnapshotDescription Snapshot;
  std::uint64_t Lease = 0;
  std::string Speaker; ///< whose the lease is, where this process has asked in memory; else empty
};

struct SnapshotLease::List
{
  std::vector<SnapshotDescription> Snapshots;
  SnapshotLease Newest; ///< of nothing when there are none
};

}
