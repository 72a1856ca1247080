// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Protocol/HostMessages.h"
#include "Server/Core/SaveOrders.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace dsm
{

class CoreRunner;

/// Orders to write snapshots to disk.
///
/// A thread of the host program waits for orders, notes how many bytes it has written as they go,
/// and reports the result of each; see Archive/DiskWriter. Thread safe. Empty answers on other
/// ranks than 0.
class ArchiveAccess
{
public:
  /// `runner` must outlive this; null on other ranks than 0.
  explicit ArchiveAccess(CoreRunner* runner)
    : Runner(runner)
  {
  }

  /// Whether orders are accepted.
  void Offer(bool offered) const;

  /// Blocks until there is an order. None when orders are not accepted any more and all are done.
  std::optional<SaveOrder> WaitForOrder() const;

  /// So many bytes more of the order under way are written.
  void NoteSaving(std::uint64_t bytes) const;

  /// `failure` is empty if the snapshot is in `path` now.
  void Done(const SaveOrder& order, const std::string& path, const std::string& failure) const;

  /// Has each host write what it has of a snapshot, which the caller holds, into files that are
  /// there: see WriteShare, of which ticket and host have no meaning. Returns when all are done and
  /// have closed the files. Returns false if what they have written may not be the snapshot's,
  /// because bytes of it have moved meanwhile (SnapshotView::FindAgain). Calls `wrote` now and then
  /// with the bytes written since, not under the core's lock; what that throws ends the work.
  /// Throws Error(Unsupported) if a host's machine does not have the files, Error(PeerLost) if a
  /// host is not there, Error(System) if one cannot write, Error(TimedOut) if none has written a
  /// byte for a minute, Error(Usage) on other ranks than 0.
  bool WriteByHosts(const WriteShare& share, const std::function<void(std::uint64_t)>& wrote) const;

private:
  void AwaitShares(std::uint64_t ticket, const std::function<void(std::uint64_t)>& wrote) const;

  CoreRunner* Runner;
};

}
