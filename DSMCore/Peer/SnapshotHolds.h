// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Control/Channel.h"
#include "Peer/SlotEntry.h"
#include "Protocol/SnapshotMessages.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

namespace dsm
{

/// Of one connection: the snapshots that this process reads without having asked for them, and what
/// its server has yet to be told of that. A program that opens thousands of files one after the
/// other tells it all in a few messages, of which none has made it wait. Shared with the channel's
/// thread, which composes them; thread safe.
class SnapshotHolds : public std::enable_shared_from_this<SnapshotHolds>
{
public:
  /// Begins to hold a snapshot; the server hears of it within some milliseconds. Returns the
  /// lease's number, which no other hold of this process has. `entry`: keeps the snapshot until the
  /// server has heard of it.
  std::uint64_t Begin(
    Channel& channel, SnapshotId number, bool peek, std::optional<SlotEntry> entry = {});

  /// Ends that. Never throws.
  void End(Channel& channel, std::uint64_t lease) noexcept;

private:
  struct Untold
  {
    SnapshotHold Hold;
    std::optional<SlotEntry> Entry;
  };

  void Tell(Channel& channel);
  std::vector<Channel::Notice> Compose();

  std::mutex Guard;                      // for these
  bool Asked = false;                    ///< the channel's thread will compose a message
  std::map<std::uint64_t, Untold> Begun; ///< by lease
  std::vector<std::uint64_t> Ended;
  std::set<SnapshotId> Read;
};

}
