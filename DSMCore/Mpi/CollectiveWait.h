// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Watchdog.h"

#include <optional>
#include <string>

namespace dsm
{

/// While this thread is in a collective call, which waits for other ranks without a limit: after
/// DSM_WAIT_WARNING seconds (30) a warning says for what. Only the first few ranks of a
/// communicator tell it, since the others would tell the same.
class CollectiveWait
{
public:
  /// What this thread's collective calls are for, while it exists: "closing out.h5". The innermost
  /// counts.
  class Purpose
  {
  public:
    explicit Purpose(std::string what);
    ~Purpose();
    Purpose(const Purpose&) = delete;
    Purpose& operator=(const Purpose&) = delete;

  private:
    const std::string What;
    const std::string* Before = nullptr;
  };

  /// `call` is a literal; `rank` is this process's in the communicator.
  CollectiveWait(const char* call, int rank);
  CollectiveWait(const CollectiveWait&) = delete;
  CollectiveWait& operator=(const CollectiveWait&) = delete;

private:
  std::optional<Watchdog::Watch> Watch;
};

}
