// SPDX-License-Identifier: BSD-3-Clause
#include "Transport/SharedMemory.h"

#include "Base/Error.h"
#include "Base/NodeIdentity.h"
#include "Transport/StreamCopy.h"

#include <atomic>
#include <cstring>

namespace dsm
{

namespace
{
// Page tables are filled for this much at once: a page fault per 4 KiB page costs several times the
// copy. Transfers smaller than SmallTransfer leave it to the faults.
constexpr std::uint64_t ChunkSize = UINT64_C(2) << 20;
constexpr std::uint64_t SmallTransfer = UINT64_C(64) << 10;
}

SharedMemory::SharedMemory(const ServerDescription& server)
{
  const std::string here = NodeIdentity();
  for (std::uint64_t host = 0; host < server.Hosts.size(); ++host)
  {
    if (server.Hosts[host].Node != here)
    {
      throw Error(Fault::Unsupported,
        "host {} of {} of the DSM server runs on another machine, or in a container with a "
        "/dev/shm "
        "of its own, and shared memory is the only transport this version has: run the simulation "
        "and ParaView on one node",
        host, server.Hosts.size());
    }
  }
  const std::uint64_t size = server.SlotSize * server.SlotCount;
  for (const HostDescription& host : server.Hosts)
  {
    Mapping mapping;
    mapping.Memory = Segment::Open(host.Segment, size);
    mapping.Mapped.resize((size + ChunkSize - 1) / ChunkSize, false);
    this->Hosts.push_back(std::move(mapping));
  }
}

void SharedMemory::MapChunks(Mapping& mapping, std::uint64_t offset, std::uint64_t size)
{
  const std::uint64_t last = (offset + size - 1) / ChunkSize;
  for (std::uint64_t chunk = offset / ChunkSize; chunk <= last; ++chunk)
  {
    if (mapping.Mapped[chunk])
    {
      continue;
    }
    // Only what this transfer covers: pages beyond it may not exist, and must not come to exist.
    const std::uint64_t begin = std::max(offset, chunk * ChunkSize);
    const std::uint64_t end = std::min(offset + size, (chunk + 1) * ChunkSize);
    mapping.Memory.MapExisting(begin, end - begin);
    mapping.Mapped[chunk] = end - begin == ChunkSize;
  }
}

void SharedMemory::Put(
  std::uint64_t host, std::uint64_t offset, const void* source, std::uint64_t size)
{
  Mapping& mapping = this->Hosts[host];
  if (size < SmallTransfer)
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

}
