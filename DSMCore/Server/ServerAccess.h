// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Deadline.h"
#include "Server/Core/ServerOptions.h"
#include "Server/Core/ServerStatus.h"
#include "Server/Core/SnapshotCounts.h"
#include "Steering/SteeringMessages.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace dsm
{

class Connection;

/// A server as the program that shows its snapshots uses it, wherever its hosts are: in this
/// program's own processes (Server), or in others (RemoteServer).
class ServerAccess
{
public:
  ServerAccess() = default;
  ServerAccess(const ServerAccess&) = delete;
  ServerAccess& operator=(const ServerAccess&) = delete;
  virtual ~ServerAccess() = default;

  /// Absolute path of the contact file; on all ranks.
  virtual const std::string& ContactPath() const = 0;

  /// This rank's link to the server, for reading snapshots; also what the HDF5 driver finds under
  /// the contact file's name in this process. On all ranks.
  virtual std::shared_ptr<Connection> GetConnection() const = 0;

  virtual std::uint64_t NumberOfHosts() const = 0;

  /// The limits of Adjust: bytes that each host can lend, and number of snapshots.
  virtual std::uint64_t MaximumMemory() const = 0;
  virtual std::uint64_t MaximumSnapshotsPossible() const = 0;

  /// Collective: changes the settings of the running server; rank 0's count. Files, and policy and
  /// limit of the full ring, apply at once, also to a writer that waits (a longer limit: from its
  /// next file on). Map and transport apply to images that begin from now on. More memory for
  /// snapshots applies at once; of less, snapshots without leases are evicted now, and others when
  /// the next image begins.
  ///
  /// Memory can grow to MaximumMemory() and back (0: as at Start), snapshots to
  /// MaximumSnapshotsPossible() in number. The contact file stays, and a transport over MPI must
  /// have been there at Start. Throws Error(Usage) and Error(Unsupported), on all ranks together,
  /// and then nothing has changed.
  virtual void Adjust(const ServerOptions& options) = 0;

  /// Collective: tells the peers, removes the contact file and the memory. Open SnapshotViews of
  /// this process keep their mapping.
  virtual void Stop() = 0;

  /// \name On rank 0 only; thread safe. Other ranks get empty answers.
  ///@{
  virtual ServerStatus Status() const = 0;

  /// Waits for a snapshot with a number above `after`. With `next` it returns the oldest such still
  /// in the ring, else the newest. None when the deadline passes, or at once when no simulation is
  /// connected any more, at least one was, and nothing newer is there.
  /// The snapshot is held (as by a SnapshotView) until Release or Stop, so it cannot vanish before
  /// the caller opens it.
  virtual std::optional<SnapshotDescription> WaitForSnapshot(
    SnapshotId after, bool next, const Deadline& deadline) = 0;

  /// Returns the counts of the moment when WaitForSnapshot found the last one.
  virtual SnapshotCounts CountedAtWait() const = 0;

  /// Releases a snapshot that WaitForSnapshot returned: it counts as read.
  virtual void Release(SnapshotId number) = 0;

  /// A viewer's request to the simulations, and its answer; "wait" waits. `who` is for the log.
  /// Throws Error(Usage) for a request that makes no sense, Error(Refused) for an unknown program
  /// or transaction.
  virtual SteeringAnswer Steer(const SteeringRequest& request, const std::string& who) = 0;
  ///@}
};

}
