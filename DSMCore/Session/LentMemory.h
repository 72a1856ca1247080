// SPDX-License-Identifier: BSD-3-Clause
#pragma once

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

}
