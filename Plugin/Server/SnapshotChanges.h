// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Protocol/Descriptions.h"

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

/// The list of snapshots with the revision in which each of them changed last. A viewer that polls
/// gets what changed since the revision that it knows, not thousands of snapshots each time.
class SnapshotChanges
{
public:
  /// The changes since a revision.
  struct Changes
  {
    std::uint64_t Revision = 0; ///< of the list as it is now
    std::uint64_t Since = 0;    ///< they are relative to this revision; 0: Snapshots are all
    /// Added or changed, oldest first. The newest of all is always among them.
    std::vector<dsm::SnapshotDescription> Snapshots;
    std::vector<dsm::SnapshotId> Pinned; ///< of these snapshots
    std::vector<dsm::SnapshotId> Saved;  ///< of these snapshots
    std::vector<dsm::SnapshotId> Gone;
  };

  /// Takes the list as it is now, in the order of its numbers.
  void Update(const std::vector<dsm::SnapshotDescription>& snapshots,
    std::vector<dsm::SnapshotId> pinned, std::vector<dsm::SnapshotId> saved);

  /// Returns what changed after a revision. If that revision is not known, such as 0, returns the
  /// whole list.
  Changes After(std::uint64_t revision) const;

private:
  struct Entry
  {
    dsm::SnapshotDescription Snapshot;
    bool Pinned = false;
    bool Saved = false;
    std::uint64_t Revision = 0; ///< in which it became so
  };
  struct Removal
  {
    std::uint64_t Revision = 0;
    dsm::SnapshotId Number = 0;
  };

  void Forget();

  std::map<dsm::SnapshotId, Entry> Entries;
  std::deque<Removal> Removals;
  std::uint64_t Revision = 1;
  std::uint64_t OldestKnown = 1; ///< the removals since then are in Removals
};
