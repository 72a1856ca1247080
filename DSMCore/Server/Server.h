// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Deadline.h"
#include "Mpi/Communicator.h"
#include "Protocol/FilePolicy.h"
#include "Server/ArchiveAccess.h"
#include "Server/DiskAccess.h"
#include "Server/OrderAccess.h"
#include "Server/ServerAccess.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dsm
{

class CoreRunner;
class SteeringService;
class Transport;
struct Contact;

/// The hosts of one distributed shared memory: every rank of a communicator lends a segment, rank 0
/// runs the control channel. After Start the hosts are passive: simulations connect, write and
/// leave without any call here. One process may have several servers.
///
/// How this program's own ranks read snapshots is not the server's affair: see Attach/LocalServer.
class Server : public ServerAccess
{
public:
  /// Collective over `comm` (duplicated). MPI is needed only for more than one rank, at
  /// MPI_THREAD_SINGLE, in Start, Stop and nowhere else. Throws on all ranks together.
  Server(const Communicator& comm, const ServerOptions& options);

  /// Does the same over ranks that know each other otherwise. Stop lets them go.
  Server(std::shared_ptr<RankGroup> hosts, const ServerOptions& options);

  /// As Stop, without the collective part.
  ~Server() override;

  /// \name See ServerAccess
  ///@{
  void Stop() override;
  void Adjust(const ServerOptions& options) override;
  std::uint64_t NumberOfHosts() const override;
  std::uint64_t MaximumMemory() const override;
  std::uint64_t MaximumSnapshotsPossible() const override;
  const std::string& ContactPath() const override;
  ServerStatus Status() const override;
  std::optional<SnapshotDescription> WaitForSnapshot(
    SnapshotId after, bool next, const Deadline& deadline) override;
  SnapshotCounts CountedAtWait() const override;
  void Release(SnapshotId number) override;
  SteeringAnswer Steer(const SteeringRequest& request, const std::string& who) override;
  ///@}

  /// Returns the next snapshot up to number `last` whose file got another name since it was
  /// announced; none if there is no other. It stays in memory until Release is called. The names
  /// that files get before the first call are not known. Thread safe.
  std::optional<SnapshotDescription> TakeRenamed(SnapshotId last);

  /// Lets MPI move bytes, for transports over MPI below MPI_THREAD_MULTIPLE, where no thread of
  /// ours may do so: then each host's program calls it, in the thread that calls MPI, as often as
  /// it can. Not collective. True when bytes move, so that the next call should come soon.
  bool Pump();

  /// False when nobody needs to call Pump on this rank.
  bool NeedsPump() const;

  /// \name How ranks of this program reach the server, on all ranks; not after Stop
  ///@{
  const Contact& Address() const;
  /// As it was at Start. Never changes; thread safe.
  const std::shared_ptr<const ServerDescription>& Description() const;
  /// Transports that the hosts have made among themselves.
  std::vector<std::shared_ptr<Transport>> OwnTransports() const;
  ///@}

  /// \name On rank 0 only; thread safe. Other ranks get empty answers.
  ///@{
  /// From now on no file is begun or sealed here: what simulations are told is in memory is in it
  /// already, and can be saved before Stop. Simulations write the files that they have open to disk
  /// instead, as their policy says. If a program has ended with a file open, this blocks until the
  /// last flush of the file is a snapshot, RequestTimeout() at most.
  void TakeNoMore();

  /// After TakeNoMore: the server does not end after all, and takes files again.
  void TakeAgain();

  /// How images that begin from now on spread over the hosts; those in the ring stay as they are.
  /// The same as Adjust with no other change, for rank 0 alone. Throws Error(Usage).
  void SetMap(const Redistribution& map);

  /// Which files simulations send here, and when they are published. Simulations are notified at
  /// once: it applies to files that they create, and to flushes, from then on.
  void SetFilePolicy(const FilePolicy& filePolicy);

  /// \name Services, for as long as the server runs
  ///@{
  /// Orders to write snapshots to disk.
  ArchiveAccess Archive() const;
  /// Files that are on disk as well, under their own names.
  DiskAccess Disk() const;
  /// Orders of viewers in other processes.
  OrderAccess Orders() const;
  ///@}

  /// Has a function called for each snapshot there is, and for each new one before its writer hears
  /// that it is one; an empty one ends that. It must not block, nor call the server.
  void OnSealed(std::function<void(const SnapshotDescription&)> call);

  /// The steering service, while the server runs; null on other ranks.
  SteeringService* Steering() const;
  ///@}

private:
  class Implementation;
  CoreRunner* Control() const;
  template <typename Work>
  void OnCore(const Work& work);

  std::unique_ptr<Implementation> Self;
};

}
