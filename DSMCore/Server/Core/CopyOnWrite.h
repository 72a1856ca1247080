// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Mapping/ByteRange.h"
#include "Server/Core/Evictor.h"
#include "Server/Core/ImageState.h"
#include "Server/Core/SlotWork.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace dsm
{

/// Preserves the bytes that snapshots share with an image before its writer changes them:
///
///     Preserve -> (the hosts copy) -> Confirm, or Revoke if they could not -> the writer changes
class CopyOnWrite
{
public:
  CopyOnWrite(ImageState& state, Evictor& evictor);

  /// Copies that a snapshot gets.
  struct SnapshotCopy
  {
    SnapshotDescription Snapshot; ///< as it will be
    SlotWork Copying;
  };

  /// The work of the hosts before bytes change.
  struct Preservation
  {
    bool Complete = true; ///< false: the writer must wait, and ask again for the rest
    std::vector<SnapshotCopy> Snapshots;
    SlotWork Telling; ///< for readers of snapshots that were evicted
  };

  /// Orders copies for the snapshots that share bytes of an image's slot on a host. If there is no
  /// room for a copy, snapshots are evicted. First those leave that may leave for any other memory,
  /// then those that would need the copies, unless the policy lets writers wait.
  Preservation Preserve(ImageId image, HostIndex host, ByteRange bytes);

  /// Notes that the hosts have made a snapshot's copies.
  void Confirm(const SnapshotDescription& snapshot);

  /// Evicts a snapshot whose copies the hosts could not make, even if somebody reads it. Nobody may
  /// change its bytes before all hosts have done the returned work.
  SlotWork Revoke(SnapshotId snapshot);

private:
  const SnapshotDescription& Latest(const SnapshotDescription& snapshot) const;
  std::vector<SnapshotId> WithoutCopies(
    const OpenImage& image, HostIndex host, ByteRange bytes) const;
  std::optional<SnapshotCopy> Copy(
    const SnapshotDescription& snapshot, HostIndex host, ByteRange bytes);

  ImageState& State;
  Evictor& Evictions;
};

}
