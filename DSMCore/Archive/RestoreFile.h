// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Peer/Connection.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace dsm
{

/// How far a file is: bytes that are in memory, of so many. What it throws ends that.
using RestoreProgress = std::function<void(std::uint64_t bytes, std::uint64_t size)>;

/// Makes a file on disk a snapshot of a server, and returns its number. The file is a plain one, or
/// the stub of one in subfiles; `name` is that by which programs open it, and empty its own. There
/// it gets a placeholder, as a simulation's file would, unless the file itself stands there, which
/// programs read then. `contents`: the file that has its bytes, where that is not itself: what was
/// made of a master over parts beside it (Tools/Repack), which by itself has not all its values and
/// is refused. Not collective, and calls neither MPI nor HDF5. Throws Error(System) when the file
/// cannot be read, Error(Usage) when it has no byte, not all its values, or another file has the
/// name, Error(RingFull) when the server does not keep it, and as WritableImage::Begin does; then
/// nothing is left of it.
SnapshotId RestoreFile(const std::shared_ptr<Connection>& server, const std::string& path,
  const std::string& name, const RestoreProgress& progress = {}, const std::string& contents = {});

}
