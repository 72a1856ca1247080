// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/JointReads.h"

#include <algorithm>

namespace dsm
{

bool JointReads::Read::IsOver() const
{
  std::uint64_t most = 0;
  for (const auto& [who, rank] : this->Came)
  {
    most = std::max(most, rank.Opened);
  }
  return this->Came.size() >= this->Ranks &&
    std::all_of(this->Came.begin(), this->Came.end(),
      [most](const auto& rank) { return rank.second.Closed == most; });
}

std::optional<SnapshotId> JointReads::Chosen(SnapshotId wanted, const std::string& viewer) const
{
  const auto read = this->Reads.find({ wanted, viewer });
  return read == this->Reads.end() ? std::nullopt : std::optional(read->second.Snapshot);
}

bool JointReads::Opened(SnapshotId wanted, const std::string& viewer, const std::string& who,
  std::uint64_t ranks, SnapshotId snapshot)
{
  const auto [read, isNew] = this->Reads.try_emplace({ wanted, viewer });
  if (isNew)
  {
    read->second.Snapshot = snapshot;
    read->second.Ranks = ranks;
    read->second.Since = this->Time.Now;
  }
  ++read->second.Came[who].Opened;
  return isNew;
}

std::optional<SnapshotId> JointReads::Closed(
  SnapshotId wanted, const std::string& viewer, const std::string& who)
{
  const auto read = this->Reads.find({ wanted, viewer });
  if (read == this->Reads.end() || !read->second.Came.contains(who))
  {
    return std::nullopt; // over already: it took too long
  }
  Rank& rank = read->second.Came[who];
  rank.Closed = std::min(rank.Closed + 1, rank.Opened);
  if (!read->second.IsOver())
  {
    return std::nullopt;
  }
  const SnapshotId snapshot = read->second.Snapshot;
  this->Reads.erase(read);
  return snapshot;
}

std::vector<SnapshotId> JointReads::Expired()
{
  std::vector<SnapshotId> ended;
  for (auto read = this->Reads.begin(); read != this->Reads.end();)
  {
    if (this->Time.Now - read->second.Since >= this->Limit)
    {
      ended.push_back(read->second.Snapshot);
      read = this->Reads.erase(read);
    }
    else
    {
      ++read;
    }
  }
  return ended;
}

}
