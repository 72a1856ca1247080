// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Archive/StripedFiles.h"
#include "Peer/SnapshotView.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace dsm
{

/// Writes all bytes of a snapshot, by this process, into files that have room for them then.
/// `wrote` is told how many, as they go. Throws Error(System), and what SnapshotView::Read throws.
void CopySnapshot(const SnapshotView& snapshot, const StripedFiles& files,
  const std::function<void(std::uint64_t)>& wrote = {});

/// Writes a snapshot byte by byte, by this process, to a plain HDF5 file. The file appears under
/// `path` whole or not at all (it is written beside it and renamed). Throws Error(System). Not
/// collective.
void SaveSnapshot(const SnapshotView& snapshot, const std::string& path);

/// Calls `save` for each part of a snapshot in several files, with the part's path in a folder
/// (archivepath::PartsIn). The part's folder exists then. Throws Error(System), and what `save`
/// throws.
void SaveParts(const std::shared_ptr<Connection>& server, const SnapshotDescription& snapshot,
  const std::string& folder,
  const std::function<void(const SnapshotView& part, const std::string& path)>& save);

}
