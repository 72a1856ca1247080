// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Server/Core/Evictor.h"
#include "Server/Core/GrantSizes.h"
#include "Server/Core/ImageRequests.h"
#include "Server/Core/ImageState.h"
#include "Server/Core/MapChoice.h"

#include <cstdint>
#include <optional>

namespace dsm
{

/// Begins images in the slots of the snapshots that they continue.
///
/// The image takes over the snapshot's slot. The snapshot gets a slot of its own for the bytes that
/// will change, and shares the others with the image:
///
///     before   slot 3  [snapshot 7: a b c d]
///     after    slot 3  [image 8:    a b'c d]     slot 5  [snapshot 7: b]
///
/// Slot 3 then has another generation. A reader that found the snapshot there without asking sees
/// that, and asks.
class SnapshotReopener
{
public:
  SnapshotReopener(
    ImageState& state, Evictor& evictor, const MapChoice& maps, const GrantSizes& sizes);

  /// Whether an image may take over the slot of its source. It may not if somebody reads the
  /// snapshot, or it stays as a checkpoint; nor if the slot has anything else than the snapshot,
  /// since another image has it or had it, or older snapshots have bytes behind the snapshot's end.
  bool MayReopen(const BeginRequest& request, const SnapshotDescription& source) const;

  /// Begins the image. Returns nothing if there is no room.
  std::optional<BeginResult> Reopen(const BeginRequest& request, const SnapshotDescription& source);

private:
  bool MakeRoom(const BeginRequest& request, const SnapshotDescription& source);
  SnapshotDescription Share(
    SnapshotDescription snapshot, std::uint64_t generation, CleaningPlan& plan);

  ImageState& State;
  Evictor& Evictions;
  const MapChoice& Maps;
  const GrantSizes& Sizes;
};

}
