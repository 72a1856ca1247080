// SPDX-License-Identifier: BSD-3-Clause
#include "Peer/SnapshotHolds.h"

#include "Base/Log.h"

#include <atomic>
#include <new>
#include <utility>

namespace dsm
{

std::uint64_t SnapshotHolds::Begin(
  Channel& channel, SnapshotId number, bool peek, std::optional<SlotEntry> entry)
{
  static std::atomic<std::uint64_t> last = HoldSnapshots::FirstLease;
  const std::uint64_t lease = last++;
  const std::lock_guard lock(this->Guard);
  this->Begun.emplace(lease, Untold{ { number, lease, peek }, std::move(entry) });
  this->Tell(channel);
  return lease;
}

void SnapshotHolds::End(Channel& channel, std::uint64_t lease) noexcept
try
{
  const std::lock_guard lock(this->Guard);
  if (const auto untold = this->Begun.find(lease); untold != this->Begun.end())
  {
    if (!untold->second.Hold.Peek)
    {
      this->Read.insert(untold->second.Hold.Number);
    }
    this->Begun.erase(untold);
  }
  else
  {
    this->Ended.push_back(lease);
    this->Tell(channel);
  }
}
catch (const std::bad_alloc&)
{
  Log().warn("no memory to tell the server that a snapshot is closed");
}

// With the lock.
void SnapshotHolds::Tell(Channel& channel)
{
  if (std::exchange(this->Asked, true))
  {
    return;
  }
  channel.ComposeSoon([self = this->shared_from_this()] { return self->Compose(); });
}

std::vector<Channel::Notice> SnapshotHolds::Compose()
{
  HoldSnapshots holds;
  {
    const std::lock_guard lock(this->Guard);
    this->Asked = false;
    for (auto& [lease, untold] : this->Begun)
    {
      if (untold.Entry)
      {
        untold.Hold.Entered = untold.Entry->HandOver();
      }
      holds.Begun.push_back(untold.Hold);
    }
    holds.Read.assign(this->Read.begin(), this->Read.end());
    holds.Ended.swap(this->Ended);
    this->Begun.clear();
    this->Read.clear();
  }
  std::vector<Channel::Notice> notices;
  if (!holds.Begun.empty() || !holds.Ended.empty() || !holds.Read.empty())
  {
    notices.push_back(Channel::Notice::Of(holds));
  }
  return notices;
}

}
