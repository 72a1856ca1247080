// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Encoding/Fields.h"

#include <cstdint>

namespace dsm
{

/// Counts of snapshots, when one was found for a viewer that goes from one to the next.
struct SnapshotCounts
{
  std::uint64_t InMemory = 0; ///< that viewers could see
  /// Newer than the last one of this viewer and older than the one that was found, and gone.
  std::uint64_t Missed = 0;
};

inline void Describe(Fields& fields, SnapshotCounts& counts)
{
  fields("InMemory", counts.InMemory);
  fields("Missed", counts.Missed);
}

}
