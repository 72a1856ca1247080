// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Description.h"

namespace dsm::describe
{

/// A description in lines, to show to people and to compare in tests.
std::string Text(const Description& description);

/// Behind an error that there is no part: why the first was left out, ": /zone: it has no points";
/// or `otherwise`, where none was.
std::string WhyNothing(const Description& description, const std::string& otherwise = {});

/// "/fields/u[t=4, z, y, x]", a constant's value, "9 numbers".
std::string Text(const Source& source);

}
