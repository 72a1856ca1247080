// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Recogniser.h"

namespace dsm::describe
{

/// Describes files of Parthenon (AthenaPK, KHARMA, Riot …): blocks without their ghost cells, and
/// swarms of particles.
std::optional<Description> RecogniseParthenon(const Asked& asked);

}
