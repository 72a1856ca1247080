// SPDX-License-Identifier: BSD-3-Clause
#include "Peer/StaleSlot.h"

#include <algorithm>
#include <cstddef>

namespace dsm
{

namespace
{
constexpr std::uint64_t PutSize = UINT64_C(1) << 20;
}

StaleSlot::StaleSlot(const ImageSlot& slot, const std::vector<std::uint64_t>& ends)
  : Slot(slot)
  , Ends(ends)
  , Chunks(slot.Hosts())
{
  if (ends.empty() || !slot.IsMapped())
  {
    return;
  }
  for (HostIndex host = 0; host < ends.size(); ++host)
  {
    this->Chunks[host] =
      StaleChunks(slot.Shared(host, 0), slot.ChunkTable(host), ends[host], slot.Silence());
  }
}

void StaleSlot::ClearUnwritten(const AddressMap& map, std::uint64_t fileSize) const
{
  for (HostIndex host = 0; host < this->Chunks.size(); ++host)
  {
    this->Clear(host, { 0, map.LocalSize(host, fileSize) });
  }
}

void StaleSlot::PutZeros() const
{
  const std::vector<std::byte> zeros(PutSize);
  for (HostIndex host = 0; host < this->Ends.size(); ++host)
  {
    const std::uint64_t end = this->Ends[host];
    for (std::uint64_t offset = 0; offset < end; offset += PutSize)
    {
      this->Slot.Put(host, offset, zeros.data(), std::min(PutSize, end - offset));
    }
  }
  this->Slot.Flush();
}

}
