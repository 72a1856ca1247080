// SPDX-License-Identifier: BSD-3-Clause
#include "Memory/DiskWindows.h"

#include "Memory/Segment.h"

#include <algorithm>

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

std::optional<std::uint64_t> DiskWindows::Take(std::uint64_t slot)
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

void DiskWindows::Free(std::uint64_t slot)
{
  this->Taken.erase(slot);
}

DiskWindows::Range DiskWindows::Extend(std::uint64_t slot, const Sizes& bytes)
{
  Window& window = this->Taken.at(slot);
  Range more{ Sizes(this->Hosts, window.Offset), Sizes(this->Hosts, window.Offset) };
  for (std::uint64_t host = 0; host < this->Hosts; ++host)
  {
    more.Begin[host] += window.Bytes[host];
    window.Bytes[host] = std::max(window.Bytes[host], bytes[host]);
    more.End[host] += window.Bytes[host];
  }
  return more;
}

DiskWindows::Range DiskWindows::Shrink(std::uint64_t slot, const Sizes& bytes)
{
  Window& window = this->Taken.at(slot);
  Range less{ Sizes(this->Hosts, window.Offset), Sizes(this->Hosts, window.Offset) };
  for (std::uint64_t host = 0; host < this->Hosts; ++host)
  {
    less.End[host] += window.Bytes[host];
    window.Bytes[host] = std::min(window.Bytes[host], bytes[host]);
    less.Begin[host] += window.Bytes[host];
  }
  return less;
}

DiskWindows::Range DiskWindows::All(std::uint64_t slot) const
{
  const Window& window = this->Taken.at(slot);
  Range all{ Sizes(this->Hosts, window.Offset), window.Bytes };
  for (std::uint64_t& end : all.End)
  {
    end += window.Offset;
  }
  return all;
}

std::uint64_t DiskWindows::Used(std::uint64_t host) const
{
  std::uint64_t sum = 0;
  for (const auto& [slot, window] : this->Taken)
  {
    sum += window.Bytes[host];
  }
  return sum;
}

}
