// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Archive/Restorer.h"
#include "Mpi/Communicator.h"
#include "Mpi/RestingGroup.h"
#include "Server/Core/ServerStatus.h"
#include "Server/Core/SnapshotCounts.h"
#include "Server/SettingValues.h"
#include "Steering/SentArray.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dsm
{
class DiskWriter;
class Server;
class ServerAccess;
class SnapshotView;
class WriteBehind;
}

/// A server as the ranks of ParaView use it together, without VTK. They are its hosts, or its hosts
/// are processes of their own, which outlive ParaView, or they watch one that runs elsewhere.
///
/// Every method is collective over the ranks unless it says otherwise, and has the same result on
/// all of them; an error of one is thrown on all, as dsm::Error with the same text.
class HostServer
{
public:
  /// What the server says of itself, and what its hosts' program does with it.
  struct Status : dsm::ServerStatus
  {
    std::vector<dsm::SnapshotId> Pinned; ///< numbers of snapshots; see Pin
    /// Of each snapshot in the ring of which a ParaView before this one has crashed, what people
    /// are told.
    std::vector<std::string> Crashes;
    std::optional<dsm::RestoredFile> Restored; ///< see Restore; none: nothing was brought back
  };

  struct Found
  {
    std::optional<dsm::SnapshotDescription> Snapshot; ///< held until Release; none came
    dsm::SnapshotCounts Counts;
    bool Finished = false; ///< no simulation is connected any more, one was, and nothing is newer
    double Waited = 0;     ///< seconds by rank 0's clock
  };

  /// Starts to listen. While a HostServer exists the DSM's driver is the default of this process's
  /// HDF5. MPI_COMM_NULL: this process alone.
  ///
  /// With hosts of their own: attaches to those that run with that contact file, and leaves their
  /// settings as they are; or else starts as many as there are ranks, beside them.
  HostServer(MPI_Comm ranks, const dsm::SettingValues& settings);

  /// Watches a server that runs already, whoever has started it; lends no memory. Stop and Leave
  /// leave it as it is, and Change throws Error(Refused). The driver as above.
  HostServer(MPI_Comm ranks, const std::string& contactFile);

  /// As Stop, without the collective part. Hosts of their own go on.
  ~HostServer();
  HostServer(const HostServer&) = delete;
  HostServer& operator=(const HostServer&) = delete;

  void Stop();

  /// Hosts of their own go on with all that they have, and can be attached to again; otherwise as
  /// Stop.
  void Leave();

  const std::string& ContactPath() const;
  int NumberOfHosts() const;

  /// True when the hosts ran already, with settings of their own: see Options in the status.
  bool FoundRunning() const { return this->Running; }

  Status GetStatus() const;
  /// The same for rank 0 alone: no other rank needs to ask. Empty on others.
  Status PeekStatus() const;
  /// Returns a number that grows whenever a snapshot is announced, without a message to the hosts;
  /// none where their memory is not mapped, and on other ranks than 0. Not collective.
  std::optional<std::uint64_t> PeekAnnouncements() const;
  Found WaitForSnapshot(dsm::SnapshotId after, bool next, double seconds) const;
  void Release(dsm::SnapshotId number) const;
  void SaveSnapshot(dsm::SnapshotId number, const std::string& path) const;

  /// Evicts a snapshot now. Its pin ends.
  void Drop(dsm::SnapshotId number);

  /// Begins to make a file on the first rank's disk a snapshot, as dsm::RestoreFile does, and
  /// returns: Restored in the status says how far it is. One at a time.
  void Restore(const std::string& path, const std::string& name) const;

  /// Whether simulations may bring files. Not before all is saved and the server ends: then they
  /// write to disk, and nothing of what is there leaves the memory. Hosts of their own are not
  /// told: they stay.
  void TakeFiles(bool take) const;

  /// A steering request and its answer, both JSON: see DSMCore/Steering/README.md.
  std::string Steer(const std::string& request) const;
  /// The same for "status", on the first rank alone; "" elsewhere.
  std::string PeekSteering(const std::string& request) const;

  /// An array that a simulation has declared.
  struct Array
  {
    dsm::ArrayShape Shape;
    std::string Sent; ///< the SentArray that it has, as text; empty: no viewer has sent it one
  };
  /// Returns what the newest simulation of that name (empty: of any) has declared, connected or
  /// not. Throws Error(Refused) if it has no such array.
  Array FindArray(const std::string& program, const std::string& parameter) const;
  /// Stores an array for a parameter in the hosts' memory. `elements` matter on rank 0: as many
  /// bytes as the shape has, that of the slowest index first. Throws as dsm::StoreFile does.
  dsm::SentArray StoreArray(
    const std::string& parameter, const dsm::ArrayShape& shape, const void* elements) const;
  /// Reads the elements of an array that was sent, on rank 0 alone. Throws Error(Refused) if it has
  /// left the memory.
  std::vector<std::byte> ReadArray(const dsm::SentArray& sent) const;

  /// Returns the ranks that use the server together.
  const dsm::Communicator& Communicator() const { return this->Ranks; }

  /// As dsm::Server::Adjust.
  void Change(const dsm::SettingValues& settings) const;

  /// A program of ours, built or installed together with this plugin; its name alone when it is not
  /// there.
  static std::string Program(const std::string& name);

  /// Bytes that each host can be given while running.
  std::uint64_t Room() const;

  /// A pinned snapshot stays in the ring until it is let go, or Stop.
  void Pin(dsm::SnapshotId number, bool pinned);

private:
  void Begin();
  std::unique_ptr<dsm::ServerAccess> LetGo();
  Status StatusNow() const;
  std::unique_ptr<dsm::ServerAccess> StartSeparate(const dsm::ServerOptions& options);

  dsm::Communicator Ranks;
  const dsm::RestingGroup Group{ this->Ranks };
  bool Running = false; ///< they did before
  std::unique_ptr<dsm::ServerAccess> Self;
  dsm::Server* Own = nullptr;             ///< the same, where these ranks are its hosts
  std::unique_ptr<dsm::DiskWriter> Saver; ///< goes before the server, as does
  std::unique_ptr<dsm::WriteBehind> Behind;
  std::unique_ptr<dsm::Restorer> Restoring; ///< on rank 0
  // On rank 0. After Self: they let go before it ends.
  std::map<dsm::SnapshotId, std::unique_ptr<dsm::SnapshotView>> Pinned;
};

void Describe(dsm::Fields& fields, HostServer::Status& status);
void Describe(dsm::Fields& fields, HostServer::Found& found);
void Describe(dsm::Fields& fields, HostServer::Array& array);
