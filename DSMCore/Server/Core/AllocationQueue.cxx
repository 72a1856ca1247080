// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/AllocationQueue.h"

#include <algorithm>
#include <utility>

namespace dsm
{

void AllocationQueue::TryOrWait(const PeerId& peer, Seconds limit, Attempt attempt, Refusal refuse)
{
  if (this->Requests.empty() && attempt())
  {
    return;
  }
  this->Requests.push_back(
    { peer, Deadline(limit), std::move(attempt), std::move(refuse), Clock::now() });
  this->Retry();
}

void AllocationQueue::Retry()
{
  for (auto waiting = this->Requests.begin(); waiting != this->Requests.end();)
  {
    bool settled = true;
    try
    {
      settled = waiting->Try();
    }
    catch (const std::exception& error)
    {
      waiting->Refuse(error);
    }
    waiting = settled ? this->Requests.erase(waiting) : waiting + 1;
  }
}

std::vector<AllocationQueue::Expired> AllocationQueue::TakeExpired()
{
  std::vector<Expired> late;
  std::erase_if(this->Requests,
    [&](const Entry& waiting)
    {
      if (!waiting.Until.Expired())
      {
        return false;
      }
      late.push_back({ waiting.Refuse, waiting.Until.LimitInSeconds() });
      return true;
    });
  return late;
}

void AllocationQueue::Forget(const PeerId& peer)
{
  std::erase_if(this->Requests, [&](const Entry& waiting) { return waiting.Peer == peer; });
}

Seconds AllocationQueue::Waiting() const
{
  return this->Requests.empty() ? Seconds(0) : Seconds(Clock::now() - this->Requests.front().Since);
}

}
