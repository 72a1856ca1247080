// SPDX-License-Identifier: BSD-3-Clause
#include "Transport/SharedMemory/SharedMemory.h"

#include "Base/RoundUp.h"
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
  : Hosts(server.Hosts.size())
{
  const std::uint64_t size = SegmentLayout(server.SlotSize, server.SlotCount).Size();
  for (const std::uint64_t host : hosts)
  {
    this->Hosts[host].Memory = Segment::Open(SegmentOf(server.Hosts[host]), size);
  }
}

// Fills the page tables for the chunks that a transfer covers wholly. Pages beyond it may not
// exist, and must not come to exist. Of what it covers, all from the first chunk that is not known
// to the last is filled in: a file is mostly written from its beginning to its end.
void SharedMemory::MapChunks(Mapping& mapping, std::uint64_t offset, std::uint64_t size)
{
  const ByteRange chunks{ RoundUp(offset, ChunkSize), (offset + size) / ChunkSize * ChunkSize };
  if (chunks.Begin >= chunks.End)
  {
    return;
  }
  if (const auto unknown = mapping.Mapped.Missing(chunks))
  {
    mapping.Mapped.Add(*unknown);
    mapping.Memory.MapExisting(unknown->Begin, unknown->End - unknown->Begin);
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

void SharedMemory::PutPieces(std::uint64_t host, std::span<const PutPiece> pieces)
{
  std::byte* const memory = this->Hosts[host].Memory.Data();
  for (const PutPiece& piece : pieces)
  {
    if (piece.Size < ChunkSize)
    {
      CopyPiece(memory + piece.Place, piece.Memory, piece.Size);
    }
    else
    {
      this->Put(host, piece.Place, piece.Memory, piece.Size);
    }
  }
}

void SharedMemory::GetPieces(std::uint64_t host, std::span<const GetPiece> pieces)
{
  const std::byte* const memory = this->Hosts[host].Memory.Data();
  for (const GetPiece& piece : pieces)
  {
    CopyPiece(piece.Memory, memory + piece.Place, piece.Size);
  }
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
