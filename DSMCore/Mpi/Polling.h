// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <functional>
#include <thread>

namespace dsm
{

/// Calls `isDone` until it returns true. Calls `rest` in between, or sleeps for a millisecond if
/// `rest` is empty.
template <typename IsDone>
void PollUntil(const IsDone& isDone, const std::function<void()>& rest)
{
  while (!isDone())
  {
    if (rest)
    {
      rest();
    }
    else
    {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
}

}
