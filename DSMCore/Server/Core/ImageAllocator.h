// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Server/Core/Evictor.h"
#include "Server/Core/GrantSizes.h"
#include "Server/Core/ImageRequests.h"
#include "Server/Core/ImageState.h"
#include "Server/Core/MapChoice.h"
#include "Server/Core/SnapshotReopener.h"

#include <cstdint>
#include <optional>

namespace dsm
{

/// Allocates slots for new images.
class ImageAllocator
{
public:
  ImageAllocator(ImageState& state, Evictor& evictor, MapChoice& maps, const GrantSizes& sizes);

  /// Allocates a slot for an image that begins empty or as a snapshot. An image that continues a
  /// snapshot takes over the snapshot's slot if it may (SnapshotReopener). Otherwise it gets memory
  /// for a copy, and the snapshot is retained until the caller releases it. Returns nothing if the
  /// writer must wait. Throws Error(RingFull) if waiting cannot help.
  std::optional<BeginResult> Begin(const BeginRequest& request);

private:
  std::optional<BeginResult> TryBegin(const BeginRequest& request);
  std::optional<BeginResult> BeginAnew(
    const BeginRequest& request, std::uint64_t expected, const AddressMap& map);
  std::optional<BeginResult> BeginCopy(
    const BeginRequest& request, const SnapshotDescription& source);

  ImageState& State;
  Evictor& Evictions;
  MapChoice& Maps;
  const GrantSizes& Sizes;
  SnapshotReopener Reopener;
};

}
