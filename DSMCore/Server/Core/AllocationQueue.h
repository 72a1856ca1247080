// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Clock.h"
#include "Control/RequestId.h"

#include <deque>
#include <functional>
#include <vector>

namespace dsm
{

/// Requests that wait for memory, in the order in which they came, each as long as its limit says.
class AllocationQueue
{
public:
  using Time = Clock::time_point;

  /// Returns true when the request has been answered. If it throws, the request is refused.
  using Attempt = std::function<bool()>;
  using Refusal = std::function<void(const std::exception&)>;

  /// A request, and the peer on whose behalf it waits.
  struct Request
  {
    PeerId Peer;
    Seconds Limit{ 0 };
    Attempt Try;
    Refusal Refuse; ///< called if a later attempt throws
  };

  /// Tries at once unless others wait already, which come first. Throws what that attempt throws.
  void TryOrWait(Request request, Time now);

  /// Tries all: memory may have become free.
  void Retry();

  struct Expired
  {
    Refusal Refuse;
    double Waited = 0; ///< seconds
  };

  /// Removes the requests whose limit has passed.
  std::vector<Expired> TakeExpired(Time now);

  /// Removes the requests of a peer that has left.
  void Forget(const PeerId& peer);
  void Clear() { this->Requests.clear(); }

  bool IsWaiting() const { return !this->Requests.empty(); }

  /// How long the first request has been waiting. 0 if none is.
  Seconds Waiting(Time now) const;

private:
  struct Entry
  {
    Request What;
    Time Since;
  };

  std::deque<Entry> Requests;
};

}
