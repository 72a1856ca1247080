// SPDX-License-Identifier: BSD-3-Clause
#include "Memory/DiskWindows.h"

#include "Memory/Segment.h"

#include <algorithm>
#include <utility>

namespace dsm
{

DiskWindows::DiskWindows(
  std::uint64_t hosts, std::uint64_t begin, std::uint64_t size, std::uint64_t slotSize)
  : Hosts(hosts)
  , Begin(begin)
  , WindowSize(size / Count / Segment::HugePage * Segment::HugePage)
  , SlotSize(slotSize)
{
}

std::optional<std::uint64_t> DiskWindows::Take(SlotIndex slot)
{
  for (std::uint64_t next = 1; next <= Count && this->WindowSize > 0; ++next)
  {
    const std::uint64_t index = (this->Last + next) % Count;
    const auto has = [index](const auto& taken) { return taken.second.Index == index; };
    if (std::none_of(this->Taken.begin(), this->Taken.end(), has))
    {
      this->Last = index;
      const std::uint64_t offset = this->Begin + index * this->WindowSize - slot * this->SlotSize;
      this->Taken[slot] = { index, offset, Sizes(this->Hosts, 0) };
      return offset;
    }
  }
  return std::nullopt;
}

void DiskWindows::Free(SlotIndex slot)
{
  this->Taken.erase(slot);
}

// Where what it has room for ends, on each host.
DiskWindows::Sizes DiskWindows::Window::Ends() const
{
  Sizes ends = this->Bytes;
  for (std::uint64_t& end : ends)
  {
    end += this->Offset;
  }
  return ends;
}

DiskWindows::Range DiskWindows::Extend(SlotIndex slot, const Sizes& bytes)
{
  Window& window = this->Taken.at(slot);
  Sizes before = window.Ends();
  for (HostIndex host = 0; host < this->Hosts; ++host)
  {
    window.Bytes[host] = std::max(window.Bytes[host], bytes[host]);
  }
  return { std::move(before), window.Ends() };
}

DiskWindows::Range DiskWindows::Shrink(SlotIndex slot, const Sizes& bytes)
{
  Window& window = this->Taken.at(slot);
  Sizes before = window.Ends();
  for (HostIndex host = 0; host < this->Hosts; ++host)
  {
    window.Bytes[host] = std::min(window.Bytes[host], bytes[host]);
  }
  return { window.Ends(), std::move(before) };
}

DiskWindows::Range DiskWindows::All(SlotIndex slot) const
{
  const Window& window = this->Taken.at(slot);
  return { Sizes(this->Hosts, window.Offset), window.Ends() };
}

std::uint64_t DiskWindows::Used(HostIndex host) const
{
  std::uint64_t sum = 0;
  for (const auto& [slot, window] : this->Taken)
  {
    sum += window.Bytes[host];
  }
  return sum;
}

}
