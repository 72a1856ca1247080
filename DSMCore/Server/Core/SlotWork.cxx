// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/SlotWork.h"

#include <utility>

namespace dsm
{

std::vector<SlotWork> ReleaseWork(CleaningPlan plan)
{
  std::vector<SlotWork> work;
  if (!plan.Release.empty())
  {
    const SlotIndex slot = plan.Release.front().Slot;
    work.push_back({ slot, std::move(plan) });
  }
  return work;
}

}
