// SPDX-License-Identifier: BSD-3-Clause
#include "Mapping/Contiguous/Contiguous.h"

#include <algorithm>

namespace dsm
{

Contiguous::Contiguous(std::uint64_t hosts, std::uint64_t hostCapacity)
  : Hosts(hosts)
  , HostCapacity(hostCapacity)
{
}

std::uint64_t Contiguous::Capacity() const
{
  return this->Hosts * this->HostCapacity;
}

Location Contiguous::Locate(FileOffset address) const
{
  const std::uint64_t offset = address % this->HostCapacity;
  return { HostIndex(address / this->HostCapacity), offset, this->HostCapacity - offset };
}

FileOffset Contiguous::Address(HostIndex host, std::uint64_t offset) const
{
  return FileOffset(host * this->HostCapacity + offset);
}

std::uint64_t Contiguous::LocalSize(HostIndex host, std::uint64_t fileSize) const
{
  const std::uint64_t begin = host * this->HostCapacity;
  return fileSize <= begin ? 0 : std::min(fileSize - begin, this->HostCapacity);
}

StrategyKind ContiguousStrategy()
{
  return { "contiguous", "fills one host after the other: simplest, and best for one large dataset",
    false, false, false, [](const MapParameters& p) -> std::shared_ptr<const Strategy>
    { return std::make_shared<Contiguous>(p.Hosts, p.HostCapacity); } };
}

}
