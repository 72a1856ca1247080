// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/AllocationQueue.h"

#include <algorithm>
#include <utility>

namespace dsm
{

void AllocationQueue::TryOrWait(Request request, Time now)
{
  if (this->Requests.empty() && request.Try())
  {
    return;
  }
  this->Requests.push_back({ std::move(request), now });
  this->Retry();
}

void AllocationQueue::Retry()
{
  for (auto waiting = this->Requests.begin(); waiting != this->Requests.end();)
  {
    bool settled = true;
    try
    {
      settled = waiting->What.Try();
    }
    catch (const std::exception& error)
    {
      waiting->What.Refuse(error);
    }
    waiting = settled ? this->Requests.erase(waiting) : waiting + 1;
  }
}

std::vector<AllocationQueue::Expired> AllocationQueue::TakeExpired(Time now)
{
  std::vector<Expired> late;
  std::erase_if(this->Requests,
    [&](const Entry& waiting)
    {
      if (Seconds(now - waiting.Since) < waiting.What.Limit)
      {
        return false;
      }
      late.push_back({ waiting.What.Refuse, waiting.What.Limit.count() });
      return true;
    });
  return late;
}

void AllocationQueue::Forget(const PeerId& peer)
{
  std::erase_if(this->Requests, [&](const Entry& waiting) { return waiting.What.Peer == peer; });
}

Seconds AllocationQueue::Waiting(Time now) const
{
  return this->Requests.empty() ? Seconds(0) : Seconds(now - this->Requests.front().Since);
}

}
