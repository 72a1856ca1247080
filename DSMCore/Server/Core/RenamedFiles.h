// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Server/Core/ReadService.h"
#include "Server/Core/SnapshotEvents.h"

#include <deque>
#include <optional>

namespace dsm
{

/// A queue of the snapshots whose files got another name, for whoever decides by names. They stay
/// in memory until they are given back (ReadService::Release).
class RenamedFiles final : public SnapshotObserver
{
public:
  /// Both must outlive this.
  RenamedFiles(ReadService& reads, const SnapshotTable& snapshots)
    : Reads(reads)
    , Snapshots(snapshots)
  {
  }

  void OnRenamed(const SnapshotRenamed& renamed) override;

  /// Returns the next snapshot up to `last`, as viewers see it now: with all parts if it has some.
  /// Returns nothing if no file of such a snapshot was renamed.
  std::optional<SnapshotDescription> Take(SnapshotId last);

private:
  ReadService& Reads;
  const SnapshotTable& Snapshots;
  std::deque<SnapshotId> Numbers;
};

}
