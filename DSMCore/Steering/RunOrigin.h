// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Encoding/Fields.h"

#include <cstdint>
#include <string>

namespace dsm
{

/// The snapshot of another run that a run began from: the last one that its program had opened when
/// it began its first file. A simulation that starts from a checkpoint reads it before it writes
/// anything; so does a program that only computes something of it.
struct RunOrigin
{
  std::uint64_t Run = 0; ///< whose snapshot it is
  std::string Program;   ///< that wrote it
  std::string Stream;    ///< as SnapshotDescription has it; so the next ones
  SnapshotId Snapshot = 0;
  std::string FileName;
  double Step = 0;
  double SealedAt = 0;

  bool operator==(const RunOrigin&) const = default;
};

void Describe(Fields&, RunOrigin&);

}
