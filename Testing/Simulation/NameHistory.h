// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dsm::simulation
{

/// The history of the names, in the order of the core's events.
struct NameEvent
{
  enum class Kind
  {
    Created,   ///< an image was begun
    Sealed,    ///< and became a snapshot of the name
    Published, ///< likewise, by a flush
    Announced, ///< viewers hear of the snapshot
    Joined,    ///< likewise, as a part of a snapshot in several files
    Opened,    ///< a reader asked for the name and got the snapshot
    Gone,      ///< a reader heard that the newest snapshot has left
    Unknown,   ///< a reader heard that there is no snapshot of the name
    Awaited,   ///< a reader asked for a snapshot behind another
    Evicted,   ///< a snapshot left the ring
    Deleted    ///< the simulation deleted the file
  };

  Kind What = Kind::Created;
  std::uint64_t Event = 0; ///< of the core
  std::string File{};
  std::uint64_t Number = 0; ///< of the snapshot. Of Deleted: how many there were
  std::uint64_t After = 0;  ///< of Awaited
};

using NameHistory = std::vector<NameEvent>;

}
