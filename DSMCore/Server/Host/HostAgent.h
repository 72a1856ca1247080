// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Memory/MemoryLook.h"
#include "Memory/Segment.h"
#include "Memory/SegmentLayout.h"
#include "Protocol/HostMessages.h"
#include "Server/Host/HostDisk.h"
#include "Server/Host/HostLink.h"
#include "Server/Host/ShareWriter.h"
#include "Server/Host/Warmer.h"
#include "Transport/HostTransport.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace dsm
{

/// Threads on every host: one that cleans, populates and releases pages of the segment when the
/// coordinator asks for it, so that a writer need not wait for this work; and one that writes what
/// the host has of snapshots to disk.
/// Makes no MPI call.
class HostAgent
{
public:
  using MakeLink = std::function<std::shared_ptr<HostLink>(Channel::EventHandler)>;

  /// Connects to the coordinator as the agent of this host. Throws as Channel::Request does. The
  /// segment must outlive the agent, as must `transports` (by their kinds' names), which
  /// communicate with their mediators through it.
  HostAgent(Segment& segment, std::uint64_t slotSize, std::uint64_t slotCount,
    const MakeLink& connect, std::map<std::string, HostTransport*> transports);
  ~HostAgent();
  HostAgent(const HostAgent&) = delete;
  HostAgent& operator=(const HostAgent&) = delete;

private:
  using Range = Warmer::Range;

  void Receive(const Envelope& event);
  void Run();
  void Clean(const PrepareMemory& task);
  void TakeRoomOnDisk(const PrepareMemory& task);
  void ForgetReleased(const PrepareMemory& task);
  void PopulateSome(Range range);
  void MakeReady(const PrepareMemory& task);
  void WarmSome(const Range& range);
  Range Locate(const SlotRange& range) const;

  Segment& Memory;
  std::uint64_t SlotSize;
  SegmentLayout Layout;
  std::map<std::string, HostTransport*> Transports;
  MemoryLook Spare; ///< what may be made ready ahead, so that enough is left to others
  HostDisk Disk;
  std::mutex Guard;
  std::condition_variable Wake;
  std::deque<PrepareMemory> ToClean;
  std::deque<Range> ToPopulate; ///< done piecewise, whenever there is nothing to clean
  bool Ending = false;
  std::thread Worker; ///< for what is waited for
  Warmer Ahead;
  ShareWriter Shares;             ///< ends before the link, by which it reports
  std::shared_ptr<HostLink> Link; ///< transports may speak a moment longer
};

}
