// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Protocol/Descriptions.h"

#include <cstdint>
#include <map>
#include <string>

namespace dsm
{

/// Which snapshots are to be on disk as well. Counts what it is asked about, so each snapshot is to
/// be asked about once. Decides only: no disk, no lock.
class KeepRule
{
public:
  /// "all"; "every 5": of each stream the first, and every fifth from there; else shell patterns of
  /// names, with ':' between them. Throws Error(Usage) for nothing, and for "every" without a
  /// number above 0.
  static KeepRule FromText(const std::string& text);

  /// Whether it keeps a snapshot, the next of its stream.
  bool Keeps(const SnapshotDescription& snapshot);

private:
  std::string Pattern = "*";
  std::uint64_t Interval = 1;
  std::map<std::string, std::uint64_t> Seen; ///< of each stream
};

}
