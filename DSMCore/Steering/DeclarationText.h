// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Steering/Declaration.h"

namespace dsm
{

/// Declarations as people write them, for programs that do not declare anything themselves:
///
///   { "parameters": [ { "name": "feed", "default": 0.04, "minimum": 0, "maximum": 0.1,
///                       "unit": "1/s", "text": "…", "group": "…" },
///                     { "name": "mode", "choices": ["periodic", "mirror"] } ],
///     "commands": [ "seed again", { "name": "refine", "text": "…" } ] }
///
/// What is left out has its usual value; the type, unless it is said, is that of the default.
/// Reading throws Error(Usage) naming what is wrong. Written, they are whole.
void DescribeAsWritten(Fields& fields, Declarations& declarations);

}
