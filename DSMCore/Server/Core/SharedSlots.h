// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Memory/Ring.h"
#include "Protocol/Descriptions.h"

#include <cstdint>
#include <map>

namespace dsm
{

/// Which slots are held by more than what was written there: a flush shows an image as it is, and
/// its snapshot has the bytes in the image's slot as long as nobody changes them. Such a slot
/// becomes free when the image, or the snapshot that it ended as, and all that share it have gone.
///
/// A value, as the ring is: what would be free without some snapshots is seen with copies of both.
class SharedSlots
{
public:
  /// One snapshot more has bytes in an image's slot: of a file of that size.
  void Share(SlotIndex slot, const AddressMap& map, std::uint64_t size);

  /// A snapshot goes, or never became one.
  void Free(Ring& ring, const SnapshotDescription& snapshot);

  /// What wrote into a slot has ended without a snapshot of its own, and wrote `reach` bytes. To be
  /// given back: as Ring::Free. `whole`: the snapshot that shows all of it; 0: none does.
  CleaningPlan Finish(
    Ring& ring, SlotIndex slot, const AddressMap& map, std::uint64_t reach, SnapshotId whole = 0);

  /// Whether a snapshot that shares a slot is all that was written there, and nobody writes there.
  bool IsWhole(SlotIndex slot, SnapshotId snapshot) const;

  /// The slot of such a snapshot is written further.
  void Reopen(SlotIndex slot);

  /// Whether each that shares a slot is of a file at least as long as those before it.
  bool OnlyGrew(SlotIndex slot) const;

  /// Of the largest file that shares a slot's bytes; 0: none does.
  std::uint64_t SizeIn(SlotIndex slot) const;

  /// It was lost. `whole`: the snapshot that is all that was written there; 0: none is.
  CleaningPlan Discard(Ring& ring, SlotIndex slot, SnapshotId whole = 0);

private:
  struct Shared
  {
    AddressMap Map;
    std::uint64_t Sharers = 0;
    std::uint64_t Size = 0; ///< of the largest file
    bool Grew = true;       ///< with each
    bool Owned = true;      ///< also by what was written there
    /// Where it is not: the snapshot that is just that; 0: there is none.
    SnapshotId Whole = 0;
  };

  std::map<SlotIndex, Shared> Slots;
};

/// How many bytes a snapshot has aside on each host.
Ring::Sizes AsideSizes(const SharedBytes& shared);

}
