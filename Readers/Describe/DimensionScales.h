// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Recogniser.h"

namespace dsm::describe
{

/// Files whose datasets have dimension scales: netCDF-4, with or without the CF conventions,
/// h5py's, Dedalus's. Scales are coordinates and time, never fields; what the scales' attributes
/// and names do not say is guessed by the order t, z, y, x. One part for each set of coordinates.
std::optional<Description> RecogniseDimensionScales(const Asked& asked);

}
