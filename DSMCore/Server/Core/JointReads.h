// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/StrongType.h"
#include "Server/Core/CoreTime.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dsm
{

/// Which snapshots the ranks of a parallel viewer are reading together. Ranks come to a snapshot in
/// their own time: without this the first to finish would release it before the last has opened it,
/// and where it had gone before the first came, each might get another one instead.
///
/// A joint read is known by its viewer and the number that its ranks want. It begins with the first
/// rank's open, which decides what they get, and holds that until every rank has closed as often as
/// any has opened (a fast one may come again before a slow one came first), or until a limit has
/// passed, since a pipeline may ask only some ranks for data. Not thread safe.
class JointReads
{
public:
  /// `time` must outlive this.
  JointReads(Seconds limit, const CoreTime& time)
    : Limit(limit)
    , Time(time)
  {
  }

  /// What a viewer's ranks get for a number: known from the first rank's open to the end.
  std::optional<SnapshotId> Chosen(SnapshotId wanted, const std::string& viewer) const;

  /// A rank, known by `who`, opens what they get. True when this begins a joint read: the snapshot
  /// is to be held for it.
  bool Opened(SnapshotId wanted, const std::string& viewer, const std::string& who,
    std::uint64_t ranks, SnapshotId snapshot);

  /// A rank closes. When it was the last: the snapshot whose hold ends.
  std::optional<SnapshotId> Closed(
    SnapshotId wanted, const std::string& viewer, const std::string& who);

  /// The snapshots whose joint reads have gone on for too long: their holds end.
  std::vector<SnapshotId> Expired();

  bool IsEmpty() const { return this->Reads.empty(); }

private:
  struct Rank
  {
    std::uint64_t Opened = 0, Closed = 0;
  };

  struct Read
  {
    SnapshotId Snapshot = 0;
    std::uint64_t Ranks = 1;
    std::map<std::string, Rank> Came;
    Clock::time_point Since;

    bool IsOver() const;
  };

  using Key = std::pair<SnapshotId, std::string>;

  const Seconds Limit;
  const CoreTime& Time;
  std::map<Key, Read> Reads;
};

}
