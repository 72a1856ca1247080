// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Session/Connection.h"
#include "Session/WritableImage.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace dsm
{

/// What others do while a file is brought back; each may be empty.
struct RestoreSteps
{
  /// The image has begun: what stands on disk under its name can be noted.
  std::function<void(WritableImage& image)> Begun;
  /// So many bytes more are in memory.
  std::function<void(std::uint64_t bytes)> Read;
  /// It is a snapshot, of which nobody has heard yet.
  std::function<void(const WritableImage& image)> Sealed;
};

/// Makes a file on disk a snapshot of a server, under a name (AbsoluteName). The file is a plain
/// one, or the stub of one in subfiles. Returns the snapshot's number; 0: the server does not keep
/// it, since its ring is full (FullRing::DropNewest). Not collective; makes no MPI call. Throws
/// Error(System) when the file cannot be read, Error(Usage) when it has no byte, and as
/// WritableImage::Begin does.
std::uint64_t RestoreFile(const std::shared_ptr<Connection>& server, const std::string& path,
  const std::string& name, const RestoreSteps& steps = {});

}
