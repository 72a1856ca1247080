// SPDX-License-Identifier: BSD-3-Clause
#include "Memory/Ring.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace dsm
{

namespace
{
// So many slots are made ready ahead at most: with small files each is one file only.
constexpr std::uint64_t MostReady = 16;

bool AllZero(const std::vector<std::uint64_t>& bytes)
{
  return std::all_of(bytes.begin(), bytes.end(), [](std::uint64_t b) { return b == 0; });
}
}

bool CleaningPlan::Range::IsEmpty() const
{
  for (HostIndex host = 0; host < this->End.size(); ++host)
  {
    if (this->End[host] > (host < this->Begin.size() ? this->Begin[host] : 0))
    {
      return false;
    }
  }
  return true;
}

bool CleaningPlan::Copying::IsEmpty() const
{
  return std::all_of(
    this->Bytes.begin(), this->Bytes.end(), [](const auto& bytes) { return bytes.empty(); });
}

bool CleaningPlan::IsClean() const
{
  return this->Raise.empty() && this->Release.empty() && this->Forget.empty() &&
    this->OnDisk.IsEmpty() && this->Reserve.IsEmpty() && this->Zero.IsEmpty() &&
    this->Stale.IsEmpty() && this->Copy.IsEmpty();
}

bool CleaningPlan::IsEmpty() const
{
  return this->IsClean() && this->Populate.IsEmpty();
}

Ring::Ring(const Lent& lent)
  : HostCount(lent.Hosts)
  , HostBudget(lent.Budget)
  , PageSize(lent.PageSize)
  , SlotCount(lent.Slots)
{
  if (lent.Slots > 0)
  {
    this->Slots.push_back(this->Untouched());
  }
}

Ring::Slot Ring::Untouched() const
{
  Slot slot;
  slot.Kept = slot.Dirty = this->Nothing();
  slot.Resident = this->WholeSlot();
  return slot;
}

// Before a slot is taken. References to slots are none behind it.
void Ring::KeepOneUntouched(std::uint64_t taken)
{
  if (taken + 1 == this->Slots.size() && this->Slots.size() < this->SlotCount)
  {
    this->Slots.push_back(this->Untouched());
  }
}

Ring Ring::Pinned(std::uint64_t hosts, std::uint64_t bytes, std::uint64_t slots)
{
  Ring made({ hosts, bytes * slots, slots });
  made.PinnedBytes = bytes;
  for (Slot& slot : made.Slots)
  {
    slot.Resident = made.WholeSlot();
  }
  return made;
}

Ring::Sizes Ring::LocalSizes(const AddressMap& map, std::uint64_t bytes) const
{
  Sizes sizes(this->HostCount);
  for (HostIndex host = 0; host < this->HostCount; ++host)
  {
    sizes[host] = map.MemorySize(host, bytes);
  }
  return sizes;
}

Ring::Sizes Ring::DiskSizes(const AddressMap& map, std::uint64_t bytes) const
{
  Sizes sizes(this->HostCount);
  for (HostIndex host = 0; host < this->HostCount; ++host)
  {
    sizes[host] = map.DiskSize(host, bytes);
  }
  return sizes;
}

std::optional<DiskShare> Ring::Outgrow(SlotIndex slot)
{
  const auto offset = this->Disk.Take(slot);
  if (!offset)
  {
    return std::nullopt;
  }
  // Whatever a writer that was lost has put there since.
  const Sizes begin(this->HostCount, *offset);
  const Sizes end(this->HostCount, *offset + this->Disk.Capacity());
  this->Forgotten.push_back({ slot, begin, end });
  return DiskShare{ 0, *offset, this->Disk.Capacity() };
}

// Of what a slot has on disk, if it has anything there.
void Ring::KeepOnDisk(SlotIndex slot, const Sizes& bytes)
{
  if (!this->Disk.Has(slot))
  {
    return;
  }
  auto less = this->Disk.Shrink(slot, bytes);
  CleaningPlan::Range forgotten{ slot, std::move(less.Begin), std::move(less.End) };
  if (!forgotten.IsEmpty())
  {
    this->Forgotten.push_back(std::move(forgotten));
  }
}

// Who still reads what was there shall see that it has gone.
CleaningPlan Ring::TakeForgotten()
{
  CleaningPlan plan;
  if (!this->Forgotten.empty())
  {
    plan = this->RaiseAll();
    plan.Forget = std::exchange(this->Forgotten, {});
  }
  return plan;
}

std::uint64_t Ring::OnDiskByAll() const
{
  std::uint64_t sum = 0;
  for (HostIndex host = 0; host < this->HostCount; ++host)
  {
    sum += this->Disk.Used(host);
  }
  return sum;
}

bool Ring::CouldEverFit(const AddressMap& map, std::uint64_t bytes) const
{
  if (bytes > map.Capacity())
  {
    return false;
  }
  const auto need = this->LocalSizes(map, bytes);
  return std::all_of(
    need.begin(), need.end(), [this](std::uint64_t size) { return size <= this->Largest(); });
}

std::uint64_t Ring::MostFiles(const AddressMap& map, std::uint64_t bytes) const
{
  std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  for (const std::uint64_t size : this->LocalSizes(map, bytes))
  {
    most = size == 0 ? most : std::min(most, this->Largest() / size);
  }
  return most;
}

// Whether `slot` could have `need` bytes per host beside what others keep. All other pages can be
// had.
bool Ring::Fits(SlotIndex slot, const Sizes& need, const Sizes& keptByAll) const
{
  for (HostIndex host = 0; host < this->HostCount; ++host)
  {
    const std::uint64_t kept = this->Slots[slot].Kept[host];
    if (need[host] > this->Largest() ||
      keptByAll[host] - kept + std::max(need[host], kept) > this->MostOn(host))
    {
      return false;
    }
  }
  return true;
}

Ring::Sizes Ring::KeptByAll() const
{
  Sizes kept(this->HostCount);
  for (HostIndex host = 0; host < this->HostCount; ++host)
  {
    kept[host] = this->Used(host);
  }
  return kept;
}

// How many pages there are on each host when `slot` has `need` bytes.
Ring::Sizes Ring::PagesWith(SlotIndex slot, const Sizes& need) const
{
  Sizes pages = this->Nothing();
  for (SlotIndex other = 0; other < this->Slots.size(); ++other)
  {
    const Sizes& resident = this->Slots[other].Resident;
    for (HostIndex host = 0; host < this->HostCount; ++host)
    {
      pages[host] += other == slot ? std::max(need[host], resident[host]) : resident[host];
    }
  }
  return pages;
}

// Whether these are too many on a host.
bool Ring::Exceed(const Sizes& pages) const
{
  for (HostIndex host = 0; host < this->HostCount; ++host)
  {
    if (pages[host] > this->MostOn(host))
    {
      return true;
    }
  }
  return false;
}

// The most bytes that there may be on a host.
std::uint64_t Ring::MostOn(HostIndex host) const
{
  return this->Limits.empty() ? this->HostBudget : std::min(this->HostBudget, this->Limits[host]);
}

void Ring::Limit(HostIndex host, std::uint64_t bytes)
{
  if (this->IsPinned())
  {
    return;
  }
  this->Limits.resize(this->HostCount, std::numeric_limits<std::uint64_t>::max());
  const std::uint64_t there = this->Resident(host);
  this->Limits[host] = std::min(this->Limits[host], there - std::min(there, bytes));
}

Ring::Sizes Ring::LiftLimits()
{
  Sizes lifted = std::exchange(this->Limits, {});
  lifted.resize(this->HostCount, std::numeric_limits<std::uint64_t>::max());
  return lifted;
}

bool Ring::IsWithinLimits() const
{
  return !this->Exceed(this->KeptByAll());
}

// The hosts are to know the slot's generation, before they do anything else. Who reads a snapshot
// that has shared this slot looks at the generation of the slot it had of its own, so that of each
// that has gone since goes with it.
void Ring::Raise(SlotIndex index, CleaningPlan& plan)
{
  this->FreedAside.push_back(index);
  for (const SlotIndex raised : std::exchange(this->FreedAside, {}))
  {
    Slot& slot = this->Slots[raised];
    if (slot.Raised != slot.Generation)
    {
      slot.Raised = slot.Generation;
      plan.Raise.push_back({ raised, slot.Generation });
    }
  }
}

// Gives back a slot's pages beyond so many, but those that are kept.
void Ring::ReleaseBeyond(SlotIndex index, const Sizes& wanted, CleaningPlan& plan)
{
  if (this->IsPinned())
  {
    return;
  }
  Slot& slot = this->Slots[index];
  CleaningPlan::Range spare{ index, slot.Kept, slot.Resident };
  for (HostIndex host = 0; host < this->HostCount; ++host)
  {
    spare.Begin[host] = std::max(wanted[host], slot.Kept[host]);
    spare.End[host] = std::max(spare.Begin[host], spare.End[host]);
  }
  if (!spare.IsEmpty())
  {
    for (HostIndex host = 0; host < this->HostCount; ++host)
    {
      slot.Resident[host] = std::min(slot.Resident[host], spare.Begin[host]);
      slot.Dirty[host] = std::min(slot.Dirty[host], this->PagesEnd(spare.Begin[host]));
    }
    this->Raise(index, plan);
    plan.Release.push_back(std::move(spare));
  }
}

// Gives back what a slot does not keep, of so many pages in all.
void Ring::ReleaseSpare(SlotIndex slot, Sizes& pages, CleaningPlan& plan)
{
  const Sizes before = this->Slots[slot].Resident;
  this->ReleaseBeyond(slot, this->Nothing(), plan);
  for (HostIndex host = 0; host < this->HostCount; ++host)
  {
    pages[host] -= before[host] - this->Slots[slot].Resident[host];
  }
}

// Releases pages that nobody keeps until `slot` can have `need`: first what is least likely to be
// wanted again.
bool Ring::MakeRoom(SlotIndex slot, const Sizes& need, CleaningPlan& plan)
{
  if (!this->Fits(slot, need, this->KeptByAll()))
  {
    return false;
  }
  // What it has itself is enough: and if it is to be written, the rest must not be taken later.
  this->ReleaseBeyond(slot, need, plan);
  Sizes pages = this->PagesWith(slot, need);
  for (const State state : { State::Sealed, State::Free })
  {
    for (std::uint64_t other = this->Slots.size(); other-- > 0 && this->Exceed(pages);)
    {
      if (other != slot && this->Slots[other].What == state)
      {
        this->ReleaseSpare(SlotIndex(other), pages, plan);
      }
    }
  }
  return true;
}

// The pages up to `end` that do not exist yet; from now on they count as if they did.
CleaningPlan::Range Ring::ReserveUpTo(SlotIndex slot, const Sizes& end)
{
  Sizes& resident = this->Slots[slot].Resident;
  CleaningPlan::Range reserve{ slot, resident, resident };
  for (HostIndex host = 0; host < this->HostCount; ++host)
  {
    reserve.End[host] = resident[host] = std::max(resident[host], end[host]);
  }
  return reserve;
}

Ring::Worth Ring::WorthOf(const Slot& slot, const Sizes& need) const
{
  Worth worth;
  for (HostIndex host = 0; host < this->HostCount; ++host)
  {
    const std::uint64_t useful = std::min(slot.Resident[host], need[host]);
    worth.Useful += useful;
    worth.Idle += slot.Resident[host] - useful;
  }
  return worth;
}

std::optional<SlotIndex> Ring::Choose(const Sizes& need, bool clears) const
{
  // Of two slots the one with more, then the one with less that lies idle.
  using Merit = std::pair<std::int64_t, std::int64_t>;
  const auto meritOf = [&](const Slot& slot)
  {
    const bool needsNoClearing = clears || AllZero(slot.Dirty);
    if (this->IsPinned())
    {
      return Merit{ slot.Doubtful ? -1 : needsNoClearing ? 1 : 0, 0 };
    }
    // Those that need no clearing count double, where their pages can be used at once. One that
    // would give most of its pages back is worth no more than one without pages, and a doubtful one
    // is worth less.
    const Worth worth = this->WorthOf(slot, need);
    const auto useful = static_cast<std::int64_t>(worth.Useful);
    const std::int64_t counts = slot.Doubtful ? -1
      : worth.IsForLarger()                   ? 0
      : needsNoClearing && !slot.Warming      ? 2 * useful
                                              : useful;
    return Merit{ counts, -static_cast<std::int64_t>(worth.Idle) };
  };
  std::optional<SlotIndex> best;
  Merit most;
  for (SlotIndex slot = 0; slot < this->Slots.size(); ++slot)
  {
    if (this->Slots[slot].What != State::Free)
    {
      continue;
    }
    const Merit merit = meritOf(this->Slots[slot]);
    if (!best || merit > most)
    {
      best = slot;
      most = merit;
    }
  }
  return best;
}

// One that had such bytes before: else those who put a little aside again and again would touch all
// slots there are.
std::optional<SlotIndex> Ring::ChooseAside(const Sizes& bytes) const
{
  const auto found = std::find_if(this->Slots.begin(), this->Slots.end(),
    [](const Slot& slot) { return slot.What == State::Free && slot.HadAside; });
  return found == this->Slots.end() ? this->Choose(bytes)
                                    : std::optional(SlotIndex(found - this->Slots.begin()));
}

// Cleans a free slot, with pages for `granted`, of which `expected` will be touched.
std::optional<Ring::Reservation> Ring::MakeReady(
  std::optional<SlotIndex> slot, const Sizes& expected, const Sizes& granted, bool clears)
{
  Reservation made;
  if (!slot || !this->MakeRoom(*slot, granted, made.Plan))
  {
    return std::nullopt;
  }
  this->KeepOneUntouched(*slot);
  Slot& chosen = this->Slots[*slot];
  made.Slot = *slot;
  made.Generation = chosen.Generation;
  this->Raise(*slot, made.Plan);
  made.Plan.Populate = { *slot, {}, this->Nothing() };
  for (HostIndex host = 0; host < this->HostCount; ++host)
  {
    if (chosen.Resident[host] < expected[host])
    {
      made.Plan.Populate.End[host] = expected[host];
    }
  }
  this->ReleaseDoubtful(*slot, made.Plan);
  made.Plan.Reserve = this->ReserveUpTo(*slot, granted);
  if (!clears)
  {
    made.Plan.Zero = { *slot, {}, std::exchange(chosen.Dirty, this->Nothing()) };
  }
  else if (!AllZero(chosen.Dirty))
  {
    made.Stale = chosen.Dirty;
    if (chosen.Noted != chosen.Generation)
    {
      chosen.Noted = chosen.Generation;
      made.Plan.Stale = { *slot, {}, chosen.Dirty };
    }
  }
  chosen.HadAside = false;
  return made;
}

// A write that the lost writer had begun may have ended after the pages were given back.
void Ring::ReleaseDoubtful(SlotIndex index, CleaningPlan& plan)
{
  Slot& slot = this->Slots[index];
  if (std::exchange(slot.Doubtful, false) && !this->IsPinned())
  {
    plan.Release.push_back(
      { index, slot.Resident, Sizes(this->HostCount, std::numeric_limits<std::uint64_t>::max()) });
  }
}

std::optional<Ring::Reservation> Ring::Prepare(
  const AddressMap& map, std::uint64_t expected, std::uint64_t grant, bool clears)
{
  grant = std::max(grant, expected);
  if (grant > map.Capacity())
  {
    return std::nullopt;
  }
  const auto granted = this->LocalSizes(map, grant);
  return this->MakeReady(
    this->Choose(granted, clears), this->LocalSizes(map, expected), granted, clears);
}

std::optional<Ring::Reservation> Ring::ReserveAside(const Sizes& bytes)
{
  auto made = this->MakeReady(this->ChooseAside(bytes), this->Nothing(), bytes);
  if (made)
  {
    Slot& slot = this->Slots[made->Slot];
    slot.What = State::Sealed;
    slot.HadAside = true;
    // What is copied over need not be cleared before; what lies behind it nobody reads.
    slot.Dirty = std::exchange(made->Plan.Zero.End, this->Nothing());
    this->KeepAside(slot, bytes);
  }
  return made;
}

void Ring::KeepAside(Slot& slot, const Sizes& bytes) const
{
  slot.Kept = bytes;
  for (HostIndex host = 0; host < this->HostCount; ++host)
  {
    slot.Dirty[host] = std::max(slot.Dirty[host], bytes[host]);
  }
}

std::optional<Ring::Reservation> Ring::WidenAside(SlotIndex index, const Sizes& bytes)
{
  Reservation made;
  if (!this->MakeRoom(index, bytes, made.Plan))
  {
    return std::nullopt;
  }
  Slot& slot = this->Slots[index];
  ++slot.Generation;
  this->Raise(index, made.Plan);
  made.Slot = index;
  made.Generation = slot.Generation;
  made.Plan.Reserve = this->ReserveUpTo(index, bytes);
  this->KeepAside(slot, bytes);
  return made;
}

void Ring::FreeAside(SlotIndex slot)
{
  this->Slots[slot].What = State::Free;
  this->Slots[slot].Kept = this->Nothing();
  ++this->Slots[slot].Generation;
  this->FreedAside.push_back(slot);
}

bool Ring::HasRoomAside(const Sizes& bytes) const
{
  const auto slot = this->ChooseAside(bytes);
  return slot && this->Fits(*slot, bytes, this->KeptByAll());
}

std::optional<Ring::Reservation> Ring::Reserve(
  const AddressMap& map, std::uint64_t expected, std::uint64_t grant, bool clears)
{
  grant = std::max(grant, expected);
  if (grant > map.Capacity())
  {
    return std::nullopt;
  }
  const auto granted = this->LocalSizes(map, grant);
  auto made = this->MakeReady(
    this->Choose(granted, clears), this->LocalSizes(map, expected), granted, clears);
  if (made)
  {
    this->Slots[made->Slot].What = State::Writing;
    this->Slots[made->Slot].Kept = granted;
  }
  return made;
}

std::uint64_t Ring::Room(const AddressMap& map, std::optional<SlotIndex> slot) const
{
  if (!slot)
  {
    slot = this->Choose(this->Nothing());
    if (!slot)
    {
      return 0;
    }
  }
  const Sizes kept = this->KeptByAll();
  return LargestFile(map,
    [&](std::uint64_t bytes) { return this->Fits(*slot, this->LocalSizes(map, bytes), kept); });
}

// The largest file that fits. Local sizes grow with the file's size, so that can be bisected for.
template <typename Predicate>
std::uint64_t Ring::LargestFile(const AddressMap& map, const Predicate& fits)
{
  std::uint64_t largest = 0;
  std::uint64_t tooMuch = map.Capacity() + 1;
  while (tooMuch - largest > 1)
  {
    const std::uint64_t middle = largest + (tooMuch - largest) / 2;
    (fits(middle) ? largest : tooMuch) = middle;
  }
  return largest;
}

std::uint64_t Ring::Ready(const AddressMap& map) const
{
  std::uint64_t ready = 0;
  for (const Slot& slot : this->Slots)
  {
    if (slot.What != State::Free || slot.Doubtful || AllZero(slot.Resident))
    {
      continue;
    }
    const auto has = [&](std::uint64_t bytes)
    {
      for (HostIndex host = 0; host < this->HostCount; ++host)
      {
        if (map.LocalSize(host, bytes) > slot.Resident[host])
        {
          return false;
        }
      }
      return true;
    };
    // Most slots have no more than one before: this is asked for each file.
    if (ready < map.Capacity() && has(ready + 1))
    {
      ready = LargestFile(map, has);
    }
  }
  return ready;
}

// Of the free slots that lack some of `need`, the one that has most of it.
struct Ring::ColdSlot
{
  std::optional<SlotIndex> Index;
  std::uint64_t Has = 0;   ///< bytes, on all hosts
  std::uint64_t Ready = 0; ///< free slots that lack nothing
};

Ring::ColdSlot Ring::MostAdvanced(const Sizes& need) const
{
  const std::uint64_t all = std::accumulate(need.begin(), need.end(), UINT64_C(0));
  ColdSlot found;
  for (SlotIndex index = 0; index < this->Slots.size(); ++index)
  {
    const Slot& slot = this->Slots[index];
    if (slot.What != State::Free || slot.Doubtful)
    {
      continue;
    }
    const Worth worth = this->WorthOf(slot, need);
    if (worth.Useful == all)
    {
      found.Ready += worth.IsForLarger() ? 0 : 1;
    }
    else if (!found.Index || worth.Useful > found.Has)
    {
      found.Index = index;
      found.Has = worth.Useful;
    }
  }
  return found;
}

std::vector<CleaningPlan::Range> Ring::Warm(const AddressMap& map, const Ahead& ahead)
{
  Sizes need = this->LocalSizes(map, std::min(ahead.Expected, map.Capacity()));
  std::uint64_t largest = 0;
  for (std::uint64_t& bytes : need)
  {
    bytes = std::min(bytes, ahead.Most);
    largest = std::max(largest, bytes);
  }
  if (largest == 0)
  {
    return {};
  }
  const std::uint64_t enough = std::clamp<std::uint64_t>(ahead.Most / largest, 1, MostReady);
  std::vector<CleaningPlan::Range> pages;
  for (std::uint64_t taken = 0; taken < ahead.Piece;)
  {
    const ColdSlot cold = this->MostAdvanced(need);
    // Each order takes the hosts and their coordinator some time, on cores that the writers of
    // small files want: so these are made several at once, when half have been used.
    const bool canWait = pages.empty() && cold.Ready > enough / 2 &&
      (ahead.UntilHalf || (largest < ahead.Piece && cold.Has == 0));
    if (!cold.Index || cold.Ready >= enough || canWait)
    {
      break;
    }
    Sizes end = this->Slots[*cold.Index].Resident;
    std::uint64_t added = 0;
    for (HostIndex host = 0; host < this->HostCount; ++host)
    {
      const std::uint64_t more = std::min(need[host], end[host] + ahead.Piece);
      added = std::max(added, more - std::min(more, end[host]));
      end[host] = std::max(end[host], more);
    }
    if (this->Exceed(this->PagesWith(*cold.Index, end)))
    {
      break;
    }
    taken += added;
    this->KeepOneUntouched(*cold.Index);
    this->Slots[*cold.Index].Warming = true;
    this->Slots[*cold.Index].HadAside = false;
    pages.push_back(this->ReserveUpTo(*cold.Index, end));
    if (cold.Ready == 0)
    {
      break; // the next image shall not wait for others' slots
    }
  }
  return pages;
}

void Ring::NoteWarm(const std::vector<CleaningPlan::Range>& pages)
{
  for (const auto& range : pages)
  {
    this->Slots[range.Slot].Warming = false;
  }
}

CleaningPlan Ring::ForgetPages(SlotIndex index)
{
  CleaningPlan plan;
  if (this->Slots[index].What == State::Free)
  {
    this->Slots[index].Noted.reset();
    this->ReleaseBeyond(index, this->Nothing(), plan);
  }
  return plan;
}

std::uint64_t Ring::Resident(HostIndex host) const
{
  if (this->IsPinned())
  {
    return this->PinnedBytes * this->SlotCount;
  }
  return std::accumulate(this->Slots.begin(), this->Slots.end(), UINT64_C(0),
    [host](std::uint64_t sum, const Slot& slot) { return sum + slot.Resident[host]; });
}

std::optional<Ring::Reservation> Ring::Reopen(
  SlotIndex index, const AddressMap& map, std::uint64_t bytes, std::uint64_t grant)
{
  const Sizes file = this->LocalSizes(map, bytes);
  Sizes granted = this->LocalSizes(map, std::min(std::max(grant, bytes), map.Capacity()));
  for (HostIndex host = 0; host < this->HostCount; ++host)
  {
    granted[host] = std::max(granted[host], this->Slots[index].Kept[host]);
  }
  Reservation made;
  if (!this->MakeRoom(index, granted, made.Plan))
  {
    return std::nullopt;
  }
  Slot& slot = this->Slots[index];
  slot.What = State::Writing;
  slot.Kept = granted;
  ++slot.Generation;
  this->Raise(index, made.Plan);
  made.Slot = index;
  made.Generation = slot.Generation;
  this->ReleaseDoubtful(index, made.Plan);
  made.Plan.Reserve = this->ReserveUpTo(index, granted);
  made.Plan.Zero = { index, file, std::exchange(slot.Dirty, file) };
  if (this->Disk.Has(index))
  {
    // The room behind the file's end is taken again, and reads as zero.
    this->KeepOnDisk(index, this->DiskSizes(map, bytes));
    this->ExtendOnDisk(index, this->DiskSizes(map, std::max(grant, bytes)), made.Plan);
  }
  return made;
}

void Ring::ExtendOnDisk(SlotIndex slot, const Sizes& bytes, CleaningPlan& plan)
{
  auto more = this->Disk.Extend(slot, bytes);
  plan.OnDisk = { slot, std::move(more.Begin), std::move(more.End) };
}

bool Ring::Extend(SlotIndex slot, const AddressMap& map, std::uint64_t bytes, CleaningPlan& plan)
{
  if (bytes > map.Capacity())
  {
    return false;
  }
  const auto need = this->LocalSizes(map, bytes);
  if (!this->MakeRoom(slot, need, plan))
  {
    return false;
  }
  plan.Reserve = this->ReserveUpTo(slot, need);
  plan.InWriting = true;
  if (map.ReachesDisk())
  {
    this->ExtendOnDisk(slot, this->DiskSizes(map, bytes), plan);
  }
  Sizes& kept = this->Slots[slot].Kept;
  for (HostIndex host = 0; host < this->HostCount; ++host)
  {
    kept[host] = std::max(kept[host], need[host]);
  }
  return true;
}

void Ring::Shrink(SlotIndex slot, const AddressMap& map, std::uint64_t bytes)
{
  this->Slots[slot].Kept = this->LocalSizes(map, bytes);
  this->KeepOnDisk(slot, this->DiskSizes(map, bytes));
  if (!this->IsPinned())
  {
    this->Slots[slot].Resident = this->Slots[slot].Kept;
    this->Slots[slot].Uncounted = true;
  }
}

CleaningPlan Ring::SetBudget(std::uint64_t budget)
{
  this->HostBudget = budget;
  return this->ReleaseExcess();
}

CleaningPlan Ring::ReleaseExcess()
{
  CleaningPlan plan;
  Sizes pages = this->PagesWith(0, this->Nothing());
  for (std::uint64_t slot = this->Slots.size(); slot-- > 0 && this->Exceed(pages);)
  {
    this->ReleaseSpare(SlotIndex(slot), pages, plan);
  }
  return plan;
}

CleaningPlan Ring::ReleaseAllSpare(HostIndex host)
{
  this->Slots.resize(this->SlotCount, this->Untouched()); // a host may have done anything
  CleaningPlan plan;
  for (SlotIndex index = 0; index < this->Slots.size(); ++index)
  {
    Slot& slot = this->Slots[index];
    plan.Raise.push_back({ index, slot.Generation });
    slot.Noted.reset();
    if (slot.What == State::Writing)
    {
      continue;
    }
    if (this->IsPinned())
    {
      slot.Dirty[host] = this->PinnedBytes;
      continue;
    }
    CleaningPlan::Range spare{ index, this->Nothing(), this->Nothing() };
    spare.Begin[host] = slot.Kept[host];
    spare.End[host] = std::numeric_limits<std::uint64_t>::max();
    slot.Resident[host] = slot.Kept[host];
    slot.Dirty[host] = std::min(slot.Dirty[host], this->PagesEnd(slot.Kept[host]));
    plan.Release.push_back(std::move(spare));
  }
  return plan;
}

CleaningPlan Ring::ReserveAgain(SlotIndex slot, HostIndex host) const
{
  CleaningPlan plan;
  plan.Reserve = { slot, this->Nothing(), this->Nothing() };
  plan.Reserve.End[host] = this->Slots[slot].Resident[host];
  if (this->Disk.Has(slot))
  {
    auto all = this->Disk.All(slot);
    plan.OnDisk = { slot, this->Nothing(), this->Nothing() };
    plan.OnDisk.Begin[host] = all.Begin[host];
    plan.OnDisk.End[host] = all.End[host];
  }
  return plan;
}

CleaningPlan Ring::Seal(SlotIndex slot, const AddressMap& map, std::uint64_t reach)
{
  Slot& sealed = this->Slots[slot];
  sealed.What = State::Sealed;
  sealed.Kept = this->LocalSizes(map, std::min(reach, map.Capacity()));
  this->KeepOnDisk(slot, this->DiskSizes(map, std::min(reach, map.Capacity())));
  bool uncounted = std::exchange(sealed.Uncounted, false);
  for (HostIndex host = 0; host < this->HostCount; ++host)
  {
    // Its writer grew by itself, by more than it has written.
    uncounted = uncounted || sealed.Kept[host] > sealed.Resident[host];
    sealed.Resident[host] = std::max(sealed.Resident[host], sealed.Kept[host]);
    sealed.Dirty[host] = std::max(sealed.Dirty[host], sealed.Kept[host]);
  }
  CleaningPlan plan;
  if (uncounted && this->IsPinned())
  {
    sealed.Dirty = this->WholeSlot();
  }
  else if (uncounted)
  {
    plan.Release.push_back(
      { slot, sealed.Resident, Sizes(this->HostCount, std::numeric_limits<std::uint64_t>::max()) });
  }
  return plan;
}

CleaningPlan Ring::Free(SlotIndex slot, const AddressMap& map, std::uint64_t reach)
{
  CleaningPlan plan = this->Seal(slot, map, reach);
  this->FreeDisk(slot);
  this->Slots[slot].What = State::Free;
  this->Slots[slot].Kept = this->Nothing();
  ++this->Slots[slot].Generation;
  return plan;
}

CleaningPlan Ring::Freeze(SlotIndex slot, const AddressMap& map, std::uint64_t bytes)
{
  this->KeepOnDisk(slot, this->DiskSizes(map, bytes));
  return this->EndWriter(slot, State::Sealed, this->LocalSizes(map, bytes));
}

void Ring::FreeDisk(SlotIndex slot)
{
  this->KeepOnDisk(slot, this->Nothing());
  this->Disk.Free(slot);
}

CleaningPlan Ring::Discard(SlotIndex slot)
{
  this->FreeDisk(slot);
  return this->EndWriter(slot, State::Free, this->Nothing());
}

// A straggler finds another generation, and has nothing but what is kept.
CleaningPlan Ring::EndWriter(SlotIndex index, State state, const Sizes& kept)
{
  Slot& slot = this->Slots[index];
  slot.What = state;
  slot.Doubtful = true;
  slot.Uncounted = false;
  slot.Kept = kept;
  ++slot.Generation;
  CleaningPlan plan;
  this->Raise(index, plan);
  if (this->IsPinned())
  {
    slot.Dirty = this->WholeSlot();
    return plan;
  }
  slot.Resident = slot.Dirty = kept;
  for (std::uint64_t& bytes : slot.Dirty)
  {
    bytes = this->PagesEnd(bytes);
  }
  // Also what it was never granted: an image grows by itself while its server seems to be lost.
  plan.Release.push_back(
    { index, kept, Sizes(this->HostCount, std::numeric_limits<std::uint64_t>::max()) });
  return plan;
}

CleaningPlan Ring::RaiseAll()
{
  CleaningPlan plan;
  for (SlotIndex slot = 0; slot < this->Slots.size(); ++slot)
  {
    this->Raise(slot, plan);
  }
  return plan;
}

std::uint64_t Ring::Used(HostIndex host) const
{
  return std::accumulate(this->Slots.begin(), this->Slots.end(), UINT64_C(0),
    [host](std::uint64_t sum, const Slot& slot) { return sum + slot.Kept[host]; });
}

std::uint64_t Ring::UsedByAll() const
{
  std::uint64_t sum = 0;
  for (HostIndex host = 0; host < this->HostCount; ++host)
  {
    sum += this->Used(host);
  }
  return sum;
}

}
