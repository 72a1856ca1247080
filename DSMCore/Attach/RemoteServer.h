// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Error.h"
#include "Mpi/Communicator.h"
#include "Peer/Connection.h"
#include "Server/ServerAccess.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace dsm
{

/// A server whose hosts are other processes than this viewer's, which may crash, or end, and attach
/// again to all that is there.
///
/// If the hosts do not answer (they were stopped, or killed), Status says so at once and everything
/// else throws Error(PeerLost), until the hosts answer again or another server starts with the same
/// contact file. If they gave this process up, because it was suspended, it attaches again, and the
/// next WaitForSnapshot says so.
class RemoteServer final : public ServerAccess
{
public:
  /// A caretaker changes and stops the server, whose hosts are processes of their own (dsm-serve).
  /// A watcher shows and steers, as others do beside it, wherever the hosts are.
  enum class Role
  {
    Caretaker,
    Watcher
  };

  /// Collective over `comm` (duplicated): attaches to the server of a contact file, within the
  /// deadline. Throws on all ranks together: as Connection::Open does, and Error(Refused) for a
  /// caretaker when the server is part of another program.
  RemoteServer(
    const Communicator& comm, const std::string& contactPath, Role role, const Deadline& deadline);

  /// Leaves the server as it is.
  ~RemoteServer() override;

  /// \name See ServerAccess. A watcher's Stop leaves the server as it is, and its Adjust throws
  /// Error(Refused).
  ///@{
  void Stop() override;
  void Adjust(const ServerOptions& options) override;
  std::uint64_t NumberOfHosts() const override;
  std::uint64_t MaximumMemory() const override;
  std::uint64_t MaximumSnapshotsPossible() const override;
  const std::string& ContactPath() const override { return this->Path; }
  std::shared_ptr<Connection> GetConnection() const override;
  ServerStatus Status() const override;
  std::optional<SnapshotDescription> WaitForSnapshot(
    SnapshotId after, bool next, const Deadline& deadline) override;
  SnapshotCounts CountedAtWait() const override;
  void Release(SnapshotId number) override;
  SteeringAnswer Steer(const SteeringRequest& request, const std::string& who) override;
  ///@}

private:
  ServerStatus Introduce(Connection& link, Seconds limit) const;
  Error Lost(const std::string& why) const;
  std::shared_ptr<Connection> Link() const;
  void ThrowIfGivenUp() const;
  [[noreturn]] void Lose(const Connection& link, const Error& error) const;
  template <typename Message>
  typename Message::Reply Ask(const Message& request, Seconds limit) const;

  Communicator Comm;
  std::string Path;
  const Role ViewerRole;
  bool Stopped = false;

  mutable std::mutex Guard; // of all below; on rank 0 they change when hosts are found again
  mutable std::shared_ptr<Connection> Attached;
  mutable ServerStatus Last;               ///< rank 0
  mutable Deadline Patience{ Seconds(0) }; ///< slow hosts are not asked for it until then
  mutable std::multimap<SnapshotId, std::uint64_t> Leases; ///< by the number of the snapshot
  mutable bool WasGivenUp = false; ///< by the hosts, and who waits for snapshots was not told
  SnapshotCounts Counted;          ///< when a snapshot was found
};

}
