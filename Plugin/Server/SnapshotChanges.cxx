// SPDX-License-Identifier: BSD-3-Clause
#include "SnapshotChanges.h"

#include <algorithm>

namespace
{
// A viewer that has missed more of them gets the whole list.
constexpr std::size_t MostRemovals = 10000;
}

void SnapshotChanges::Update(const std::vector<dsm::SnapshotDescription>& snapshots,
  std::vector<dsm::SnapshotId> pinned, std::vector<dsm::SnapshotId> saved)
{
  std::ranges::sort(pinned);
  std::ranges::sort(saved);
  const std::uint64_t next = this->Revision + 1;
  bool changed = false;
  auto known = this->Entries.begin();
  const auto remove = [&]
  {
    this->Removals.push_back({ next, known->first });
    known = this->Entries.erase(known);
    changed = true;
  };
  for (const dsm::SnapshotDescription& snapshot : snapshots)
  {
    while (known != this->Entries.end() && known->first < snapshot.Number)
    {
      remove();
    }
    const bool isPinned = std::ranges::binary_search(pinned, snapshot.Number);
    const bool isSaved = std::ranges::binary_search(saved, snapshot.Number);
    if (known == this->Entries.end() || known->first != snapshot.Number)
    {
      known = this->Entries.emplace_hint(known, snapshot.Number, Entry());
    }
    Entry& entry = known->second;
    if (entry.Revision == 0 || entry.Pinned != isPinned || entry.Saved != isSaved ||
      entry.Snapshot != snapshot)
    {
      entry = { snapshot, isPinned, isSaved, next };
      changed = true;
    }
    ++known;
  }
  while (known != this->Entries.end())
  {
    remove();
  }
  this->Revision = changed ? next : this->Revision;
  this->Forget();
}

void SnapshotChanges::Forget()
{
  while (this->Removals.size() > MostRemovals)
  {
    this->OldestKnown = this->Removals.front().Revision;
    this->Removals.pop_front();
  }
}

SnapshotChanges::Changes SnapshotChanges::After(std::uint64_t revision) const
{
  Changes changes;
  changes.Revision = this->Revision;
  const bool isKnown = revision >= this->OldestKnown && revision <= this->Revision;
  changes.Since = isKnown ? revision : 0;
  for (const auto& [number, entry] : this->Entries)
  {
    const bool isNewest = number == this->Entries.rbegin()->first;
    if (entry.Revision <= changes.Since && !isNewest)
    {
      continue;
    }
    changes.Snapshots.push_back(entry.Snapshot);
    if (!isNewest)
    {
      // With many hosts these are most of the text, and viewers show only those of the newest.
      changes.Snapshots.back().Statistics.HostBytes.clear();
    }
    if (entry.Pinned)
    {
      changes.Pinned.push_back(number);
    }
    if (entry.Saved)
    {
      changes.Saved.push_back(number);
    }
  }
  for (const Removal& removal : this->Removals)
  {
    // The next server gives the same numbers again.
    if (isKnown && removal.Revision > revision && !this->Entries.contains(removal.Number))
    {
      changes.Gone.push_back(removal.Number);
    }
  }
  return changes;
}
