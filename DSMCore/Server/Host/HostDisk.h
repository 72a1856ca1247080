// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Memory/Segment.h"
#include "Server/Host/Warmer.h"

#include <cstdint>
#include <map>

namespace dsm
{

/// On a host: takes room on disk for files that outgrow the memory, and sees to it that what is
/// there leaves memory. Such files grow at their ends mostly. So when one gets more room, what lies
/// before that begins to be written to disk, and what lies far before it leaves memory; the system
/// reads it again when somebody wants it. Where the disk is slower than who writes, room is taken
/// no faster than it writes: no more of a file than Hot is in memory only.
///
/// One thread uses it.
class HostDisk
{
public:
  using Range = Warmer::Range; ///< of the segment

  /// Of what a file has on a host's disk, so much behind is kept in memory, bytes.
  static constexpr std::uint64_t Hot = UINT64_C(64) << 20;

  explicit HostDisk(Segment& segment)
    : Memory(segment)
  {
  }

  /// The segment has its disk. Throws Error(System) when that has no room.
  void Take(const Range& range);

  /// The room is given back; what was there reads as zero.
  void Forget(const Range& range);

private:
  Segment& Memory;
  std::map<std::uint64_t, std::uint64_t> Left; ///< up to where, of what begins there
};

}
