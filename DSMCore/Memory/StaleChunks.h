// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Clock.h"
#include "Mapping/ByteRange.h"

#include <cstddef>
#include <cstdint>

namespace dsm
{

/// Which parts of a slot on one host still hold the file that had the slot before.
///
/// To clear a slot takes as long as to write it, and most files are written from their beginning to
/// their end. So the hosts leave that to the ranks that write the next file, where all of these map
/// the slot: of a chunk that is written as a whole nothing is cleared, one that is written in part
/// is cleared before its first bytes go there, and what nobody has written when the file is closed
/// or shown is cleared then. Until the file is a snapshot nobody else reads it.
///
/// A chunk's state is a byte in a table behind the slots (SegmentLayout), which all ranks map: the
/// first that changes it does what is to be done, and others wait for that.
///
/// Thread safe, and safe among processes.
class StaleChunks
{
public:
  static constexpr std::uint64_t ChunkSize = UINT64_C(64) << 10;

  /// Bytes of the table for the first `size` bytes of a slot.
  static std::uint64_t TableSize(std::uint64_t size) { return (size + ChunkSize - 1) / ChunkSize; }

  /// Nothing is stale.
  StaleChunks() = default;

  /// The first `end` bytes of the slot at `slot` may be stale, and `table` says which are. Both
  /// must outlive this. `limit`: how long to wait for another process that clears a chunk, which
  /// takes microseconds where that is not stopped.
  StaleChunks(std::byte* slot, std::byte* table, std::uint64_t end, Seconds limit);

  /// All that lies before `end` is stale: by a host, while nobody writes to the slot.
  static void Reset(std::byte* table, std::uint64_t end);

  /// Whether anything of the slot from `begin` on may be stale.
  bool MayConcern(std::uint64_t begin) const { return begin < this->End; }

  /// Before these bytes are written. Throws Error(TimedOut).
  void Overwrite(const ByteRange& bytes) const;

  /// These bytes are zero behind it, where nobody has written them: before they are read, and of a
  /// file that nobody writes to, before others may read it. Throws Error(TimedOut).
  void Clear(const ByteRange& bytes) const;

private:
  void Clear(std::uint64_t chunk) const;
  void TakeWhole(std::uint64_t chunk) const;
  void Await(std::uint64_t chunk) const;
  ByteRange PartOf(std::uint64_t chunk) const;

  std::byte* Slot = nullptr;
  std::byte* Table = nullptr;
  std::uint64_t End = 0;
  Seconds Limit{ 0 };
};

}
