// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Archive/NewFile.h"
#include "Base/Deadline.h"
#include "Peer/SnapshotView.h"
#include "Tools/Repack/RepackTask.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace dsm::repack
{

/// A snapshot that becomes one or several HDF5 files on disk, written by processes of this program,
/// one for each file, which read it through our driver:
///
///     out.h5                    the master: everything but the values of large datasets, which are
///                               virtual
///     out.h5.part_4711_1_of_2   the first half of each large dataset, in a dataset of its name
///     out.h5.part_4711_2_of_2   the second half
///
/// or all in one. The files have their names only when all are whole; the master's comes last, in
/// place of what had it, whose parts go then. 4711 is its inode, so that parts of two files of one
/// name do not meet. All are nameless before where the file system can do that: whoever is killed
/// when, nothing is left.
class RepackedFile
{
public:
  /// `contact`: the snapshot's server, for the processes; `snapshot` must outlive this. `parts`: 0:
  /// one file with everything. Throws Error(System), also where the disk has less room than the
  /// snapshot needs as it is.
  RepackedFile(const std::string& contact, const SnapshotView& snapshot, std::string path,
    std::uint64_t parts, RepackOptions options);

  /// Fills them. `moved` is told how many bytes of values, as they go, and every few seconds.
  /// Throws Error(System), and Error(TimedOut).
  void Write(const Deadline& deadline, const std::function<void(std::uint64_t)>& moved);

  /// Gives them their names. Throws Error(System); then what had the name is still there.
  void Finish();

private:
  std::string PathOf(std::uint64_t part) const;
  RepackTask TaskFor(std::uint64_t part);
  void Run(const Deadline& deadline, const std::function<void(std::uint64_t)>& moved);
  void CopyUserBlock() const;

  const SnapshotView& Snapshot;
  const std::string Source; ///< its name for HDF5
  const std::string Path;
  const RepackOptions Options;
  std::vector<std::string> Parts;              ///< their names, without the folder
  std::vector<std::unique_ptr<NewFile>> Files; ///< the master or the one file; the parts behind it
};

}
