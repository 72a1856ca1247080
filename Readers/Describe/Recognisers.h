// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Recogniser.h"

namespace dsm::describe
{

/// Describes a file by the first of the recognisers that knows its format; nothing: none does.
/// Throws dsm::Error as they do.
std::optional<Description> RecogniseAny(const Asked& asked);

}
