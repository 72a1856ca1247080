// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Transport/Mpi/MpiLink.h"
#include "Transport/Mpi/Wire.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace dsm
{

/// What a rank has under way to the hosts of a link: requests, oldest first, and the orders that
/// hosts obey. Waiting has a limit; when that is reached, or MPI reports an error, the link is
/// given up, and everything that uses it fails at once from then on.
class Transfers
{
public:
  Transfers(std::shared_ptr<MpiLink> link, WaitPolicy waitPolicy);

  /// Whatever MPI has not done is left to it, with the memory it needs.
  ~Transfers();
  Transfers(const Transfers&) = delete;
  Transfers& operator=(const Transfers&) = delete;

  MpiLink& Link() const { return *this->Joined; }

  /// Takes note of a request; waits for old ones when there are too many.
  void Add(std::uint64_t host, Request request);

  /// Sends an operation, with the bytes of a small put behind it.
  void SendOperation(
    std::uint64_t host, const wire::Operation& operation, const void* data, std::uint64_t size);

  /// Asks a host to answer when all messages before this one are in its memory.
  void Fence(std::uint64_t host);

  /// Waits for all requests and answers. Throws Error(PeerLost), Error(TimedOut) or Error(System).
  void Wait() { this->WaitUntilAtMost(0); }

private:
  struct Transfer
  {
    std::uint64_t Host;
    Request Moving;
  };

  void WaitUntilAtMost(std::size_t count);

  std::shared_ptr<MpiLink> Joined;
  WaitPolicy Waiting;
  std::size_t Depth; ///< so many are never under way after a transfer was added
  std::deque<Transfer> UnderWay;
  std::vector<std::uint64_t> Answers;
  std::uint64_t LastFence = 0;
};

}
