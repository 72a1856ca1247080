// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Control/Channel.h"
#include "Memory/Segment.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace dsm
{

class MpiService;

/// One host's hands: a thread that cleans, populates and releases pages of the segment when the
/// coordinator asks for it, so that the work is done before a writer comes and beside its way.
/// Makes no MPI call.
class HostAgent
{
public:
  /// Connects to the coordinator and says which host this is. Throws as Channel::Request does.
  /// `mpi`, if any, gets the events that are for it, speaks through this agent, and outlives it.
  HostAgent(Segment segment, std::uint64_t slotSize, std::uint64_t host, const Contact& contact,
    const std::string& contactPath, MpiService* mpi = nullptr);
  ~HostAgent();
  HostAgent(const HostAgent&) = delete;
  HostAgent& operator=(const HostAgent&) = delete;

private:
  struct Range
  {
    std::uint64_t Begin = 0;
    std::uint64_t Size = 0;
  };

  void Enqueue(const nlohmann::json& event);
  void Run();
  void Clean(const nlohmann::json& task);
  void ForgetReleased(const nlohmann::json& task);
  void PopulateSome(Range range);
  Range Locate(const nlohmann::json& range) const;

  Segment Memory;
  std::uint64_t SlotSize;
  std::uint64_t Host;
  MpiService* Mpi;
  std::mutex Guard;
  std::condition_variable Wake;
  std::deque<nlohmann::json> ToClean;
  std::deque<Range> ToPopulate; ///< done piecewise, whenever there is nothing to clean
  bool Ending = false;
  std::thread Worker;
  std::unique_ptr<Channel> Link;
};

}
