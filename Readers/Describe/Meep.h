// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Recogniser.h"

namespace dsm::describe
{

/// Describes files of Meep: plain datasets ez, eps, or ez.r and ez.i. The first dimension runs
/// along x, and the last along time if steps are appended. The file's name ("ring-ez-000009.00.h5")
/// or the shapes of its datasets tell the format.
std::optional<Description> RecogniseMeep(const Asked& asked);

}
