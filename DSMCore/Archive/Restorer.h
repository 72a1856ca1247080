// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Encoding/Fields.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace dsm
{

/// A file that is brought back from disk, or was.
struct RestoredFile
{
  std::string Path;
  std::uint64_t Bytes = 0; ///< in memory, of
  std::uint64_t FileSize = 0;
  SnapshotId Number = 0; ///< of the snapshot that it is by now; 0: it is none yet
  std::string Failure;   ///< why it will be none; empty: it may be one

  bool HasEnded() const { return this->Number != 0 || !this->Failure.empty(); }
};

void Describe(Fields& fields, RestoredFile& file);

/// Makes files on disk snapshots of a server (RestoreFile) while the program goes on that it
/// belongs to: in a thread, one file at a time. It writes through a link of its own and makes no
/// MPI call, so hosts on other nodes must be reachable over libfabric. Thread safe.
class Restorer
{
public:
  /// Of the server with that contact file.
  explicit Restorer(const std::string& contact);

  /// What is not whole comes to nothing. Waits for a few seconds at most, also where the disk
  /// hangs.
  ~Restorer();
  Restorer(const Restorer&) = delete;
  Restorer& operator=(const Restorer&) = delete;

  /// Begins with one. To be called where HDF5 may be. Throws Error(Usage) while another is not
  /// done.
  void Begin(const std::string& path, const std::string& name);

  /// The one that was begun last; none: none was.
  std::optional<RestoredFile> Last() const;

private:
  struct State;
  std::shared_ptr<State> Self;
};

}
