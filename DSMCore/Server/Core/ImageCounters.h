// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

namespace dsm
{

/// What a server has counted of images and snapshots since Start.
struct ImageCounters
{
  std::uint64_t SnapshotsSealed = 0;
  std::uint64_t SnapshotsDropped = 0;   ///< unread ones that went to make room
  std::uint64_t SnapshotsSkipped = 0;   ///< new ones that FullRing::DropNewest did not take
  std::uint64_t ImagesAbandoned = 0;    ///< begun but never sealed
  std::uint64_t BytesReceived = 0;      ///< as the writers counted them
  double BlockedSeconds = 0;            ///< the slowest ranks' times, added up
  std::vector<std::uint64_t> HostBytes; ///< put to each host
};

}
