// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Deadline.h"
#include "Control/Intake.h"
#include "Control/Messages.h"
#include "Mapping/Redistribution.h"
#include "Mpi/Communicator.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dsm
{

class Connection;
class SteeringDesk;

/// What to do when the ring has no room for a new image.
enum class FullRing
{
  DropOldest, ///< the oldest snapshot nobody has open goes, read or not: a simulation never waits
  Block,      ///< only snapshots that were read go: the simulation waits for its viewer
  DropNewest  ///< only snapshots that were read go, and a new one that leaves no room for the next
              ///< goes itself, unseen: what is in the ring comes to be read without gaps
};

struct ServerOptions
{
  std::string ContactFile = "run.dsm";
  Redistribution Map; ///< how files spread over the hosts, until SetMap says otherwise
  /// l: bytes each host lends, for all images in the ring together. 0: a quarter of the node's
  /// available memory, shared by the hosts on it.
  std::uint64_t MemoryPerHost = 0;
  /// Most snapshots kept at once, whatever memory is left.
  std::uint64_t MaximumSnapshots = 64;
  FullRing WhenFull = FullRing::DropOldest;
  Seconds FullRingLimit{ 60 }; ///< the longest a writer waits for room
  /// While it leaves the choice to us ("auto"), the environment may make it: see WithEnvironment.
  TransportChoice Transport;
  Intake Files; ///< which files it wants and when it shows them, until SetIntake says otherwise
  /// A file's size in bytes, until a stream's own files tell it: to touch memory for at Start, and
  /// for strategies that depend on it. 0: unknown.
  std::uint64_t ExpectedFileSize = 0;
};

/// A snapshot that somebody wants written to disk now.
struct SaveOrder
{
  std::uint64_t Ticket = 0;     ///< its steering transaction
  std::string Path;             ///< empty: the writer's choice
  std::string File;             ///< which files are meant, as MatchesPattern has it
  SnapshotDescription Snapshot; ///< held until SaveDone
};

enum class ServerState
{
  Idle,      ///< not started, or stopped
  Listening, ///< no simulation is connected
  Connected, ///< a simulation is connected
  Receiving, ///< an image is being written
  Paused,    ///< a simulation waits because somebody who steers it said so
  ClientLost ///< the last simulation vanished without saying goodbye
};

const char* ServerStateName(ServerState state);

/// A simulation that is connected now.
struct ConnectedWriter : PeerDescription
{
  double Since = 0; ///< seconds since 1970, by the server's clock
};

/// What a server knows of itself at one moment.
struct ServerStatus
{
  ServerState State = ServerState::Idle;
  std::vector<ConnectedWriter> Writers; ///< connected now, those that are only steered as well
  std::vector<std::string> Receiving;   ///< the files being written now
  std::vector<SnapshotDescription> Snapshots; ///< in the ring, oldest first
  std::uint64_t WritersSeen = 0;              ///< since Start
  std::uint64_t SnapshotsSealed = 0;          ///< since Start
  std::uint64_t SnapshotsDropped = 0;         ///< unread ones that went to make room
  std::uint64_t SnapshotsSkipped = 0;         ///< new ones that DropNewest did not take
  std::uint64_t ImagesAbandoned = 0;          ///< begun but never sealed
  std::uint64_t BytesReceived = 0;            ///< since Start, as the writers counted them
  double BlockedSeconds = 0;                  ///< since Start: the slowest ranks' times, added up
  double WaitingSeconds = 0; ///< how long a writer has been waiting for room by now; 0: none does
  std::vector<std::uint64_t> HostBytes;      ///< since Start: put to each host
  std::vector<std::uint64_t> HostMemoryUsed; ///< bytes of each host
  std::uint64_t MemoryUsed = 0;              ///< bytes, all hosts
  std::uint64_t MemoryBudget = 0;            ///< bytes, all hosts
  std::vector<std::string> Transports;       ///< that serve, and how they make progress
  std::string LastError;                     ///< the last thing that went wrong, for people
  double LastErrorAt = 0;                    ///< when: seconds since 1970
  ServerOptions Options;            ///< in force; with the memory and transport that were found
  std::vector<std::string> Pending; ///< what was changed and no file has begun with yet
};

/// The hosts of one distributed shared memory: every rank of a communicator lends a segment, rank 0
/// runs the control channel. After Start the hosts are passive: simulations connect, write and
/// leave without any call here. Several servers may live in one process.
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

  /// Collective: tells the peers, removes the contact file and the memory. Open SnapshotViews on
  /// this process keep their mapping.
  void Stop();

  /// Collective: changes the settings of the running server; rank 0's count. Policy and limit of
  /// the full ring hold at once (as do Files), also for a writer that waits (a longer limit: from
  /// its next file on). Map and transport hold for images that begin from now on, as does more room
  /// for snapshots; of less, what nobody needs goes now and the rest when the next image begins.
  ///
  /// Memory can grow to Room() and back (0: as at Start), snapshots to MaximumRoom() in number. The
  /// contact file stays, and a transport over MPI must have been there at Start. Throws
  /// Error(Usage) and Error(Unsupported), on all ranks together, and then nothing has changed.
  void Adjust(const ServerOptions& options);

  /// What Adjust can give each host, in bytes, and all hosts, in snapshots.
  std::uint64_t Room() const;
  std::uint64_t MaximumRoom() const;

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

  /// Lets a held snapshot go: it counts as read.
  void Release(std::uint64_t number);

  /// How images that begin from now on spread over the hosts; those in the ring stay as they are.
  /// The same as Adjust with no other change, for rank 0 alone. Throws Error(Usage).
  void SetMap(const Redistribution& map);

  /// Which files simulations send here and when they are seen. Simulations hear of it at once: it
  /// counts for files they create, and for flushes, from then on.
  void SetIntake(const Intake& intake);

  /// Whether orders to write snapshots to disk are taken: somebody here carries them out, by
  /// waiting for them and saying what became of each. The wait ends with none when they are no
  /// longer offered. See Archive/DiskWriter.
  void OfferSaving(bool offered);
  std::optional<SaveOrder> WaitForSaveOrder();
  void SaveDone(const SaveOrder& order, const std::string& path, const std::string& failure);

  /// What viewers steer simulations with, while the server runs; null on other ranks.
  SteeringDesk* Steering() const;
  ///@}

private:
  class Implementation;
  std::unique_ptr<Implementation> Self;
};

}
