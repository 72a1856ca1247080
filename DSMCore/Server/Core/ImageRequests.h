// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Mapping/ByteRange.h"
#include "Protocol/Descriptions.h"
#include "Server/Core/SlotWork.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dsm
{

/// A writer's request for a new image.
struct BeginRequest
{
  std::string Owner{}; ///< who writes the image, as the caller names it
  std::string FileName{};
  /// The number of the snapshot that the image begins as; none: it begins empty.
  std::optional<SnapshotId> Source{};
  std::uint64_t Key = 0;   ///< a secret that the image's writers share
  bool HasOthers = false;  ///< the image joins a snapshot that is counted already
  bool Clears = false;     ///< its writers clear what the slot held before
  std::uint64_t Ranks = 1; ///< how many ranks write the image
  bool MayOutgrow = false; ///< without room in memory, the image continues on the hosts' disks
};

/// The image that a BeginRequest got.
struct BeginResult
{
  ImageId Image = 0;
  SlotWork BeforeWriting;
  /// The source, if the image is a copy of it. It is retained, and the caller releases it.
  std::optional<SnapshotDescription> Source;
  /// The source as it is now, if the image took its slot.
  std::optional<SnapshotDescription> Moved;
};

/// A writer's request to publish an image at a flush.
struct PublishRequest
{
  ImageId Image = 0;
  std::uint64_t Size = 0;                         ///< bytes of the file
  std::vector<std::vector<ByteRange>> Changing{}; ///< bytes of the slot, for each host, to copy
  WriteStatistics Statistics{};
  bool HasOthers = false; ///< as BeginRequest has it
};

/// A writer's request to make an image a snapshot.
struct SealRequest
{
  ImageId Image = 0;
  std::uint64_t Size = 0;  ///< bytes of the file
  std::uint64_t Reach = 0; ///< bytes from the file's beginning that the writers touched
  WriteStatistics Statistics{};
  double SealedAt = 0;        ///< seconds since 1970
  std::uint64_t Group = 0;    ///< the group that the snapshot joins (SnapshotTable::Add); 0: none
  bool MayKeepOnDisk = false; ///< it is kept even if the policy drops new snapshots
};

}
