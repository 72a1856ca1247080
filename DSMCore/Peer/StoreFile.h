// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/StrongType.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace dsm
{

class Connection;

/// Bytes of a file that begin at an address.
struct FilePiece
{
  FileOffset Address = 0;
  const void* Data = nullptr;
  std::uint64_t Size = 0;
};

/// Stores a file of `size` bytes in the hosts' memory, by this process alone, and returns the
/// number of its snapshot. Its bytes are the pieces, and zero elsewhere. Throws Error(RingFull) if
/// the server does not keep it, and as WritableImage does.
SnapshotId StoreFile(const std::shared_ptr<Connection>& server, const std::string& name,
  std::span<const FilePiece> pieces, std::uint64_t size);

}
