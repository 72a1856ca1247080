// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Hosting.h"
#include "Settings.h"
#include "World.h"

namespace bench
{

/// Collective over all ranks: latency and bandwidth of single puts and gets by message size, from
/// the first writer to the first host, for each transport, on the transport's own interface (as the
/// OSU micro-benchmarks do for MPI). Prints a table and writes the CSV file. Returns the number of
/// transports that could not be measured.
int MeasurePuts(const World& world, Hosting& hosting, const Settings& settings);

}
