// SPDX-License-Identifier: BSD-3-Clause
#include "Session/LentMemory.h"

#include "Base/Environment.h"
#include "Base/Error.h"
#include "Memory/NodeMemory.h"
#include "Memory/Segment.h"

#include <algorithm>

namespace dsm
{

namespace
{
constexpr std::uint64_t Page = 4096;
// Less than this holds no file worth a picture: nobody meant it.
constexpr std::uint64_t LeastByItself = UINT64_C(1) << 20;
// Half of a process's address space: what all mapped slots of a node may take.
constexpr std::uint64_t LargestMapping = UINT64_C(1) << 46;
// Images being written need slots beside the snapshots: a program may keep many files open.
constexpr std::uint64_t SlotsForImages = 256;
// Slots cost address space only: so many snapshots can be asked for later, whatever is asked for at
// Start.
constexpr std::uint64_t SnapshotsToCome = 64;
// With one file per rank, or one per quantity, many are small: there are more slots where address
// space is left. The books of all are gone through for each image.
constexpr std::uint64_t MostSlots = 2048;
// So many times the memory at Start can be asked for later: again only address space.
constexpr std::uint64_t Growth = 4;
constexpr std::uint64_t LargestGrown = LargestMapping / 2;
// But so many times at least, rather than more slots.
constexpr std::uint64_t LeastGrowth = 2;
}

std::uint64_t MemoryToLend(std::uint64_t asked, std::uint64_t hostsHere)
{
  const std::uint64_t shared = AvailableSharedMemory() / hostsHere;
  if (asked == 0)
  {
    const std::uint64_t quarter = AvailableMemory() / 4 / hostsHere;
    const std::uint64_t lent = std::min(quarter, shared / 10 * 9) / Page * Page;
    if (lent < LeastByItself)
    {
      throw Error(Fault::System,
        "each of the {} hosts on this node could lend no more than {}: memory for {} is available, "
        "and /dev/shm has {} left for each. Free some, enlarge /dev/shm (mount -o "
        "remount,size=… /dev/shm), or say the memory per host",
        hostsHere, environment::FormatBytes(lent), environment::FormatBytes(quarter),
        environment::FormatBytes(shared));
    }
    return lent;
  }
  if (asked > shared)
  {
    throw Error(Fault::System,
      "each of the {} hosts on this node shall lend {}, but /dev/shm has {} left for each: lower "
      "the memory per host, or enlarge /dev/shm (mount -o remount,size=… /dev/shm)",
      hostsHere, environment::FormatBytes(asked), environment::FormatBytes(shared));
  }
  return (asked + Page - 1) / Page * Page;
}

SlotLayout ComputeSlotLayout(
  std::uint64_t lent, std::uint64_t room, std::uint64_t hostsHere, std::uint64_t maximumSnapshots)
{
  SlotLayout slots;
  const std::uint64_t least = std::max(maximumSnapshots, SnapshotsToCome) + SlotsForImages;
  const std::uint64_t wanted = std::clamp<std::uint64_t>(
    LargestGrown / (LeastGrowth * lent * hostsHere), least, std::max(least, MostSlots));
  slots.Count = std::clamp<std::uint64_t>(LargestMapping / (lent * hostsHere), 2, wanted);
  room = std::min({ room, Growth * lent, LargestGrown / (slots.Count * hostsHere) });
  constexpr std::uint64_t unit = Segment::HugePage; // so that slots begin where huge pages can
  slots.Size = std::max((lent + unit - 1) / unit * unit, room / unit * unit);
  return slots;
}

}
