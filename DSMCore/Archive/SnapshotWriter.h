// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Archive/FileForm.h"
#include "Archive/StripedFiles.h"
#include "Peer/SnapshotView.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace dsm
{

class Server;

/// Writes a server's snapshots into new files. Where there are several hosts, all of them write at
/// the same time, each what it has in its own memory. This process alone does it, and gets what it
/// does not have through the server's transports,
///
/// - where there is one host, or the snapshot is small;
/// - what a flush has shown: its bytes may move while the simulation goes on, and one that reads
///   them piece by piece reads less of them again;
/// - where a host's machine does not have the folder. That is said once, in the log.
///
/// Where no transport brings the other hosts' memory to this process (they are reached over MPI,
/// which nobody but a simulation joins), the hosts write all.
///
/// To be used on host rank 0, by one thread.
class SnapshotWriter
{
public:
  /// Told how many bytes were written, as they go; what it throws gives the work up.
  using Progress = std::function<void(std::uint64_t)>;

  /// `hosts` must outlive it. None: this process alone.
  explicit SnapshotWriter(Server* hosts)
    : Hosts(hosts)
  {
  }

  /// All bytes, into files that have room for them then. Throws Error(System), and what
  /// SnapshotView::Read throws.
  void Write(const SnapshotView& snapshot, const StripedFiles& files, const Progress& wrote = {});

  /// All files of a snapshot; then the server hears that it is saved. Of one, `path` is its path;
  /// of several, the folder for them, where each has the name that its process gave it. Each
  /// appears whole or not at all. Throws Error(System), when some may be there.
  void Save(const std::shared_ptr<Connection>& server, const SnapshotDescription& snapshot,
    const std::string& path, const FileForm& form = {}, const Progress& wrote = {});

private:
  bool WriteByHosts(const SnapshotView& snapshot, const StripedFiles& files, const Progress& wrote);
  void WriteShares(const SnapshotView& snapshot, WriteShare& share, const Progress& wrote);
  void SaveOne(const SnapshotView& snapshot, const std::string& path, const FileForm& form,
    const Progress& wrote);

  Server* Hosts;
  bool SaidAlone = false;
};

}
