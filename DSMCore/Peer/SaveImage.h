// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Mpi/Communicator.h"
#include "Peer/WritableImage.h"

#include <cstdint>

namespace dsm
{

/// Collective over the image's ranks. Writes the image's first `fileSize` bytes to disk, as the
/// file whose name it has, without the server that lent its memory: each rank writes a share of
/// what it maps. The file has its name when it is complete.
///
/// All ranks must have flushed. Throws the same on all: Error(Unsupported) where a rank does not
/// map the memory, Error(System) when the disk does not take it, Error(PeerLost) when the server
/// has given the memory to others meanwhile.
void SaveImage(const Communicator& ranks, const WritableImage& image, std::uint64_t fileSize);

}
