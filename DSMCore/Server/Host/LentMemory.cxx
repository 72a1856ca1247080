// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Host/LentMemory.h"

#include "Base/Environment.h"
#include "Base/Error.h"
#include "Base/RoundUp.h"
#include "Mapping/AddressMap.h"
#include "Memory/DiskWindows.h"
#include "Memory/NodeMemory.h"
#include "Memory/Segment.h"

#include <fmt/format.h>

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
// Files on disk are no larger everywhere than four times that; hosts and those who write may map it
// several times.
constexpr std::uint64_t LargestOnDisk = UINT64_C(1) << 42;
// Pinned slots beside those of the snapshots: for the file being written, and the one that is made
// ready for the next.
constexpr std::uint64_t PinnedForImages = 2;
// Where nobody says how many snapshots, or how large a file.
constexpr std::uint64_t PinnedSlots = 8;
// The segment is registered for those who write and for those who may only read.
constexpr std::uint64_t PinnedTwice = 2;
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
        "cannot share memory: only {} is free for each of the {} hosts on this node (memory: {}, "
        "/dev/shm: {}). Free some memory, enlarge /dev/shm (mount -o remount,size=… /dev/shm), or "
        "set the memory per host",
        environment::FormatBytes(lent), hostsHere, environment::FormatBytes(quarter),
        environment::FormatBytes(shared));
    }
    return lent;
  }
  if (asked > shared)
  {
    throw Error(Fault::System,
      "{} requested, but only {} is free in /dev/shm{}. Lower the memory per host, or enlarge "
      "/dev/shm (mount -o remount,size=… /dev/shm)",
      environment::FormatBytes(asked), environment::FormatBytes(shared),
      hostsHere == 1 ? "" : fmt::format(" for each of the {} hosts on this node", hostsHere));
  }
  return RoundUp(asked, Page);
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
  slots.Size = std::max(RoundUp(lent, unit), room / unit * unit);
  return slots;
}

std::uint64_t DiskSpace(std::uint64_t hostsHere)
{
  constexpr std::uint64_t unit = DiskWindows::Count * Segment::HugePage;
  return LargestOnDisk / hostsHere / unit * unit;
}

SlotLayout ComputePinnedLayout(std::uint64_t lent, std::uint64_t hosts, const Redistribution& map,
  std::uint64_t expectedFileSize, std::uint64_t maximumSnapshots)
{
  SlotLayout slots;
  if (expectedFileSize > 0)
  {
    const std::uint64_t wanted = expectedFileSize + expectedFileSize / 8;
    // Strategies that deal out blocks give the last ones to some of the hosts only.
    slots.Size = RoundUp(wanted / hosts + 1, Page);
    while (AddressMap(map.Over(hosts, std::max(slots.Size, map.BlockSize), expectedFileSize))
             .Capacity() < wanted)
    {
      slots.Size += std::max(Page, slots.Size / 16 / Page * Page);
    }
    slots.Size = RoundUp(std::max(slots.Size, map.BlockSize), Page);
    slots.Count = std::min(lent / slots.Size, MostSlots);
  }
  const std::uint64_t wanted =
    maximumSnapshots > 0 ? maximumSnapshots + PinnedForImages : PinnedSlots;
  if (expectedFileSize == 0 || (maximumSnapshots > 0 && wanted < slots.Count))
  {
    // As large as the memory allows.
    slots.Count = wanted;
    slots.Size = lent / wanted / Page * Page;
  }
  if (slots.Count < 2 || slots.Size == 0)
  {
    throw Error(Fault::Usage,
      "cannot divide {} of pinned memory per host into slots, one for each snapshot and each open "
      "file: {} of {} fit. Raise the memory per host, or expect smaller files",
      environment::FormatBytes(lent), slots.Count, environment::FormatBytes(slots.Size));
  }
  return slots;
}

void RequirePinnable(std::uint64_t bytes, std::uint64_t hostsHere)
{
  const std::uint64_t available = AvailableMemory() / hostsHere;
  if (bytes > available)
  {
    throw Error(Fault::System,
      "each of the {} hosts on this node would pin {}, and {} of memory are available for each: "
      "lower the memory per host",
      hostsHere, environment::FormatBytes(bytes), environment::FormatBytes(available));
  }
  const std::uint64_t may = LockableMemory();
  if (bytes > may / PinnedTwice)
  {
    throw Error(Fault::System,
      "this process may pin {} (ulimit -l), and a network would pin {} twice, for those who write "
      "and for those who may only read: raise that limit, or lower the memory per host",
      environment::FormatBytes(may), environment::FormatBytes(bytes));
  }
}

}
