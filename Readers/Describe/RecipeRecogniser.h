// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Recipe.h"
#include "Describe/Recogniser.h"

#include <vector>

namespace dsm::describe
{

/// Describes a file as a recipe says. Nothing: its conditions do not hold. Throws dsm::Error where
/// they do, and there is nothing to show, or the recipe is wrong.
std::optional<Description> DescribeByRecipe(const Recipe& recipe, const Asked& asked);

/// By this recipe or not at all. Throws dsm::Error that says which condition does not hold.
Description DescribeOnlyBy(const Recipe& recipe, const Asked& asked);

/// Throws dsm::Error that names the file.
Recipe RecipeFromFile(const std::string& path);

/// By the first of the built-in recipes that is for the file.
std::optional<Description> RecogniseBuiltIn(const Asked& asked);

/// By the user's recipe: in the file, as text in a dataset or root attribute "Recipe"; beside it,
/// as "out.h5.recipe" or, for all files of a folder, "dsm.recipe".
std::optional<Description> RecogniseOwn(const Asked& asked);

/// For H5MD, Gadget and SWIFT, Athena++, FLASH.
const std::vector<Recipe>& BuiltInRecipes();

}
