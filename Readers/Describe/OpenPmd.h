// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Recogniser.h"

namespace dsm::describe
{

/// Files by the openPMD standard, 1.x and 2.0: meshes, where those with the same points are one
/// part, and particles, where each species is one. All numbers become those in SI units. Components
/// of a vector that lie at different positions in the cell are arrays of their own, on their own
/// points. Iterations are steps.
std::optional<Description> RecogniseOpenPmd(const Asked& asked);

}
