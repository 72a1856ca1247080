// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Recogniser.h"

namespace dsm::describe
{

/// Describes files of the openPMD standard, 1.x and 2.0. Meshes with the same points are one part,
/// and each species of particles is one. Numbers are converted to SI units. If components of a
/// vector lie at different positions in the cell, each is an array on its own points. Iterations
/// are steps.
std::optional<Description> RecogniseOpenPmd(const Asked& asked);

}
