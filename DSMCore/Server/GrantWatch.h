// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Doorbell.h"
#include "Control/ServiceThread.h"

#include <functional>
#include <memory>

namespace dsm
{

/// On host rank 0, the thread that notices what ranks want in its memory (SharedGrants): at once
/// where they ring, and by looking again and again where some may have no bell to ring.
class GrantWatch
{
public:
  /// Looks, and returns whether somebody may want something without ringing. In the watch's thread;
  /// must not block.
  using Look = std::function<bool()>;

  GrantWatch(Doorbell questions, Look look);

  /// From now on nobody looks. Not to be called with a lock held that Look takes.
  ~GrantWatch();
  GrantWatch(const GrantWatch&) = delete;
  GrantWatch& operator=(const GrantWatch&) = delete;

  /// Somebody may want something without ringing from now on.
  void Wake() const;

private:
  struct State;

  Doorbell Questions;
  std::shared_ptr<State> Shared;
  ServiceThread Thread;
};

}
