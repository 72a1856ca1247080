// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Deadline.h"
#include "Control/RequestId.h"

#include <deque>
#include <functional>
#include <vector>

namespace dsm
{

/// Requests that wait for memory, in the order in which they came; each for as long as its limit
/// says. Not thread safe.
class AllocationQueue
{
public:
  /// True when the request has been answered. What it throws refuses the request.
  using Attempt = std::function<bool()>;
  using Refusal = std::function<void(const std::exception&)>;

  /// Tries at once, unless others wait already: those come first. Throws what the attempt throws
  /// then; `refuse` is called when it fails later. `peer`: on whose behalf.
  void TryOrWait(const PeerId& peer, Seconds limit, Attempt attempt, Refusal refuse);

  /// Memory may have become free: tries all.
  void Retry();

  struct Expired
  {
    Refusal Refuse;
    double Waited = 0; ///< seconds
  };

  /// Takes out those whose limit has passed.
  std::vector<Expired> TakeExpired();

  /// A peer has gone, and with it what it asked for.
  void Forget(const PeerId& peer);
  void Clear() { this->Requests.clear(); }

  /// How long the first has been waiting; 0 when none is.
  Seconds Waiting() const;

private:
  struct Entry
  {
    PeerId Peer;
    Deadline Until;
    Attempt Try;
    Refusal Refuse;
    Clock::time_point Since;
  };

  std::deque<Entry> Requests;
};

}
