// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Recogniser.h"

namespace dsm::describe
{

/// Describes Chombo's files of a hierarchy of levels, which GRChombo, PLUTO and AMReX write as
/// well. Makes a part for each level. Cells under a finer level are not shown.
std::optional<Description> RecogniseChombo(const Asked& asked);

}
