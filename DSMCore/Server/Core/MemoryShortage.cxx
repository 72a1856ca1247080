// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/MemoryShortage.h"

#include <utility>

namespace dsm
{

bool MemoryShortage::Begin(Clock::time_point now)
{
  this->Last = now;
  this->Limits.clear();
  return !std::exchange(this->IsShort, true);
}

bool MemoryShortage::MayTryAgain(Clock::time_point now) const
{
  return now - this->Last >= Pause;
}

void MemoryShortage::NoteLifted(std::vector<std::uint64_t> limits)
{
  this->Limits = std::move(limits);
}

bool MemoryShortage::EndsWith(const Ring& memory)
{
  for (HostIndex host = 0; host < this->Limits.size(); ++host)
  {
    // The ring counts bytes and not pages, so a limit is not exact.
    const std::uint64_t resident = memory.Resident(host);
    if (resident - resident / 8 > this->Limits[host])
    {
      this->Limits.clear();
      this->IsShort = false;
      return true;
    }
  }
  return false;
}

}
