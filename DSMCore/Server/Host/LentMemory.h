// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Mapping/Redistribution.h"

#include <cstdint>

namespace dsm
{

/// Bytes that one host lends: what was asked for, or, when that is 0, a fair part of what the node
/// has. Whole pages. Throws Error(System) when /dev/shm has less left than was asked for.
/// @param hostsHere how many hosts share this node
std::uint64_t MemoryToLend(std::uint64_t asked, std::uint64_t hostsHere);

/// How a host's segment is cut into slots, one for each snapshot and each image being written.
struct SlotLayout
{
  std::uint64_t Count = 0;
  std::uint64_t Size = 0; ///< bytes, whole pages
};

/// Slots cost address space only until they are written. So there are enough of them, and they are
/// large enough, for more snapshots and more memory than at Start.
/// @param lent  bytes that each host lends at Start
/// @param room  bytes that each host could lend at most
/// @param hostsHere how many hosts share a node, on the node that has most: a process maps the
/// segments of those of its node
/// @param maximumSnapshots as ServerOptions has it
SlotLayout ComputeSlotLayout(
  std::uint64_t lent, std::uint64_t room, std::uint64_t hostsHere, std::uint64_t maximumSnapshots);

/// Bytes of address space that each host has for what goes to its disk of files that do not fit
/// memory.
std::uint64_t DiskSpace(std::uint64_t hostsHere);

/// The slots of pinned memory, which are never larger than their pages: together they have
/// what is lent. Where the size of a file is known, slots hold such a file and an eighth more, and
/// there are as many as fit, but no more than two beside the snapshots that are to be kept; where
/// it is not known, there are so many, or eight. Throws Error(Usage) when that makes fewer than
/// two.
/// @param lent  bytes that each of `hosts` hosts lends
/// @param map   how files spread over the hosts
/// @param expectedFileSize, maximumSnapshots as ServerOptions has them
SlotLayout ComputePinnedLayout(std::uint64_t lent, std::uint64_t hosts, const Redistribution& map,
  std::uint64_t expectedFileSize, std::uint64_t maximumSnapshots);

/// Throws Error(System) when each of the hosts on this node cannot have so much memory, or a
/// network may not pin it for this process.
void RequirePinnable(std::uint64_t bytes, std::uint64_t hostsHere);

}
