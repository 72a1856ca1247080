// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/BoundedMap.h"
#include "Base/FileMark.h"
#include "Base/StrongType.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace dsm
{

/// A file that is about to be put on disk under a simulation's name.
struct FilePut
{
  FileMark Mark;
  std::string Identity{}; ///< its FileIdentity
  std::string Replaced{}; ///< the FileIdentity of the file whose place it takes; empty: of none
};

/// A table of the files that a server has put on disk under the simulations' names, by what each
/// was then (FileMark): so it is known of a file whether it still is the server's, though it was
/// renamed. Knows the last 65536. Not thread safe.
class WrittenFiles
{
public:
  struct File
  {
    SnapshotId Snapshot = 0; ///< whose bytes it has
    SnapshotId Family = 0;
    std::string Stream;
  };

  void Enter(const FileMark& mark, File file);
  /// Enters a file that is not recognised later.
  void EnterWhole(SnapshotId snapshot, SnapshotId family);

  /// Null where it is none of them, or was changed.
  const File* Find(const FileMark& mark) const;

  /// The newest snapshot of a family whose file was put on disk; 0: none was.
  SnapshotId WrittenOf(SnapshotId family) const;

private:
  // Two hundred bytes for each file.
  static constexpr std::size_t MostFiles = 65536;
  BoundedMap<FileMark, File> Files{ MostFiles };
  std::map<SnapshotId, SnapshotId> Written; ///< by family
};

}
