// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Recogniser.h"

namespace dsm::describe
{

/// Describes files of Smilei's probes: fields at points, in one dataset for each step. A moving
/// window is taken into account.
std::optional<Description> RecogniseSmileiProbes(const Asked& asked);

}
