// SPDX-License-Identifier: BSD-3-Clause
#include "Memory/StaleChunks.h"

#include "Base/Deadline.h"
#include "Base/Error.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>

namespace dsm
{

namespace
{
enum State : std::uint8_t
{
  Stale,
  BeingCleared,
  Valid
};

using Byte = std::atomic_ref<std::uint8_t>;
static_assert(Byte::is_always_lock_free, "processes share it");

Byte StateAt(std::byte* place)
{
  return Byte(*reinterpret_cast<std::uint8_t*>(place));
}
}

StaleChunks::StaleChunks(std::byte* slot, std::byte* table, std::uint64_t end, Seconds limit)
  : Slot(slot)
  , Table(table)
  , End(end)
  , Limit(limit)
{
}

void StaleChunks::Reset(std::byte* table, std::uint64_t end)
{
  std::memset(table, Stale, TableSize(end));
}

ByteRange StaleChunks::PartOf(std::uint64_t chunk) const
{
  return { chunk * ChunkSize, std::min((chunk + 1) * ChunkSize, this->End) };
}

void StaleChunks::Overwrite(const ByteRange& bytes) const
{
  const std::uint64_t end = std::min(bytes.End, this->End);
  for (std::uint64_t chunk = bytes.Begin / ChunkSize; chunk * ChunkSize < end; ++chunk)
  {
    const ByteRange part = this->PartOf(chunk);
    if (bytes.Begin <= part.Begin && part.End <= bytes.End)
    {
      this->TakeWhole(chunk);
    }
    else
    {
      this->Clear(chunk);
    }
  }
}

void StaleChunks::Clear(const ByteRange& bytes) const
{
  const std::uint64_t end = std::min(bytes.End, this->End);
  for (std::uint64_t chunk = bytes.Begin / ChunkSize; chunk * ChunkSize < end; ++chunk)
  {
    this->Clear(chunk);
  }
}

void StaleChunks::Clear(std::uint64_t chunk) const
{
  const Byte state = StateAt(this->Table + chunk);
  std::uint8_t found = state.load(std::memory_order_acquire);
  if (found == Stale && state.compare_exchange_strong(found, BeingCleared))
  {
    const ByteRange part = this->PartOf(chunk);
    std::memset(this->Slot + part.Begin, 0, part.End - part.Begin);
    state.store(Valid, std::memory_order_release);
  }
  else if (found != Valid)
  {
    this->Await(chunk);
  }
}

// Before its bytes are written: whoever writes a part of it meanwhile must not clear these.
void StaleChunks::TakeWhole(std::uint64_t chunk) const
{
  const Byte state = StateAt(this->Table + chunk);
  std::uint8_t found = state.load(std::memory_order_acquire);
  if (found == Stale)
  {
    state.compare_exchange_strong(found, Valid); // or finds what another has made of it
  }
  if (found == BeingCleared)
  {
    this->Await(chunk);
  }
}

void StaleChunks::Await(std::uint64_t chunk) const
{
  const Deadline deadline(this->Limit);
  while (StateAt(this->Table + chunk).load(std::memory_order_acquire) != Valid)
  {
    if (deadline.Expired())
    {
      throw Error(Fault::TimedOut,
        "another rank of this program has begun to clear memory that this one writes or reads, and "
        "has not ended that for {:.3g} s (DSM_PEER_TIMEOUT): it was stopped or has crashed",
        this->Limit.count());
    }
    std::this_thread::yield();
  }
}

}
