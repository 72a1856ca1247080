// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Server/Core/Evictor.h"
#include "Server/Core/ImageRequests.h"
#include "Server/Core/ImageState.h"
#include "Server/Core/RingReport.h"
#include "Server/Core/SnapshotBuilder.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace dsm
{

/// Publishes images at their flushes.
///
///     Publish -> (the hosts copy) -> Confirm -> a snapshot, while the image is written further
///
/// The snapshot shares the image's bytes. It has copies of the bytes that its writer is likely to
/// change next.
class FlushPublisher
{
public:
  FlushPublisher(
    ImageState& state, Evictor& evictor, SnapshotBuilder& builder, const RingReport& report);

  /// A copy that the hosts are to make, or why a flush is not published. The image is unaffected.
  struct Published
  {
    std::uint64_t Copy = 0; ///< its number; 0: there is none
    SlotWork Copying;
    std::string Skipped;       ///< why
    bool FirstSkipped = false; ///< the first of this image, which is to be logged
  };

  /// Reserves the memory of a flush's copies. Returns nothing if the writer must wait: only if the
  /// policy says so, and if waiting can help, since the file itself is in no danger. Throws
  /// Error(Refused) if no file of the image's address map has that size.
  std::optional<Published> Publish(const PublishRequest& request);

  /// Makes a snapshot of a copy that is complete, since its writer has waited for it. Returns the
  /// snapshot's number. Throws Error(Refused) if the copy was discarded.
  SnapshotId Confirm(ImageId image, std::uint64_t copy, double sealedAt, std::uint64_t group);

  /// Discards the copies of an image that were not confirmed, because its writer has not waited for
  /// them. The hosts may still be copying. They work through their tasks in order, so the slot's
  /// next task is done afterwards.
  void Discard(ImageId image);

  /// Whether a copy still waits to be confirmed.
  bool IsAwaited(std::uint64_t copy) const;

private:
  struct FlushCopy
  {
    ImageId Image = 0;
    SnapshotDescription Snapshot;
  };

  bool IsEnough(const PublishRequest& request, const Ring::Sizes& sizes, const Ring& memory,
    std::uint64_t snapshots) const;
  bool CanWaitingHelp(const PublishRequest& request, const Ring::Sizes& sizes) const;
  CleaningPlan::Copying PutAside(
    const PublishRequest& request, const OpenImage& image, SharedBytes& shared) const;

  ImageState& State;
  Evictor& Evictions;
  SnapshotBuilder& Builder;
  const RingReport& Report;
  std::map<std::uint64_t, FlushCopy> Copies;
  std::uint64_t LastCopy = 0;
};

}
