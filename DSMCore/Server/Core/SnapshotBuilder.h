// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Server/Core/ImageState.h"

#include <cstdint>
#include <optional>

namespace dsm
{

/// Builds the snapshots of images:
///
///     Describe -> (the hosts copy what will change) -> Complete -> Add
class SnapshotBuilder
{
public:
  explicit SnapshotBuilder(ImageState& state);

  /// Describes a snapshot of an image that is a file of `size` bytes, but for its number, step and
  /// time.
  static SnapshotDescription Describe(
    const OpenImage& image, std::uint64_t size, const WriteStatistics& statistics);

  /// Enters the time, and the step: that of the file's name, else how many snapshots its stream had
  /// before. Counts what the writers report.
  void Complete(SnapshotDescription& snapshot, std::optional<double> step, double sealedAt);

  /// Adds a snapshot to the table. Returns its number. `group`: as SealRequest has it.
  SnapshotId Add(SnapshotDescription snapshot, std::uint64_t group);

private:
  ImageState& State;
};

}
