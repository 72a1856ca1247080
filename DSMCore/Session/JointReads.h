// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Deadline.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace dsm
{

/// Which snapshots the ranks of a parallel viewer are reading together. Ranks come to a snapshot in
/// their own time: without this the first to finish would let it go before the last has opened it.
/// A joint read holds the snapshot from the first rank's open until every rank has closed it, or
/// until a limit has passed, since a pipeline may ask only some ranks for data. Not thread safe.
class JointReads
{
public:
  explicit JointReads(Seconds limit)
    : Limit(limit)
  {
  }

  /// A rank opens. True when this begins a joint read: the snapshot is to be held for it.
  bool Opened(std::uint64_t snapshot, const std::string& viewer, std::uint64_t ranks);

  /// A rank, known by `who`, closes. True when it was the last: the hold ends.
  bool Closed(std::uint64_t snapshot, const std::string& viewer, const std::string& who);

  /// The snapshots whose joint reads have gone on for too long: their holds end.
  std::vector<std::uint64_t> Expired();

  bool IsEmpty() const { return this->Reads.empty(); }

private:
  struct Read
  {
    std::uint64_t Ranks = 1;
    std::set<std::string> Done;
    Deadline Until{ Seconds(0) };
  };

  Seconds Limit;
  std::map<std::pair<std::uint64_t, std::string>, Read> Reads;
};

}
