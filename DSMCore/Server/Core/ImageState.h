// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Memory/Ring.h"
#include "Server/Core/ImageCounters.h"
#include "Server/Core/ImageTable.h"
#include "Server/Core/ServerOptions.h"
#include "Server/Core/SharedSlots.h"
#include "Server/Core/SnapshotTable.h"
#include "Server/Core/StreamTable.h"

#include <cstdint>
#include <map>
#include <string>

namespace dsm
{

/// Settings that may differ from image to image.
struct ImagePolicy
{
  Redistribution Map;
  FullRing WhenFull = FullRing::DropOldest;
  std::uint64_t MaximumSnapshots = 64;
  std::uint64_t ExpectedFileSize = 0; ///< of a stream that has had no file yet; 0: unknown
  std::string Checkpoints = "none";   ///< as SnapshotTable::SetCheckpoints has it
};

/// Copies that the hosts are making for a snapshot.
struct PendingCopies
{
  SnapshotDescription Snapshot; ///< as it will be when all are made
  std::uint64_t Orders = 0;     ///< how many the hosts have not confirmed
};

/// The state that the classes which manage images share. A value: it refers to nothing else.
struct ImageState
{
  Ring Memory;
  ImagePolicy Policy{};
  SharedSlots Sharing{};
  SnapshotTable Snapshots{};
  StreamTable Streams{};
  ImageTable Images{};
  std::map<SnapshotId, PendingCopies> Pending{}; ///< by the snapshots' numbers
  ImageCounters Counters{};
};

}
