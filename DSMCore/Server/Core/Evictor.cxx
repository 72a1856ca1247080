// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/Evictor.h"

#include "Base/Error.h"

#include <algorithm>
#include <utility>

namespace dsm
{

Evictor::Evictor(ImageState& state, SlotSignals* slots)
  : State(state)
  , Slots(slots)
{
}

bool Evictor::KeepsUnread() const
{
  return this->State.Policy.WhenFull != FullRing::DropOldest;
}

std::vector<SnapshotId> Evictor::Evictable(bool unreadToo)
{
  const SnapshotTable& table = this->State.Snapshots;
  if (!this->Slots)
  {
    return table.Evictable(unreadToo);
  }
  if (!std::exchange(this->IsClosed, true))
  {
    this->Slots->CloseToReaders();
  }
  return table.Evictable(unreadToo,
    [this](const SnapshotDescription& snapshot)
    {
      const bool isRead =
        this->Slots->HasReaders(snapshot.Shared ? snapshot.Shared->Slot : snapshot.Slot);
      this->IsHindered = this->IsHindered || isRead;
      return isRead;
    });
}

void Evictor::OpenToReaders()
{
  if (std::exchange(this->IsClosed, false))
  {
    this->Slots->OpenToReaders();
  }
}

std::vector<SnapshotId> Evictor::Candidates()
{
  const SnapshotTable& table = this->State.Snapshots;
  auto candidates = this->Evictable(!this->KeepsUnread());
  if (this->State.Policy.WhenFull == FullRing::DropNewest)
  {
    auto unread = this->Evictable(true);
    std::erase_if(unread, [&](SnapshotId number) { return table.WasRead(number); });
    candidates.insert(candidates.end(), unread.rbegin(), unread.rend());
  }
  return candidates;
}

Ring Evictor::MemoryWithout(const std::vector<SnapshotId>& snapshots) const
{
  Ring memory = this->State.Memory;
  SharedSlots sharing = this->State.Sharing;
  for (const SnapshotId number : snapshots)
  {
    sharing.Free(memory, *this->State.Snapshots.Find(number));
  }
  return memory;
}

bool Evictor::MakeRoom(const Enough& enough)
{
  const Ring& memory = this->State.Memory;
  const SnapshotTable& table = this->State.Snapshots;
  if (enough(memory, table.Count()))
  {
    return true;
  }
  const auto candidates = this->Candidates();
  // If only the number of snapshots is too high, the ring need not be copied to find that out.
  const bool oneIsEnough =
    !candidates.empty() && enough(memory, table.Count({ candidates.front() }));
  if (!oneIsEnough && !enough(this->MemoryWithout(candidates), table.Count(candidates)))
  {
    return false;
  }
  for (const SnapshotId number : candidates)
  {
    this->Evict(number);
    if (enough(memory, table.Count()))
    {
      break;
    }
  }
  return true;
}

// The text is the same for all files, so that a program reports it once.
void Evictor::RequireMemory()
{
  if (this->State.Memory.IsLimited() && this->State.Images.All().empty() &&
    this->Candidates().size() == this->State.Snapshots.Size())
  {
    throw Error(Fault::RingFull,
      "the DSM server's hosts cannot get the memory that they share: their nodes or jobs have no "
      "more. Raise the limit of the hosts' job, or write less per file");
  }
}

bool Evictor::EvictAhead()
{
  const SnapshotTable& table = this->State.Snapshots;
  // Spared snapshots stand behind the others.
  const auto isNone = [&](const std::vector<SnapshotId>& numbers)
  { return numbers.empty() || table.IsSpared(numbers.front()); };
  auto numbers = this->Evictable(false);
  if (isNone(numbers) && !this->KeepsUnread())
  {
    numbers = this->Evictable(true);
  }
  if (isNone(numbers) || numbers.front() == table.LastNumber())
  {
    return false;
  }
  this->Evict(numbers.front());
  return true;
}

void Evictor::EvictSurplus()
{
  const SnapshotTable& table = this->State.Snapshots;
  const auto isSurplus = [&] { return table.Count() > this->State.Policy.MaximumSnapshots; };
  if (!isSurplus())
  {
    return;
  }
  for (const SnapshotId number : this->Evictable(!this->KeepsUnread()))
  {
    const auto group = table.GroupOf(number);
    if (group.back() == table.LastNumber())
    {
      break;
    }
    if (!table.Find(number) || (group.size() == 1 && !table.Counts(number)))
    {
      continue; // it was evicted with its group, or would not help
    }
    for (const SnapshotId part : group)
    {
      this->Evict(part);
    }
    if (!isSurplus())
    {
      break;
    }
  }
}

void Evictor::Evict(SnapshotId number)
{
  if (!this->State.Snapshots.WasRead(number))
  {
    ++this->State.Counters.SnapshotsDropped;
  }
  this->State.Pending.erase(number);
  SnapshotDescription evicted = this->State.Snapshots.Remove(number);
  this->State.Sharing.Free(this->State.Memory, evicted);
  this->Evicted.push_back(std::move(evicted));
}

bool Evictor::Drop(SnapshotId snapshot)
{
  const auto group = this->State.Snapshots.GroupOf(snapshot);
  const auto evictable = this->Evictable(true);
  const bool isFree = std::ranges::all_of(
    group, [&](SnapshotId part) { return std::ranges::find(evictable, part) != evictable.end(); });
  if (isFree)
  {
    std::ranges::for_each(group, [this](SnapshotId part) { this->Evict(part); });
  }
  return isFree;
}

bool Evictor::DropsNew(const AddressMap& map, std::uint64_t size)
{
  const SnapshotTable& table = this->State.Snapshots;
  if (this->State.Policy.WhenFull != FullRing::DropNewest || table.Count() == 0)
  {
    return false;
  }
  const auto read = this->Evictable(false);
  return table.Count(read) + 1 >= this->State.Policy.MaximumSnapshots ||
    this->MemoryWithout(read).Room(map) < size;
}

std::vector<SnapshotDescription> Evictor::TakeEvicted()
{
  return std::exchange(this->Evicted, {});
}

}
