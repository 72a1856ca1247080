// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Recogniser.h"

namespace dsm::describe
{

/// Cactus with Carpet: datasets "THORN::name it=8 tl=0 rl=1 c=3", each with its place in
/// attributes. A part for each component of each level; what a finer level or another component has
/// is shown once.
std::optional<Description> RecogniseCarpet(const Asked& asked);

}
