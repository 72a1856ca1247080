// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Mapping/AddressMap.h"
#include "Memory/StaleChunks.h"
#include "Peer/ImageSlot.h"

#include <cstdint>
#include <vector>

namespace dsm
{

/// Clears what an image's slot still holds of the file before (StaleChunks), on all hosts.
class StaleSlot
{
public:
  /// `ends` says how many bytes of the slot may be stale on each host: ImageDescription::Stale. The
  /// slot must outlive this.
  StaleSlot(const ImageSlot& slot, const std::vector<std::uint64_t>& ends);

  /// Returns true if anything from an offset on may be stale.
  bool MayConcern(HostIndex host, std::uint64_t begin) const
  {
    return this->Chunks[host].MayConcern(begin);
  }

  /// Prepares bytes that are about to be written. Throws Error(TimedOut).
  void Overwrite(HostIndex host, const ByteRange& bytes) const
  {
    if (this->MayConcern(host, bytes.Begin))
    {
      this->Chunks[host].Overwrite(bytes);
    }
  }

  /// Prepares bytes that are about to be read: those that nobody wrote are zero behind it. Throws
  /// Error(TimedOut), and Error(PeerLost) if the slot is not the image's any more: then its table
  /// may say anything.
  void Clear(HostIndex host, const ByteRange& bytes) const
  {
    if (this->MayConcern(host, bytes.Begin))
    {
      this->Slot.RequireKept(host, false);
      this->Chunks[host].Clear(bytes);
    }
  }

  /// Clears all that a reader would take for a part of a file of that size. One rank calls it,
  /// while none writes.
  void ClearUnwritten(const AddressMap& map, std::uint64_t fileSize) const;

  /// Puts zeros over all that may be stale. One rank calls it, before any rank writes, if not all
  /// ranks map the slot: those could not see which chunks are stale.
  void PutZeros() const;

  /// Nothing is stale any more.
  void Forget() { this->Chunks.assign(this->Chunks.size(), StaleChunks()); }

private:
  const ImageSlot& Slot;
  std::vector<std::uint64_t> Ends;
  std::vector<StaleChunks> Chunks; ///< for each host
};

}
