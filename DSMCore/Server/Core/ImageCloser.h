// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Server/Core/Evictor.h"
#include "Server/Core/FlushPublisher.h"
#include "Server/Core/ImageRequests.h"
#include "Server/Core/ImageState.h"
#include "Server/Core/SnapshotBuilder.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dsm
{

/// Closes images:
///
///     Seal     the image becomes a snapshot
///     Finish   its last flush shows all there is, or it had nothing to show
///     Drop     its writer was lost, or discards it
///     Undo     it could not be granted, and nobody has written to it
///     Disown   its writer was lost, and what it has flushed is to be kept; then Seal
class ImageCloser
{
public:
  ImageCloser(
    ImageState& state, Evictor& evictor, SnapshotBuilder& builder, FlushPublisher& publisher);

  struct Sealed
  {
    SnapshotId Number = 0; ///< of the snapshot; 0: not kept (FullRing::DropNewest)
    std::vector<SlotWork> Clearing;
  };

  /// Makes an image a snapshot. If the image began as a copy of a hidden snapshot, it replaces that
  /// one. Throws Error(Refused) if no file of the image's address map has that size: the image
  /// stays as it was.
  Sealed Seal(const SealRequest& request);

  /// Takes an image away from its writer, which was lost, and keeps the first `size` bytes of the
  /// file: nobody may write there any more. When the hosts have done what this returns, it can be
  /// sealed. Throws Error(PeerLost) if there is no such image.
  SlotWork Disown(ImageId image, std::uint64_t size);

  /// Ends an image without a snapshot of its own.
  std::vector<SlotWork> Finish(ImageId image, std::uint64_t reach);

  /// Ends an image that nobody has been granted. The snapshot that it began as may be continued by
  /// another image.
  SlotWork Undo(ImageId image);

  /// Ends an image that is lost. Later requests about it are told why. Does nothing if there is no
  /// such image. `changed`: its writer went on without the server, so the snapshots that share its
  /// bytes are evicted.
  std::vector<SlotWork> Drop(ImageId image, const std::string& why, bool changed);

private:
  ImageState& State;
  Evictor& Evictions;
  SnapshotBuilder& Builder;
  FlushPublisher& Publisher;
};

}
