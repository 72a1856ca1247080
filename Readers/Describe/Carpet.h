// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Recogniser.h"

namespace dsm::describe
{

/// Describes files of Cactus with Carpet: datasets "THORN::name it=8 tl=0 rl=1 c=3", each with its
/// place in attributes. Makes a part for each component of each level. Cells that several parts
/// have are shown once.
std::optional<Description> RecogniseCarpet(const Asked& asked);

}
