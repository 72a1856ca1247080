// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Protocol/Descriptions.h"
#include "Server/Core/ImageCounters.h"
#include "Server/Core/RunTable.h"
#include "Server/Core/SaveOrders.h"
#include "Server/Core/ServerOptions.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dsm
{

enum class ServerState
{
  Idle,       ///< not started, or stopped
  Listening,  ///< no simulation is connected
  Connected,  ///< a simulation is connected
  Receiving,  ///< an image is being written
  Paused,     ///< a simulation waits because a viewer paused it
  ClientLost, ///< the last simulation's connection was lost
  HostsLost   ///< the hosts' processes, which are not this program's, cannot be reached
};

/// "idle", …; the inverse throws Error(Refused).
const char* ServerStateName(ServerState state);
ServerState ServerStateFromName(const std::string& name);

/// A simulation that is connected now.
struct ConnectedWriter : PeerDescription
{
  double Since = 0;      ///< seconds since 1970, by the server's clock
  std::uint64_t Run = 0; ///< that it writes, as SnapshotDescription has it; 0: nothing yet
};

/// A snapshot that is being written to disk.
struct FileBeingSaved
{
  SnapshotId Number = 0;
  std::string FileName;       ///< as the simulation named it
  std::uint64_t FileSize = 0; ///< bytes, of all its parts
  std::uint64_t Bytes = 0;    ///< that are written
};

/// What a server knows of itself at one moment.
struct ServerStatus : ImageCounters
{
  ServerState State = ServerState::Idle;
  std::vector<ConnectedWriter> Writers; ///< connected now, those that are only steered as well
  std::vector<std::string> Receiving;   ///< the files being written now
  std::vector<SnapshotDescription> Snapshots; ///< in the ring, oldest first
  /// Those of the snapshots and of the simulations that are connected, and those that they began
  /// from.
  std::vector<RunDescription> Runs;
  std::vector<SnapshotId> Saved; ///< of them, those that are on disk as well
  /// Files that are to be on disk as well, under their own names (ServerOptions::AlsoOnDisk), and
  /// are not there yet: how many and of how many bytes; why some could not be written, empty when
  /// none failed; and how many have left the memory without it.
  std::uint64_t WaitingForDisk = 0;
  std::uint64_t WaitingForDiskBytes = 0;
  std::string DiskTrouble;
  std::uint64_t NeverOnDisk = 0;
  std::vector<StandingOrder> Standing;     ///< for snapshots that are written to disk
  std::optional<FileBeingSaved> SavingNow; ///< by an order, standing or not
  std::uint64_t WritersSeen = 0;           ///< since Start
  std::uint64_t Viewers = 0; ///< programs that show this from outside now, guests not counted
  double WaitingSeconds = 0; ///< how long a writer has been waiting for room by now; 0: none does
  std::vector<std::uint64_t> HostMemoryUsed; ///< bytes of each host
  std::uint64_t MemoryUsed = 0;              ///< bytes, all hosts
  std::uint64_t MemoryBudget = 0;            ///< bytes, all hosts
  std::uint64_t OutgrownBytes = 0; ///< on the hosts' disks, of files that do not fit memory
  std::uint64_t MemoryReady = 0;   ///< bytes, all hosts: that no file uses, made ready for the next
  std::vector<std::string> Transports; ///< that serve, and how they make progress
  std::string LastError;               ///< the last thing that went wrong, for people
  double LastErrorAt = 0;              ///< when: seconds since 1970
  ServerOptions Options;               ///< in force; with the memory and transport that were found
  std::vector<std::string> Pending;    ///< what was changed and no file has begun with yet

  /// Its number; 0: there is none.
  SnapshotId NewestSnapshot() const
  {
    return this->Snapshots.empty() ? SnapshotId(0) : this->Snapshots.back().Number;
  }
};

void Describe(Fields&, ConnectedWriter&);
void Describe(Fields&, FileBeingSaved&);
void Describe(Fields&, ServerStatus&);

}
