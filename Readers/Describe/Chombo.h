// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/DescriptionBuilder.h"
#include "Describe/Recogniser.h"

namespace dsm::describe
{

/// Describes Chombo's files of a hierarchy of levels, which GRChombo, PLUTO and AMReX write as
/// well. Makes a part for each level. Cells under a finer level are not shown.
std::optional<Description> RecogniseChombo(const Asked& asked);

/// Returns the number of axes of a file with levels of boxes or particles, SpaceDim: 1, 2 or 3.
/// Throws dsm::Error if it is another.
std::size_t SpaceDimensions(const FileFacts& file, const DescriptionBuilder& result);

}
