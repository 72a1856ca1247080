// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Recogniser.h"

namespace dsm::describe
{

/// Describes AMReX's files of particles (WritePlotFileHDF5, CheckpointHDF5 of a
/// ParticleContainer). Each level has two lists: for each particle its id, its processor and other
/// whole numbers; its position and other real numbers. Makes points of each level.
std::optional<Description> RecogniseAmrexParticles(const Asked& asked);

}
