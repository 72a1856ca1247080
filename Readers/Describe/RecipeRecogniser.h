// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Recipe.h"
#include "Describe/Recogniser.h"

#include <vector>

namespace dsm::describe
{

/// Describes a file by a recipe. Returns nothing if a condition of the recipe does not hold. Throws
/// dsm::Error if there is nothing to show, or the recipe is wrong.
std::optional<Description> DescribeByRecipe(const Recipe& recipe, const Asked& asked);

/// Likewise, but throws dsm::Error if a condition does not hold.
Description DescribeOnlyBy(const Recipe& recipe, const Asked& asked);

/// Describes a file by the first built-in recipe whose conditions hold.
std::optional<Description> RecogniseBuiltIn(const Asked& asked);

/// Describes a file by the user's recipe: in the file, as text in a dataset or root attribute
/// "Recipe"; beside it, as "out.h5.recipe" or, for all files of a folder, "dsm.recipe".
std::optional<Description> RecogniseOwn(const Asked& asked);

/// Returns the recipes for H5MD, Gadget and SWIFT, Athena++, FLASH and others.
const std::vector<Recipe>& BuiltInRecipes();

}
