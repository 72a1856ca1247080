// SPDX-License-Identifier: BSD-3-Clause
#include "Mpi/RestingGroup.h"

#include "Base/Clock.h"
#include "Mpi/CollectiveWait.h"
#include "Mpi/Polling.h"
#include "Mpi/Request.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace dsm
{

namespace
{
using std::chrono::microseconds;

// A rank does not sleep before it has waited this long: most messages have come by then. Each sleep
// behind that is a small part of the wait so far.
constexpr microseconds AtOnce(30);
constexpr microseconds ShortestSleep(20);
constexpr microseconds LongestSleep(500);
constexpr int PartOfWait = 16;

std::function<void()> Rest()
{
  return [began = Clock::now()]
  {
    const auto waited = std::chrono::duration_cast<microseconds>(Clock::now() - began);
    // A thread that sleeps is given a core when it wakes; one that yields loses its turn.
    if (waited >= AtOnce)
    {
      std::this_thread::sleep_for(std::clamp(waited / PartOfWait, ShortestSleep, LongestSleep));
    }
  };
}
}

void RestingGroup::Barrier() const
{
  if (this->Ranks.Size() > 1)
  {
    const CollectiveWait wait("MPI_Ibarrier", this->Rank());
    Request barrier = Request::Barrier(this->Ranks);
    PollUntil([&] { return barrier.Done(); }, Rest());
  }
}

std::string RestingGroup::BroadcastText(const std::string& text, int root) const
{
  if (this->Ranks.Size() > 1)
  {
    // Only this byte may be long in coming. The root sends the text right behind it.
    const CollectiveWait wait("MPI_Ibcast", this->Rank());
    char first = 0;
    this->Ranks.BroadcastYielding(&first, sizeof first, root, Rest());
  }
  return this->Ranks.BroadcastText(text, root);
}

std::vector<std::string> RestingGroup::AllGatherText(const std::string& text) const
{
  this->Barrier();
  return this->Ranks.AllGatherText(text);
}

std::uint64_t RestingGroup::Max(std::uint64_t value) const
{
  this->Barrier();
  return this->Ranks.Max(value);
}

void RestingGroup::BroadcastYielding(
  void* data, std::uint64_t bytes, const std::function<void()>& rest) const
{
  this->Ranks.BroadcastYielding(data, bytes, 0, rest);
}

}
