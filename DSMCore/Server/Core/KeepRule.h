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
  /// "all"; "none"; "every 5": of each stream the first, and every fifth from there; else shell
  /// patterns of names, with ':' between them. Throws Error(Usage) for nothing, and for "every"
  /// without a number above 0.
  static KeepRule FromText(const std::string& text);

  /// Whether it keeps a snapshot, the next of its stream.
  bool Keeps(const SnapshotDescription& snapshot);

  /// Whether it may keep snapshots of a file, whatever it has counted.
  bool MayKeep(const std::string& fileName, const std::string& stream) const;

  /// Whether it counts the snapshots of each stream; and counts them from the first one again.
  bool CountsStreams() const { return this->Interval > 1; }
  void Restart() { this->Seen.clear(); }

  /// Whether it keeps nothing at all.
  bool IsNone() const { return this->Interval == 0; }

private:
  std::string Pattern = "*";
  std::uint64_t Interval = 1;                ///< 0: none
  std::map<std::string, std::uint64_t> Seen; ///< of each stream
};

}
