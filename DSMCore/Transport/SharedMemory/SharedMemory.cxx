// SPDX-License-Identifier: BSD-3-Clause
#include "Transport/SharedMemory/SharedMemory.h"

#include "Base/Error.h"
#include "Base/RoundUp.h"
#include "Memory/SegmentLayout.h"
#include "Memory/SharedNumber.h"
#include "Transport/SharedMemory/SharedMemoryTransport.h"
#include "Transport/SharedMemory/StreamCopy.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace dsm
{

namespace
{
// Whether this process's page tables know the pages is kept per chunk. A page fault per 4 KiB page
// costs several times the copy; transfers smaller than a chunk leave it to the faults.
constexpr std::uint64_t ChunkSize = UINT64_C(64) << 10;

// Of pages that nobody has touched the system clears so much at a time, and all of it is in a
// core's own cache still when it is written.
constexpr std::uint64_t ClearedAtOnce = 2 * ChunkSize;

// What is written to disk so far behind leaves the page tables, so that it can leave memory.
constexpr std::uint64_t KeptBehind = UINT64_C(32) << 20;
}

SharedMemory::SharedMemory(const ServerDescription& server, const std::vector<HostIndex>& hosts)
  : IsPinned(server.Pinned)
  , Hosts(server.Hosts.size())
{
  const SegmentLayout layout(server.SlotSize, server.SlotCount);
  this->DiskBegin = Segment::DiskBegin(layout.Size());
  this->DiskFile = layout.Signals.OffsetOf(SegmentLayout::DiskFile);
  for (const HostIndex host : hosts)
  {
    this->Hosts[host].Memory =
      Segment::Open(SegmentOf(server.Hosts[host]), layout.Size(), server.DiskSize);
  }
}

// Its host has said by what before anybody heard that something is there.
void SharedMemory::FollowDisk(Mapping& mapping) const
{
  const std::uint64_t said = SharedNumber(mapping.Memory.Data() + this->DiskFile).Load();
  if (said == 0)
  {
    throw Error(Fault::PeerLost,
      "a host of the DSM server has nothing on disk, though a file is "
      "said to go on there: the server has stopped");
  }
  mapping.Memory.FollowDisk(static_cast<int>(said - 1));
  mapping.HasDisk = true;
}

std::byte* SharedMemory::At(HostIndex host, std::uint64_t offset) const
{
  Mapping& mapping = this->Hosts[host];
  if (offset >= this->DiskBegin && !mapping.HasDisk)
  {
    this->FollowDisk(mapping);
  }
  return mapping.Memory.Data() + offset;
}

// Of the chunks that a transfer covers wholly, from the first that the page tables do not know to
// the last. Pages beyond it may not exist, and must not come to exist. A file is mostly written
// from its beginning to its end.
std::optional<ByteRange> SharedMemory::Unknown(
  const Mapping& mapping, std::uint64_t offset, std::uint64_t size)
{
  const std::uint64_t begin = RoundUp(offset, ChunkSize);
  const std::uint64_t end = (offset + size) / ChunkSize * ChunkSize;
  return mapping.Mapped.Missing({ begin, std::max(begin, end) });
}

void SharedMemory::Enter(Mapping& mapping, const ByteRange& chunks) const
{
  mapping.Mapped.Add(chunks);
  mapping.Memory.MapExisting(chunks.Begin, chunks.End - chunks.Begin);
  if (chunks.Begin >= this->DiskBegin + KeptBehind)
  {
    const std::uint64_t end = chunks.Begin - KeptBehind;
    const std::uint64_t begin = std::max(end - std::min(end, KeptBehind), this->DiskBegin);
    mapping.Memory.LetGo(begin, end - begin, true);
  }
}

void SharedMemory::Put(HostIndex host, std::uint64_t offset, const void* source, std::uint64_t size)
{
  std::byte* const place = this->At(host, offset);
  if (DeviceBuffers::Any()) [[unlikely]]
  {
    if (const DeviceBuffers::Place* const device = DeviceBuffers::Find(source))
    {
      this->PutFromDevice(*device, this->Hosts[host], offset, source, size);
      return;
    }
  }
  if (size < ChunkSize)
  {
    std::memcpy(place, source, size);
    return;
  }
  // Its host may be about to touch the pages, and have come as far as somewhere in the middle.
  Mapping& mapping = this->Hosts[host];
  const auto* const from = static_cast<const std::byte*>(source);
  for (std::uint64_t done = 0; done < size;)
  {
    const std::uint64_t at = offset + done;
    const std::uint64_t step = std::min(size - done, Segment::HugePage - at % Segment::HugePage);
    const auto unknown = Unknown(mapping, at, step);
    if (unknown && mapping.Memory.IsUntouched(unknown->Begin))
    {
      this->PutOntoNew(mapping, at, from + done, step);
    }
    else
    {
      if (unknown)
      {
        this->Enter(mapping, *unknown);
      }
      StreamCopy(place + done, from + done, step);
    }
    done += step;
  }
}

// A device keeps to the pages that it was given, so that only pinned memory may be registered: the
// pages of other memory come and go.
void SharedMemory::RegisterWith(const DeviceBuffers::Place& device, Mapping& mapping,
  std::uint64_t offset, std::uint64_t size) const
{
  if (this->IsPinned && offset < this->DiskBegin)
  {
    mapping.Registered.Use({ mapping.Memory.Data(), mapping.Memory.Size() }, offset, size, device);
  }
}

void SharedMemory::PutFromDevice(const DeviceBuffers::Place& device, Mapping& mapping,
  std::uint64_t offset, const void* source, std::uint64_t size) const
{
  for (std::uint64_t done = 0; done < size;)
  {
    const std::uint64_t at = offset + done;
    const std::uint64_t step = std::min(size - done, Segment::HugePage - at % Segment::HugePage);
    if (const auto unknown = Unknown(mapping, at, step))
    {
      this->Enter(mapping, *unknown);
    }
    done += step;
  }
  this->RegisterWith(device, mapping, offset, size);
  DeviceBuffers::Copy(mapping.Memory.Data() + offset, source, size);
}

// Stores past the caches would take out of them what was just cleared.
void SharedMemory::PutOntoNew(
  Mapping& mapping, std::uint64_t offset, const std::byte* source, std::uint64_t size) const
{
  std::byte* const place = mapping.Memory.Data() + offset;
  for (std::uint64_t done = 0; done < size;)
  {
    const std::uint64_t at = offset + done;
    const std::uint64_t step = std::min(size - done, ClearedAtOnce - at % ClearedAtOnce);
    if (const auto unknown = Unknown(mapping, at, step))
    {
      this->Enter(mapping, *unknown);
    }
    std::memcpy(place + done, source + done, step);
    done += step;
  }
}

void SharedMemory::Get(HostIndex host, std::uint64_t offset, void* destination, std::uint64_t size)
{
  const std::byte* const place = this->At(host, offset);
  if (DeviceBuffers::Any()) [[unlikely]]
  {
    if (const DeviceBuffers::Place* const device = DeviceBuffers::Find(destination))
    {
      this->RegisterWith(*device, this->Hosts[host], offset, size);
      DeviceBuffers::Copy(destination, place, size);
      return;
    }
  }
  std::memcpy(destination, place, size);
}

void SharedMemory::PutPieces(HostIndex host, std::span<const PutPiece> pieces)
{
  const bool ofDevice = DeviceBuffers::Any();
  for (const PutPiece& piece : pieces)
  {
    if (piece.Size < ChunkSize && !ofDevice)
    {
      CopyPiece(this->At(host, piece.Place), piece.Memory, piece.Size);
    }
    else
    {
      this->Put(host, piece.Place, piece.Memory, piece.Size);
    }
  }
}

void SharedMemory::GetPieces(HostIndex host, std::span<const GetPiece> pieces)
{
  if (DeviceBuffers::Any()) [[unlikely]]
  {
    Transport::GetPieces(host, pieces);
    return;
  }
  for (const GetPiece& piece : pieces)
  {
    CopyPiece(piece.Memory, this->At(host, piece.Place), piece.Size);
  }
}

void SharedMemory::Flush()
{
  // Stores are visible to other processes in program order once the compiler and the processor's
  // buffers let go of them.
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

const std::byte* SharedMemory::Direct(HostIndex host, std::uint64_t offset) const
{
  return this->At(host, offset);
}

bool SharedMemory::MapPrivate(
  HostIndex host, std::uint64_t offset, std::byte* place, std::uint64_t size) const
{
  if (!this->Hosts[host].Memory.Data())
  {
    return false;
  }
  this->At(host, offset); // follows the disk
  this->Hosts[host].Memory.MapPrivate(place, offset, size);
  return true;
}

void SharedMemory::Reserve(HostIndex host, std::uint64_t offset, std::uint64_t size)
{
  this->At(host, offset);
  this->Hosts[host].Memory.Reserve(offset, size);
}

}
