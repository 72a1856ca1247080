// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/NumberedGroups.h"
#include "Describe/Pattern.h"

#include <optional>
#include <string>
#include <vector>

namespace dsm::describe
{

/// The groups that a recipe calls steps of the run.
struct RecipeSteps
{
  NumberedGroups Groups;
  std::vector<Bindings> Words; ///< what the words in braces stand for in each group
};

/// Returns the groups that `pattern` fits, ascending by the first number in braces. Groups without
/// a number are no steps.
RecipeSteps FindRecipeSteps(const std::string& pattern, const std::vector<hdf5::Object>& objects);

/// Returns the number that a text begins with. A unit may follow: "  1.00000E+00 y".
std::optional<double> NumberBefore(const std::string& text);

}
