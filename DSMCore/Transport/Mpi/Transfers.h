// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Transport/Mpi/MpiLink.h"
#include "Transport/Mpi/Wire.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>

namespace dsm
{

/// What a rank has under way to the hosts of a link: requests, oldest first, and the orders that
/// hosts obey. Waiting has a limit; when that is reached, or MPI reports an error, the link is
/// given up, and everything that uses it fails at once from then on. Whatever MPI has not done is
/// then left to it, with the memory it needs.
///
/// What comes from hosts comes to memory of the requests, and from there to the callers': MPI
/// cannot be kept from writing what was given up, and by then the callers have other things there,
/// as a return address where it was a variable on the stack.
class Transfers
{
public:
  /// What is done with bytes that have come.
  using Taking = std::function<void(std::span<const std::byte>)>;

  /// A get is cut into pieces of this size, so that what comes is still in the cache when it is
  /// copied.
  static constexpr std::uint64_t LargestArrival = UINT64_C(256) << 10;

  Transfers(std::shared_ptr<MpiLink> link, WaitPolicy waitPolicy);
  ~Transfers() { this->LeaveBehind(); }
  Transfers(const Transfers&) = delete;
  Transfers& operator=(const Transfers&) = delete;

  MpiLink& Link() const { return *this->Joined; }

  /// Takes note of a request; waits for old ones when there are too many. Where bytes come that it
  /// owns, `take` gets them, unless they are given up.
  void Add(HostIndex host, Request request, Taking take = {});

  /// The same for bytes that go to `destination`, which must stay until Wait returns or throws.
  void AddArrival(HostIndex host, Request request, std::byte* destination);

  /// Sends an operation, with the bytes of a small put behind it.
  void SendOperation(
    HostIndex host, const wire::Operation& operation, const void* data, std::uint64_t size);

  /// Asks a host to answer when all messages before this one are in its memory.
  void Fence(HostIndex host);

  /// Waits for all requests and answers. Throws Error(PeerLost), Error(TimedOut) or Error(System),
  /// each time from the first on.
  void Wait();

private:
  struct Transfer
  {
    HostIndex Host;
    Request Moving;
    Taking Take; ///< empty: nothing comes that anybody wants
  };

  void WaitForOldest();
  void LeaveBehind() noexcept;

  std::shared_ptr<MpiLink> Joined;
  WaitPolicy Waiting;
  std::size_t Depth; ///< so many are never under way after a transfer was added
  std::deque<Transfer> UnderWay;
  std::uint64_t Coming = 0; ///< bytes of all that is to be taken
  std::uint64_t LastFence = 0;
};

}
