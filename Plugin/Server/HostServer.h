// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Mpi/Communicator.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace dsm
{
class DiskWriter;
class Server;
class SnapshotView;
}

/// A dsm::Server as its hosts use it together. Names no VTK class: see dsm_vtk_module in
/// cmake/DSMParaView.cmake for why.
///
/// Every method is collective over the hosts and ends on all of them alike: what rank 0 finds out
/// it tells the others, and an error of one is thrown on all, as dsm::Error with the same text.
class HostServer
{
public:
  /// As people gave them: what makes no sense is refused when they are to count.
  struct Settings
  {
    std::string ContactFile;
    // Empty, "automatic" or 0: what this machine's defaults file and environment say
    // (dsm::ServerDefaults).
    std::string Strategy;
    std::int64_t BlockSize = 0;
    std::int64_t BlocksPerCycle = 0;
    std::int64_t Seed = 0;
    std::int64_t MemoryPerHost = 0; ///< MiB
    std::int64_t MaximumSnapshots = 0;
    int FullRing = 0; ///< as vtkDSMServer::FullRingPolicy
    double FullRingLimit = 0;
    std::int64_t ExpectedFileSize = 0;
    std::string Transport;      ///< empty or "automatic": this machine's default
    std::string SmallTransport; ///< of transfers below that size; empty or "same": no other
    std::int64_t SmallTransferSize = 0;
    bool PublishOnFlush = false;
    std::string NamePattern; ///< empty: what this machine's environment says

    bool operator==(const Settings&) const = default;
  };

  /// What settings come to on this machine.
  struct Effective
  {
    std::string Strategy;
    std::uint64_t BlockSize = 0;
    std::string Transport;
    std::uint64_t MemoryPerHost = 0; ///< bytes; 0: known at Start
    std::uint64_t MaximumSnapshots = 0;
    int FullRing = 0;
    double FullRingLimit = 0;
  };

  struct Writer
  {
    std::string Program;
    std::uint64_t Ranks = 1;
    std::string Node;
    std::string Mpi;
    double Since = 0; ///< seconds since 1970
  };

  struct Snapshot
  {
    std::uint64_t Number = 0;
    std::string File;
    double Step = 0;
    std::uint64_t FileSize = 0;
    std::uint64_t Bytes = 0;
    double WriteSeconds = 0;
    double BlockedSeconds = 0;
    double SealedAt = 0; ///< seconds since 1970
    bool Pinned = false;
  };

  struct Status
  {
    std::string State = "idle";
    std::string LastError;
    double LastErrorAt = 0;      ///< seconds since 1970
    std::vector<Writer> Writers; ///< those connected now
    std::vector<std::string> Receiving;
    std::vector<std::string> Transports;
    std::vector<std::string> Pending; ///< changes that count from the next file on
    Effective InForce;
    // Counted by the transfers.
    std::vector<std::uint64_t> HostBytes;    ///< of the newest snapshot, put to each host
    std::vector<std::uint64_t> AllHostBytes; ///< since Start
    std::vector<std::uint64_t> HostMemoryUsed;
    std::uint64_t BytesReceived = 0;
    double BlockedSeconds = 0;
    double WaitingSeconds = 0;
    std::uint64_t WritersSeen = 0;
    std::uint64_t SnapshotsSealed = 0;
    std::uint64_t SnapshotsDropped = 0;
    std::uint64_t SnapshotsSkipped = 0;
    std::uint64_t ImagesAbandoned = 0;
    std::uint64_t MemoryUsed = 0;
    std::uint64_t MemoryBudget = 0;
    std::vector<Snapshot> Snapshots;
  };

  struct Found
  {
    std::uint64_t Number = 0; ///< held until Release; 0: none came
    bool Finished = false; ///< no simulation is connected any more, one was, and nothing is newer
    double Waited = 0;     ///< seconds by rank 0's clock
    HostServer::Status Status;
  };

  /// Starts to listen. While a HostServer exists the DSM's driver is the default of this process's
  /// HDF5. MPI_COMM_NULL: this process alone.
  HostServer(MPI_Comm hosts, const Settings& settings);

  /// As Stop, without the collective part.
  ~HostServer();
  HostServer(const HostServer&) = delete;
  HostServer& operator=(const HostServer&) = delete;

  void Stop();

  const std::string& ContactPath() const;
  int NumberOfHosts() const { return this->Hosts.Size(); }

  Status GetStatus() const;
  /// The same for rank 0 alone: no other rank need ask, nothing is joint. Empty on others.
  Status PeekStatus() const;
  Found WaitForSnapshot(std::uint64_t after, bool next, double seconds) const;
  void Release(std::uint64_t number) const;
  void SaveSnapshot(std::uint64_t number, const std::string& path) const;

  /// A steering request and its answer, both JSON: see DSMCore/Steering/README.md.
  std::string Steer(const std::string& request) const;
  /// The same for "status", on the first rank alone; "" elsewhere.
  std::string PeekSteering(const std::string& request) const;

  /// As dsm::Server::Adjust.
  void Change(const Settings& settings) const;

  /// What settings would come to at Start; not collective. May throw.
  static Effective Preview(const Settings& settings);

  /// Bytes that each host can be given while running.
  std::uint64_t Room() const;

  /// A pinned snapshot stays in the ring until it is let go, or Stop.
  void Pin(std::uint64_t number, bool pinned);

private:
  dsm::Communicator Hosts;
  std::unique_ptr<dsm::Server> Self;
  std::unique_ptr<dsm::DiskWriter> Saver; ///< goes before the server
  // On rank 0. After Self: they let go before it ends.
  std::map<std::uint64_t, std::unique_ptr<dsm::SnapshotView>> Pinned;
};
