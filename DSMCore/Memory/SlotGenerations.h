// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

namespace dsm
{

/// Where a segment keeps the generations of its slots: a table of 64-bit numbers behind them.
///
/// A slot's generation is raised before bytes change in it that somebody might still take for what
/// they were: those of a snapshot that was evicted, or of an image whose writer was lost. Whoever
/// reads a slot compares its generation behind the data with the one it was given, and whoever
/// writes compares before: a process that was stopped for so long that the server gave it up then
/// gets an error instead of another file's bytes. The same idea as a sequence lock's counter
/// (H.-J. Boehm, "Can seqlocks get along with programming language memory models?", MSPC 2012) and
/// as the fencing tokens of leases.
class SlotGenerations
{
public:
  SlotGenerations(std::uint64_t slotSize, std::uint64_t slotCount)
    : Begin(slotSize * slotCount)
    , Count(slotCount)
  {
  }

  /// Bytes of a segment with all slots and the table.
  std::uint64_t SegmentSize() const { return this->OffsetOf(this->Count); }

  /// Where a slot's generation is in a segment.
  std::uint64_t OffsetOf(std::uint64_t slot) const
  {
    return this->Begin + slot * sizeof(std::uint64_t);
  }

  /// Reads one in memory that this process maps, after all that this thread has read before.
  static std::uint64_t Load(const std::byte* word);

  /// Raises one before all that this thread writes later; a lower value changes nothing.
  static void Raise(std::byte* word, std::uint64_t generation);

private:
  std::uint64_t Begin;
  std::uint64_t Count;
};

}
