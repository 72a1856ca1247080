// SPDX-License-Identifier: BSD-3-Clause
#include "HostMemory.h"

#include <algorithm>
#include <ranges>

namespace dsm::simulation
{

namespace
{
// How long an entry counts that nobody takes back, in seconds.
constexpr double EntryLimit = 10;
}

HostMemory::HostMemory(std::uint64_t hosts, std::uint64_t slotSize, const Timeline& time)
  : SlotSize(slotSize)
  , Time(time)
  , Pages(hosts)
  , Generation(hosts)
{
}

std::uint64_t& HostMemory::At(HostIndex host, SlotIndex slot, std::uint64_t offset)
{
  return this->Pages[host][slot * this->SlotSize + offset];
}

std::uint64_t HostMemory::At(HostIndex host, SlotIndex slot, std::uint64_t offset) const
{
  const auto found = this->Pages[host].find(slot * this->SlotSize + offset);
  return found == this->Pages[host].end() ? 0 : found->second;
}

bool HostMemory::Write(
  const ImageDescription& image, const AddressMap& map, std::uint64_t page, std::uint64_t what)
{
  const Location place = map.Locate(FileOffset(page * Page));
  const bool isHeld = this->GenerationOf(place.Host, image.Slot) == image.Generation;
  if (isHeld)
  {
    this->At(place.Host, image.Slot, place.Offset) = what;
  }
  return isHeld;
}

bool HostMemory::Read(const SnapshotDescription& snapshot, Contents& contents) const
{
  const AddressMap map(snapshot.Map);
  contents.assign(snapshot.FileSize / Page, 0);
  for (std::uint64_t page = 0; page < contents.size(); ++page)
  {
    const Location place = map.Locate(FileOffset(page * Page));
    if (this->GenerationOf(place.Host, snapshot.Slot) != snapshot.Generation)
    {
      return false;
    }
    SlotIndex slot = snapshot.Slot;
    std::uint64_t offset = place.Offset;
    if (snapshot.Shared)
    {
      const auto run = snapshot.Shared->Aside[place.Host].At(place.Offset);
      slot = run.IsAside ? snapshot.Slot : snapshot.Shared->Slot;
      offset = run.Offset;
    }
    contents[page] = this->At(place.Host, slot, offset);
  }
  return true;
}

bool HostMemory::Holds(SlotIndex slot, std::uint64_t generation) const
{
  return this->GenerationOf(0, slot) == generation;
}

bool HostMemory::IsRaised(SlotIndex slot, std::uint64_t generation) const
{
  return std::ranges::all_of(std::views::iota(std::size_t(0), this->Generation.size()),
    [&](std::size_t host) { return this->GenerationOf(HostIndex(host), slot) >= generation; });
}

bool HostMemory::IsAt(SlotIndex slot, std::uint64_t generation) const
{
  return std::ranges::all_of(std::views::iota(std::size_t(0), this->Generation.size()),
    [&](std::size_t host) { return this->GenerationOf(HostIndex(host), slot) == generation; });
}

// The hosts' memory is zero where nobody has written.
std::uint64_t HostMemory::GenerationOf(HostIndex host, SlotIndex slot) const
{
  const auto found = this->Generation[host].find(slot);
  return found == this->Generation[host].end() ? 0 : found->second;
}

void HostMemory::Clear(HostIndex host, const SlotRange& range)
{
  const std::uint64_t begin = range.Slot * this->SlotSize;
  auto& pages = this->Pages[host];
  pages.erase(pages.lower_bound(begin + std::min(range.Begin, this->SlotSize)),
    pages.lower_bound(begin + std::min(range.End, this->SlotSize)));
}

void HostMemory::Carry(HostIndex host, const PrepareMemory& order, bool fails)
{
  for (const SlotGeneration& raise : order.Raise)
  {
    auto& generation = this->Generation[host][raise.Slot];
    generation = std::max(generation, raise.Number);
  }
  for (const SlotRange& range : order.Release)
  {
    this->Clear(host, range);
  }
  if (fails)
  {
    return;
  }
  this->Clear(host, order.Zero);
  for (const AsideBytes::Moved& moved : order.Copy)
  {
    for (std::uint64_t done = 0; done < moved.Size; done += Page)
    {
      this->At(host, order.To, moved.To + done) = this->At(host, order.From, moved.From + done);
    }
  }
}

bool HostMemory::GiveUp(SlotIndex slot, std::uint64_t generation)
{
  return this->Endings.emplace(Place(slot, generation), Ending::GivenUp).first->second ==
    Ending::GivenUp;
}

bool HostMemory::Disown(SlotIndex slot, std::uint64_t generation)
{
  return this->Endings.emplace(Place(slot, generation), Ending::GivenUp).second;
}

bool HostMemory::DecideSealed(SlotIndex slot, std::uint64_t generation)
{
  return this->Endings.emplace(Place(slot, generation), Ending::Sealed).first->second ==
    Ending::Sealed;
}

void HostMemory::RaiseGeneration(SlotIndex slot, std::uint64_t generation)
{
  auto& known = this->Generation[0][slot];
  if (generation > known && this->HasReaders(slot))
  {
    this->Torn = slot;
  }
  this->Closed.erase(slot);
  known = std::max(known, generation);
}

bool HostMemory::Enter(SlotIndex slot)
{
  if (this->IsClosed || this->Closed.contains(slot))
  {
    return false;
  }
  this->Readers[slot].push_back(this->Time.Now());
  return true;
}

bool HostMemory::HasReaders(SlotIndex slot) const
{
  const auto found = this->Readers.find(slot);
  return found != this->Readers.end() && this->Time.Now() - found->second.back() < EntryLimit;
}

void HostMemory::NoteReader(SlotIndex slot)
{
  const auto found = this->Readers.find(slot);
  if (found != this->Readers.end())
  {
    found->second.pop_front();
    if (found->second.empty())
    {
      this->Readers.erase(found);
    }
  }
}

MappedEntry HostMemory::Mapped(std::uint64_t place) const
{
  return MappedEntry(SharedNumber(reinterpret_cast<std::byte*>(&this->MappedPlaces[place])));
}

void HostMemory::ForgetMapped()
{
  for (auto& [place, number] : this->MappedPlaces)
  {
    number = 0;
  }
}

void HostMemory::Want(SlotIndex slot, std::uint64_t generation, std::uint64_t bytes)
{
  this->Refusals.erase({ slot, generation });
  this->Wants[{ slot, generation }] = bytes;
}

void HostMemory::Reach(SlotIndex slot, std::uint64_t generation, std::uint64_t bytes)
{
  this->Reaches[{ slot, generation }] = bytes;
}

std::uint64_t HostMemory::GrantOf(SlotIndex slot) const
{
  const auto found = this->Grants.find(slot);
  return found == this->Grants.end() ? 0 : found->second;
}

bool HostMemory::TakeRefusal(SlotIndex slot, std::uint64_t generation)
{
  return this->Refusals.erase({ slot, generation }) > 0;
}

std::uint64_t HostMemory::Wanted(SlotIndex slot, std::uint64_t generation) const
{
  const auto found = this->Wants.find({ slot, generation });
  return found == this->Wants.end() ? 0 : found->second;
}

std::uint64_t HostMemory::Reached(SlotIndex slot, std::uint64_t generation) const
{
  const auto found = this->Reaches.find({ slot, generation });
  return found == this->Reaches.end() ? 0 : found->second;
}

void HostMemory::TellGrant(SlotIndex slot, std::uint64_t bytes, const DiskShare&)
{
  this->Grants[slot] = bytes;
}

void HostMemory::TellRefusal(
  SlotIndex slot, std::uint64_t generation, std::uint64_t, const Error&, const std::string&)
{
  this->Wants[{ slot, generation }] = 0;
  this->Refusals[{ slot, generation }] = true;
}

}
