// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Mapping/Strategy.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace dsm
{

/// Where the files that outgrow the memory go on, on each host: behind the slots, a range of
/// address space that a file on disk stands behind (Segment) is divided into windows, all alike,
/// and a slot whose image has outgrown the memory has one as long as it holds anything.
///
///     | slot 0 | slot 1 | ... | tables | window 0 | window 1 | ...
///     '------------ memory ------------'--------- disk ----------
///
/// Offsets count from a slot's beginning, also those of its window. Knows how far the hosts have
/// taken room on their disks for each. A value, as the ring is: no file, no thread.
class DiskWindows
{
public:
  using Sizes = std::vector<std::uint64_t>; ///< bytes, for each host

  /// So many files may outgrow the memory at the same time.
  static constexpr std::uint64_t Count = 16;

  /// None.
  DiskWindows() = default;

  /// `size` bytes from `begin` on in each of the hosts' segments, whose slots have `slotSize`.
  DiskWindows(std::uint64_t hosts, std::uint64_t begin, std::uint64_t size, std::uint64_t slotSize);

  /// Bytes of a window, on each host; 0: there are none.
  std::uint64_t Capacity() const { return this->WindowSize; }

  /// A window for a slot that has none: where it begins (DiskShare::Offset). The one that was freed
  /// the longest ago, since a writer that was lost may still write into its last. None when others
  /// have all.
  std::optional<std::uint64_t> Take(SlotIndex slot);

  /// The slot is free: what it had there is forgotten.
  void Free(SlotIndex slot);

  bool Has(SlotIndex slot) const { return this->Taken.contains(slot); }

  /// Bytes [Begin, End) of a slot, on each host.
  struct Range
  {
    Sizes Begin;
    Sizes End;
  };

  /// There is to be room on the disks for so much of a slot. What is to be taken.
  Range Extend(SlotIndex slot, const Sizes& bytes);

  /// So much of it is to stay. What is to be forgotten.
  Range Shrink(SlotIndex slot, const Sizes& bytes);

  /// What a slot has room for now.
  Range All(SlotIndex slot) const;

  /// Room that all slots have taken on a host's disk.
  std::uint64_t Used(HostIndex host) const;

private:
  struct Window
  {
    std::uint64_t Index = 0;
    std::uint64_t Offset = 0;
    Sizes Bytes;

    Sizes Ends() const;
  };

  std::uint64_t Hosts = 0;
  std::uint64_t Begin = 0;
  std::uint64_t WindowSize = 0;
  std::uint64_t SlotSize = 0;
  std::uint64_t Last = Count - 1;    ///< the window that was taken last
  std::map<SlotIndex, Window> Taken; ///< by slots
};

}
