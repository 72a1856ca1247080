// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Recogniser.h"

namespace dsm::describe
{

/// Describes files of pandas' HDFStore: frames and series, in both of its formats, with their
/// columns' names. Shows the frame with the most rows, since only one table can be shown.
std::optional<Description> RecognisePandas(const Asked& asked);

}
