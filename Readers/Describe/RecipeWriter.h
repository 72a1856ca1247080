// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Description.h"
#include "Describe/Recipe.h"
#include "Describe/Recogniser.h"

namespace dsm::describe
{

/// A recipe to start from: by it the file is shown just as it is by this description, which is
/// tried. Throws Error(Unsupported) where recipes cannot say that, with the reason.
Recipe RecipeFor(const Description& description, const Asked& asked);

}
