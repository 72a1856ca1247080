// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Recogniser.h"

namespace dsm::describe
{

/// Files of Meep: plain datasets ez, eps, or ez.r and ez.i, whose first dimension runs along x, and
/// the last along time where steps are appended. Nothing in such a file says so: its name does
/// ("ring-ez-000009.00.h5"), or how it is made.
std::optional<Description> RecogniseMeep(const Asked& asked);

}
