// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Cell.h"
#include "Hosting.h"
#include "Settings.h"
#include "World.h"

#include <vector>

namespace bench
{

/// Collective over all ranks: measures one cell. The outcome is complete on rank 0.
Outcome Measure(const Cell& cell, const World& world, Hosting& hosting, const Settings& settings);

}
