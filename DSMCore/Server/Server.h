// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Deadline.h"
#include "Mpi/Communicator.h"
#include "Protocol/HostMessages.h"
#include "Protocol/PlaceholderContents.h"
#include "Server/Core/DiskQueue.h"
#include "Server/Core/HostOrders.h"
#include "Server/Core/SaveOrders.h"
#include "Server/Core/WrittenFiles.h"
#include "Server/ServerAccess.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dsm
{

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
    std::uint64_t after, bool next, const Deadline& deadline) override;
  void Release(std::uint64_t number) override;
  SteeringAnswer Steer(const SteeringRequest& request, const std::string& who) override;
  ///@}

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
  /// already, and can be saved before Stop. They write the files that they have open to disk
  /// instead, as their policy says.
  void TakeNoMore();

  /// After TakeNoMore: the server does not end after all, and takes files again.
  void TakeAgain();

  /// How images that begin from now on spread over the hosts; those in the ring stay as they are.
  /// The same as Adjust with no other change, for rank 0 alone. Throws Error(Usage).
  void SetMap(const Redistribution& map);

  /// Which files simulations send here, and when they are published. Simulations are notified at
  /// once: it applies to files that they create, and to flushes, from then on.
  void SetFilePolicy(const FilePolicy& filePolicy);

  /// Whether orders to write snapshots to disk are accepted: then a thread of this process waits
  /// for them, notes how many bytes it has written, as they go, and reports the result of each. The
  /// wait ends with none when they are no longer accepted. See Archive/DiskWriter.
  void OfferSaving(bool offered);
  std::optional<SaveOrder> WaitForSaveOrder();
  void NoteSaving(std::uint64_t bytes);
  void SaveDone(const SaveOrder& order, const std::string& path, const std::string& failure);

  /// Files that are to be on disk as well, under their own names (ServerOptions::AlsoOnDisk): a
  /// thread of this process waits for the next of them, which is held until it has said what became
  /// of it; see Archive/WriteBehind. EnterWritten: what the file is that it is about to put there.
  /// What a file on disk is, if it is one of those: WrittenAs. What a placeholder of this server
  /// stands for (SnapshotDescription::Family): FamilyOf; 0: that is not known.
  ///
  /// TryDiskNow: what has failed is tried again at once. AwaitDisk: returns when there is nothing
  /// to write at that moment, or at the deadline; and what is not on disk then.
  void OfferDisk(bool offered);
  std::optional<SnapshotDescription> WaitForDiskOrder();
  void EnterWritten(const SnapshotDescription& snapshot, const FileMark& mark);
  void DiskDone(const SnapshotDescription& snapshot, const DiskOutcome& outcome);
  std::optional<WrittenFiles::File> WrittenAs(const FileMark& mark) const;
  std::uint64_t FamilyOf(const PlaceholderAddress& placeholder) const;
  void TryDiskNow();
  DiskBacklog AwaitDisk(const Deadline& deadline);

  /// Has each host write what it has of a snapshot, which the caller holds, into files that are
  /// there: see WriteShare, of which ticket and host are of no meaning. Returns when all are done
  /// and have closed the files; false when what they have written may not be the snapshot's, since
  /// bytes of it have got another place meanwhile (SnapshotView::FindAgain). `wrote` is called now
  /// and then, without the server's lock, with the bytes written since; what it throws gives the
  /// work up. Throws Error(Unsupported) when a host's machine does not have the files,
  /// Error(PeerLost) when a host is not there, Error(System) when one cannot write, Error(TimedOut)
  /// when none has written a byte for a minute.
  bool WriteByHosts(const WriteShare& share, const std::function<void(std::uint64_t)>& wrote);

  /// Has a function called for each snapshot there is, and for each new one before its writer hears
  /// that it is one; an empty one ends that. It must not block, nor call the server.
  void OnSealed(std::function<void(const SnapshotDescription&)> call);

  /// Whether a viewer in other processes may attach (RemoteServer): then this program takes its
  /// orders, has its ranks carry them out together (Adjust, Stop), and says what became of each:
  /// `failure` is empty, or why not. An order to stop is answered before the server stops. While an
  /// order is there to be taken, WaitForSnapshot does not wait.
  void OfferAttaching(bool offered);
  std::optional<HostOrder> TakeOrder();
  void OrderDone(const HostOrder& order, const std::string& failure);

  /// The steering service, while the server runs; null on other ranks.
  SteeringService* Steering() const;
  ///@}

private:
  class Implementation;
  std::unique_ptr<Implementation> Self;
};

}
