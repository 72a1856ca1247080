// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Recipe.h"
#include "Describe/Recogniser.h"

namespace dsm::describe
{

/// Describes a file as a recipe says. Does not look at the recipe's conditions. Throws dsm::Error
/// if there is nothing to show, or the recipe is wrong.
Description InterpretRecipe(const Recipe& recipe, const Asked& asked);

}
