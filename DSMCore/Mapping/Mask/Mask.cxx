// SPDX-License-Identifier: BSD-3-Clause
#include "Mapping/Mask/Mask.h"

#include <algorithm>

namespace dsm
{

namespace
{
constexpr std::uint64_t Page = 4096;

// Bytes of the piece [begin, begin + length) that a file of `fileSize` bytes has.
std::uint64_t Part(std::uint64_t fileSize, std::uint64_t begin, std::uint64_t length)
{
  return fileSize <= begin ? 0 : std::min(fileSize - begin, length);
}
}

Mask::Mask(std::uint64_t hosts, std::uint64_t hostCapacity, std::uint64_t expectedSize)
  : Hosts(hosts)
  , HostCapacity(hostCapacity)
  , Window(hostCapacity)
{
  const std::uint64_t share = expectedSize / hosts + (expectedSize % hosts != 0 ? 1 : 0);
  const std::uint64_t pages = share / Page + (share % Page != 0 ? 1 : 0);
  if (expectedSize > 0 && pages <= hostCapacity / Page)
  {
    this->Window = pages * Page;
  }
}

std::uint64_t Mask::Capacity() const
{
  return this->Hosts * this->HostCapacity;
}

Location Mask::Locate(FileOffset address) const
{
  if (address < this->Hosts * this->Window)
  {
    const std::uint64_t offset = address % this->Window;
    return { HostIndex(address / this->Window), offset, this->Window - offset };
  }
  const std::uint64_t rest = this->HostCapacity - this->Window;
  const std::uint64_t beyond = address - this->Hosts * this->Window;
  const std::uint64_t offset = beyond % rest;
  return { HostIndex(beyond / rest), this->Window + offset, rest - offset };
}

FileOffset Mask::Address(HostIndex host, std::uint64_t offset) const
{
  const std::uint64_t rest = this->HostCapacity - this->Window;
  return offset < this->Window
    ? FileOffset(host * this->Window + offset)
    : FileOffset(this->Hosts * this->Window + host * rest + offset - this->Window);
}

std::uint64_t Mask::LocalSize(HostIndex host, std::uint64_t fileSize) const
{
  const std::uint64_t rest = this->HostCapacity - this->Window;
  return Part(fileSize, host * this->Window, this->Window) +
    Part(fileSize, this->Hosts * this->Window + host * rest, rest);
}

StrategyKind MaskStrategy()
{
  return { "mask",
    "is contiguous, but each host gets only its share of the size that files are expected to have",
    false, false, true, [](const MapParameters& p) -> std::shared_ptr<const Strategy>
    { return std::make_shared<Mask>(p.Hosts, p.HostCapacity, p.ExpectedSize); } };
}

}
