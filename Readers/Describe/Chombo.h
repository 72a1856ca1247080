// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Recogniser.h"

namespace dsm::describe
{

/// Chombo's files of a hierarchy of levels, and what writes them as well: GRChombo, PLUTO with
/// Chombo, AMReX. A part for each level; cells under a finer level are not shown.
std::optional<Description> RecogniseChombo(const Asked& asked);

}
