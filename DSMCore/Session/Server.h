// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Deadline.h"
#include "Mpi/Communicator.h"
#include "Session/SaveOrders.h"
#include "Session/ServerOptions.h"
#include "Session/ServerStatus.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dsm
{

class Connection;
class SteeringService;

/// The hosts of one distributed shared memory: every rank of a communicator lends a segment, rank 0
/// runs the control channel. After Start the hosts are passive: simulations connect, write and
/// leave without any call here. One process may have several servers.
class Server
{
public:
  /// Collective over `comm` (duplicated). MPI is needed only for more than one rank, at
  /// MPI_THREAD_SINGLE, in Start, Stop and nowhere else. Throws on all ranks together.
  Server(const Communicator& comm, const ServerOptions& options);

  /// As Stop, without the collective part.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Collective: tells the peers, removes the contact file and the memory. Open SnapshotViews of
  /// this process keep their mapping.
  void Stop();

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
  void Adjust(const ServerOptions& options);

  /// The limits of Adjust: bytes that each host can lend, and number of snapshots.
  std::uint64_t MaximumMemory() const;
  std::uint64_t MaximumSnapshotsPossible() const;

  /// Lets MPI move bytes, for transports over MPI below MPI_THREAD_MULTIPLE, where no thread of
  /// ours may do so: then each host's program calls it, in the thread that calls MPI, as often as
  /// it can. Not collective. True when bytes move, so that the next call should come soon.
  bool Pump();

  /// False when nobody needs to call Pump on this rank.
  bool NeedsPump() const;

  /// Absolute path of the contact file; on all ranks.
  const std::string& ContactPath() const;

  /// This rank's link to the server, for reading snapshots; also what the HDF5 driver finds under
  /// the contact file's name in this process. On all ranks.
  std::shared_ptr<Connection> GetConnection() const;

  /// \name On rank 0 only; thread safe. Other ranks get empty answers.
  ///@{
  ServerStatus Status() const;

  /// Waits for a snapshot with a number above `after`. With `next` it returns the oldest such still
  /// in the ring, else the newest. None when the deadline passes, or at once when no simulation is
  /// connected any more, at least one was, and nothing newer is there.
  /// The snapshot is held (as by a SnapshotView) until Release or Stop, so it cannot vanish before
  /// the caller opens it.
  std::optional<SnapshotDescription> WaitForSnapshot(
    std::uint64_t after, bool next, const Deadline& deadline);

  /// Releases a snapshot that WaitForSnapshot returned: it counts as read.
  void Release(std::uint64_t number);

  /// How images that begin from now on spread over the hosts; those in the ring stay as they are.
  /// The same as Adjust with no other change, for rank 0 alone. Throws Error(Usage).
  void SetMap(const Redistribution& map);

  /// Which files simulations send here, and when they are published. Simulations are notified at
  /// once: it applies to files that they create, and to flushes, from then on.
  void SetFilePolicy(const FilePolicy& filePolicy);

  /// Whether orders to write snapshots to disk are accepted: then a thread of this process waits
  /// for them and reports the result of each. The wait ends with none when they are no longer
  /// accepted. See Archive/DiskWriter.
  void OfferSaving(bool offered);
  std::optional<SaveOrder> WaitForSaveOrder();
  void SaveDone(const SaveOrder& order, const std::string& path, const std::string& failure);

  /// The steering service, while the server runs; null on other ranks.
  SteeringService* Steering() const;
  ///@}

private:
  class Implementation;
  std::unique_ptr<Implementation> Self;
};

}
