// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Peer/SlotFence.h"
#include "Protocol/Descriptions.h"
#include "Transport/Transport.h"

#include <cstdint>
#include <memory>

namespace dsm
{

/// Whether a snapshot's bytes are still what and where its description says: behind what was read
/// of them. Its slot must be its own (SlotFence); and where it shares the bytes of an image that is
/// being written, the writer must not have gone on without asking the server, which it does when
/// that is lost (SlotEnding::GoAlone). Not thread safe, as the transport is not.
class SnapshotFence
{
public:
  SnapshotFence() = default;
  SnapshotFence(std::shared_ptr<Transport> route, const ServerDescription& server,
    const SnapshotDescription& snapshot);

  /// Whether what a host has is as described.
  bool Holds(HostIndex host) const { return this->Own.Holds(host); }

  /// True when asking a host costs no more than a load from memory.
  bool IsMapped(HostIndex host) const { return this->Own.IsMapped(host); }

  /// Whether nobody has changed what is shared.
  bool IsIntact() const;

private:
  SlotFence Own;
  std::shared_ptr<Transport> Route;
  bool Shared = false;
  std::uint64_t Ending = 0;     ///< where that of the image is, in the memory of host 0
  std::uint64_t Generation = 0; ///< of the image's slot
};

}
