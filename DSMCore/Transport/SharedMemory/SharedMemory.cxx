// SPDX-License-Identifier: BSD-3-Clause
#include "Transport/SharedMemory/SharedMemory.h"

#include "Memory/SegmentLayout.h"
#include "Transport/SharedMemory/SharedMemoryTransport.h"
#include "Transport/SharedMemory/StreamCopy.h"

#include <atomic>
#include <cstring>

namespace dsm
{

namespace
{
// Whether this process's page tables know the pages is kept per chunk. A page fault per 4 KiB page
// costs several times the copy; transfers smaller than a chunk leave it to the faults.
constexpr std::uint64_t ChunkSize = UINT64_C(64) << 10;
}

SharedMemory::SharedMemory(const ServerDescription& server, const std::vector<std::uint64_t>& hosts)
  : SlotSize(server.SlotSize)
  , Hosts(server.Hosts.size())
{
  const std::uint64_t size = SegmentLayout(server.SlotSize, server.SlotCount).Size();
  for (const std::uint64_t host : hosts)
  {
    this->Hosts[host].Memory = Segment::Open(SegmentOf(server.Hosts[host]), size);
    this->Hosts[host].Mapped.resize(server.SlotCount);
  }
}

// Fills the page tables for the chunks that a transfer, which is within one slot, covers wholly.
// Pages beyond it may not exist, and must not come to exist.
void SharedMemory::MapChunks(Mapping& mapping, std::uint64_t offset, std::uint64_t size)
{
  const std::uint64_t slot = offset / this->SlotSize;
  const std::uint64_t begin = slot * this->SlotSize;
  std::vector<bool>& mapped = mapping.Mapped[slot];
  if (mapped.empty())
  {
    mapped.resize((this->SlotSize + ChunkSize - 1) / ChunkSize, false);
  }
  const std::uint64_t end = (offset - begin + size) / ChunkSize;
  for (std::uint64_t chunk = (offset - begin + ChunkSize - 1) / ChunkSize; chunk < end; ++chunk)
  {
    const std::uint64_t first = chunk;
    for (; chunk < end && !mapped[chunk]; ++chunk)
    {
      mapped[chunk] = true;
    }
    if (chunk > first)
    {
      mapping.Memory.MapExisting(begin + first * ChunkSize, (chunk - first) * ChunkSize);
    }
  }
}

void SharedMemory::Put(
  std::uint64_t host, std::uint64_t offset, const void* source, std::uint64_t size)
{
  Mapping& mapping = this->Hosts[host];
  if (size < ChunkSize)
  {
    std::memcpy(mapping.Memory.Data() + offset, source, size);
    return;
  }
  this->MapChunks(mapping, offset, size);
  StreamCopy(mapping.Memory.Data() + offset, source, size);
}

void SharedMemory::Get(
  std::uint64_t host, std::uint64_t offset, void* destination, std::uint64_t size)
{
  std::memcpy(destination, this->Hosts[host].Memory.Data() + offset, size);
}

void SharedMemory::Flush()
{
  // Stores are visible to other processes in program order once the compiler and the processor's
  // buffers let go of them.
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

const std::byte* SharedMemory::Direct(std::uint64_t host, std::uint64_t offset) const
{
  return this->Hosts[host].Memory.Data() + offset;
}

void SharedMemory::Reserve(std::uint64_t host, std::uint64_t offset, std::uint64_t size)
{
  this->Hosts[host].Memory.Reserve(offset, size);
}

}
