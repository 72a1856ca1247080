// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Recogniser.h"

namespace dsm::describe
{

/// Describes files whose datasets have dimension scales: netCDF-4, with or without the CF
/// conventions, h5py's, Dedalus's. Scales are coordinates and time, never fields. If a scale's
/// attributes and name do not tell its axis, the order t, z, y, x is guessed. Makes a part for each
/// set of coordinates.
std::optional<Description> RecogniseDimensionScales(const Asked& asked);

}
