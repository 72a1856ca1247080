// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Archive/NewFile.h"
#include "Session/SnapshotView.h"

#include <cstdint>
#include <functional>
#include <string>

namespace dsm
{

/// The path of a snapshot that is saved in a folder: there, by its file's own name.
std::string PlaceIn(const std::string& folder, const SnapshotDescription& snapshot);

/// Writes all files of a snapshot, and tells the server that it is saved: of one, `path` is its
/// path; of several, the folder for them, where each has the name that its process gave it. Throws
/// Error(System), when some may be written.
void SaveSnapshot(const std::shared_ptr<Connection>& server, const SnapshotDescription& snapshot,
  const std::string& path);

/// Writes all bytes of a snapshot into a file, which has room for them then. `wrote` is told how
/// many, as they go. Throws Error(System), and what SnapshotView::Read throws.
void CopySnapshot(const SnapshotView& snapshot, const NewFile& file,
  const std::function<void(std::uint64_t)>& wrote = {});

/// Writes a snapshot byte by byte to a plain HDF5 file. The file appears under `path` whole or not
/// at all (it is written beside it and renamed). Throws Error(System). Not collective.
void SaveSnapshot(const SnapshotView& snapshot, const std::string& path);

}
