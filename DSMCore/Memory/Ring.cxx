// SPDX-License-Identifier: BSD-3-Clause
#include "Memory/Ring.h"

#include <algorithm>
#include <numeric>

namespace dsm
{

namespace
{
bool AllZero(const std::vector<std::uint64_t>& bytes)
{
  return std::all_of(bytes.begin(), bytes.end(), [](std::uint64_t b) { return b == 0; });
}
}

bool CleaningPlan::IsClean() const
{
  return this->Release.empty() && AllZero(this->Zero.Bytes) && AllZero(this->Copy.Bytes);
}

bool CleaningPlan::IsEmpty() const
{
  return this->IsClean() && AllZero(this->Populate.Bytes);
}

std::uint64_t Ring::Slot::Cost(std::uint64_t host) const
{
  return std::max(this->Granted[host], this->Resident[host]);
}

Ring::Ring(std::uint64_t hosts, std::uint64_t budget, std::uint64_t slots)
  : HostCount(hosts)
  , HostBudget(budget)
  , Slots(slots)
{
  for (Slot& slot : this->Slots)
  {
    slot.Granted.assign(hosts, 0);
    slot.Resident.assign(hosts, 0);
  }
}

std::vector<std::uint64_t> Ring::LocalSizes(const AddressMap& map, std::uint64_t bytes) const
{
  std::vector<std::uint64_t> sizes(this->HostCount);
  for (std::uint64_t host = 0; host < this->HostCount; ++host)
  {
    sizes[host] = map.LocalSize(host, bytes);
  }
  return sizes;
}

bool Ring::CouldEverFit(const AddressMap& map, std::uint64_t bytes) const
{
  if (bytes > map.Capacity())
  {
    return false;
  }
  const auto need = this->LocalSizes(map, bytes);
  return std::all_of(
    need.begin(), need.end(), [this](std::uint64_t size) { return size <= this->HostBudget; });
}

// Whether `slot` could have `need` bytes per host. Free slots' warm pages can be had, so they count
// only when the caller says so.
bool Ring::Fits(std::uint64_t slot, const std::vector<std::uint64_t>& need, bool countFree) const
{
  for (std::uint64_t host = 0; host < this->HostCount; ++host)
  {
    std::uint64_t cost = std::max(need[host], this->Slots[slot].Cost(host));
    if (!countFree && this->Slots[slot].What == State::Free)
    {
      cost = need[host];
    }
    for (std::uint64_t other = 0; other < this->Slots.size(); ++other)
    {
      if (other != slot && (countFree || this->Slots[other].What != State::Free))
      {
        cost += this->Slots[other].Cost(host);
      }
    }
    if (cost > this->HostBudget)
    {
      return false;
    }
  }
  return true;
}

// Releases pages of free slots, coldest use first, until `slot` can have `need`.
bool Ring::MakeRoom(std::uint64_t slot, const std::vector<std::uint64_t>& need,
  std::vector<CleaningPlan::Range>& release)
{
  if (!this->Fits(slot, need, false))
  {
    return false;
  }
  for (std::uint64_t other = this->Slots.size(); other-- > 0 && !this->Fits(slot, need, true);)
  {
    Slot& candidate = this->Slots[other];
    if (other != slot && candidate.What == State::Free && !AllZero(candidate.Resident))
    {
      release.push_back({ other, candidate.Resident });
      candidate.Resident.assign(this->HostCount, 0);
      candidate.Clean = true;
    }
  }
  if (!this->Fits(slot, need, true))
  {
    // The slot's own pages exceed what its next image needs, and that is too much.
    release.push_back({ slot, this->Slots[slot].Resident });
    this->Slots[slot].Resident.assign(this->HostCount, 0);
    this->Slots[slot].Clean = true;
  }
  return true;
}

std::optional<std::uint64_t> Ring::Choose(const std::vector<std::uint64_t>& need) const
{
  // How many of the needed bytes a slot has already; clean ones count double, since their pages can
  // be used at once. A doubtful slot is worth less than one without pages.
  const auto worth = [&](const Slot& slot)
  {
    std::int64_t bytes = 0;
    for (std::uint64_t host = 0; host < this->HostCount; ++host)
    {
      bytes += static_cast<std::int64_t>(std::min(slot.Resident[host], need[host]));
    }
    return slot.Doubtful ? std::int64_t(-1) : slot.Clean ? 2 * bytes : bytes;
  };
  std::optional<std::uint64_t> best;
  for (std::uint64_t slot = 0; slot < this->Slots.size(); ++slot)
  {
    if (this->Slots[slot].What == State::Free &&
      (!best || worth(this->Slots[slot]) > worth(this->Slots[*best])))
    {
      best = slot;
    }
  }
  return best;
}

// Cleans the best free slot, with pages for `expected` and room in the budget for `room`.
std::optional<Ring::Reservation> Ring::MakeReady(
  const std::vector<std::uint64_t>& expected, const std::vector<std::uint64_t>& room)
{
  const auto slot = this->Choose(expected);
  Reservation made;
  if (!slot || !this->MakeRoom(*slot, room, made.Plan.Release))
  {
    return std::nullopt;
  }
  Slot& chosen = this->Slots[*slot];
  const std::vector<std::uint64_t> nothing(this->HostCount, 0);
  made.Slot = *slot;
  made.Plan.Zero = { *slot, chosen.Clean ? nothing : chosen.Resident };
  made.Plan.Populate = { *slot, nothing };
  for (std::uint64_t host = 0; host < this->HostCount; ++host)
  {
    if (chosen.Resident[host] < expected[host])
    {
      chosen.Resident[host] = made.Plan.Populate.Bytes[host] = expected[host];
    }
  }
  chosen.Clean = true;
  chosen.Doubtful = false;
  return made;
}

std::optional<Ring::Reservation> Ring::Prepare(const AddressMap& map, std::uint64_t expected)
{
  if (expected > map.Capacity())
  {
    return std::nullopt;
  }
  const auto need = this->LocalSizes(map, expected);
  return this->MakeReady(need, need);
}

std::optional<Ring::Reservation> Ring::ReserveCopy(
  std::uint64_t source, const AddressMap& map, std::uint64_t bytes)
{
  auto made = this->Reserve(map, bytes, bytes);
  if (made)
  {
    made->Plan.Copy = { source, this->LocalSizes(map, bytes) };
    // What is copied over need not be cleared before.
    std::fill(made->Plan.Zero.Bytes.begin(), made->Plan.Zero.Bytes.end(), 0);
  }
  return made;
}

std::optional<Ring::Reservation> Ring::Reserve(
  const AddressMap& map, std::uint64_t expected, std::uint64_t grant)
{
  grant = std::max(grant, expected);
  if (grant > map.Capacity())
  {
    return std::nullopt;
  }
  const auto granted = this->LocalSizes(map, grant);
  auto made = this->MakeReady(this->LocalSizes(map, expected), granted);
  if (made)
  {
    this->Slots[made->Slot].What = State::Writing;
    this->Slots[made->Slot].Granted = granted;
  }
  return made;
}

std::uint64_t Ring::Room(const AddressMap& map, std::optional<std::uint64_t> slot) const
{
  if (!slot)
  {
    slot = this->Choose(std::vector<std::uint64_t>(this->HostCount, 0));
    if (!slot)
    {
      return 0;
    }
  }
  // Local sizes grow with the file's size: bisect for the largest that fits.
  std::uint64_t fits = 0;
  std::uint64_t tooMuch = map.Capacity() + 1;
  while (tooMuch - fits > 1)
  {
    const std::uint64_t middle = fits + (tooMuch - fits) / 2;
    (this->Fits(*slot, this->LocalSizes(map, middle), false) ? fits : tooMuch) = middle;
  }
  return fits;
}

bool Ring::Extend(std::uint64_t slot, const AddressMap& map, std::uint64_t bytes,
  std::vector<CleaningPlan::Range>& release)
{
  if (bytes > map.Capacity())
  {
    return false;
  }
  const auto need = this->LocalSizes(map, bytes);
  if (!this->MakeRoom(slot, need, release))
  {
    return false;
  }
  for (std::uint64_t host = 0; host < this->HostCount; ++host)
  {
    this->Slots[slot].Granted[host] = std::max(this->Slots[slot].Granted[host], need[host]);
  }
  return true;
}

std::vector<CleaningPlan::Range> Ring::SetBudget(std::uint64_t budget)
{
  this->HostBudget = budget;
  std::vector<CleaningPlan::Range> release;
  const std::vector<std::uint64_t> nothing(this->HostCount, 0);
  for (std::uint64_t slot = this->Slots.size(); slot-- > 0;)
  {
    Slot& candidate = this->Slots[slot];
    if (candidate.What == State::Free && !AllZero(candidate.Resident) &&
      !this->Fits(slot, nothing, true))
    {
      release.push_back({ slot, candidate.Resident });
      candidate.Resident = nothing;
      candidate.Clean = true;
    }
  }
  return release;
}

void Ring::Seal(std::uint64_t slot, const AddressMap& map, std::uint64_t reach)
{
  Slot& sealed = this->Slots[slot];
  sealed.What = State::Sealed;
  sealed.Clean = false;
  sealed.Granted.assign(this->HostCount, 0);
  const auto touched = this->LocalSizes(map, std::min(reach, map.Capacity()));
  for (std::uint64_t host = 0; host < this->HostCount; ++host)
  {
    sealed.Resident[host] = std::max(sealed.Resident[host], touched[host]);
  }
}

void Ring::Free(std::uint64_t slot, const AddressMap& map, std::uint64_t reach)
{
  this->Seal(slot, map, reach);
  this->Slots[slot].What = State::Free;
}

CleaningPlan::Range Ring::Discard(std::uint64_t slot)
{
  Slot& discarded = this->Slots[slot];
  CleaningPlan::Range release{ slot, {} };
  for (std::uint64_t host = 0; host < this->HostCount; ++host)
  {
    release.Bytes.push_back(discarded.Cost(host));
  }
  discarded.What = State::Free;
  discarded.Clean = true;
  discarded.Doubtful = true;
  discarded.Granted.assign(this->HostCount, 0);
  discarded.Resident.assign(this->HostCount, 0);
  return release;
}

std::uint64_t Ring::Used(std::uint64_t host) const
{
  return std::accumulate(this->Slots.begin(), this->Slots.end(), UINT64_C(0),
    [host](std::uint64_t sum, const Slot& slot)
    { return slot.What == State::Free ? sum : sum + slot.Cost(host); });
}

std::uint64_t Ring::UsedByAll() const
{
  std::uint64_t sum = 0;
  for (std::uint64_t host = 0; host < this->HostCount; ++host)
  {
    sum += this->Used(host);
  }
  return sum;
}

}
