// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Mpi/Communicator.h"
#include "Peer/WritableImage.h"

#include <cstdint>

namespace dsm
{

/// How SaveImage gets the bytes of an image.
enum class BytesFrom
{
  OwnMemory, ///< without the server that lent the memory: each rank must map it
  Hosts      ///< also by the transport: the server must be there
};

/// Collective over the image's ranks. Writes the image's first `fileSize` bytes to disk, as the
/// file whose name it has: each rank writes a share. The file has its name when it is complete.
///
/// All ranks must have flushed. Throws the same on all: Error(Unsupported) where a rank does not
/// map the memory that it needs, Error(System) when the disk does not take it, Error(PeerLost) when
/// the server has given the memory to others meanwhile.
void SaveImage(
  const Communicator& ranks, WritableImage& image, std::uint64_t fileSize, BytesFrom source);

}
