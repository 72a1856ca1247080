// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Memory/Ring.h"

#include <cstdint>
#include <vector>

namespace dsm
{

/// Work that the hosts do for a slot.
struct SlotWork
{
  SlotIndex Slot = 0;
  CleaningPlan Plan; ///< it may name other slots as well
};

/// Returns the work of a plan that releases pages; nothing if the plan releases none.
std::vector<SlotWork> ReleaseWork(CleaningPlan plan);

}
