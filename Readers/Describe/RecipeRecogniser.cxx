// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/RecipeRecogniser.h"

#include "Base/Error.h"
#include "Describe/RecipeInterpreter.h"
#include "Describe/RecipeValues.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace dsm::describe
{

namespace
{
// Returns the first condition of a recipe that does not hold, or nullptr.
const std::string* BrokenCondition(const Recipe& recipe, const FileFacts& file)
{
  const RecipeValues values(file);
  const auto broken = std::find_if(recipe.When.begin(), recipe.When.end(),
    [&](const std::string& condition) { return !values.Holds(condition); });
  return broken == recipe.When.end() ? nullptr : &*broken;
}
}

std::optional<Description> DescribeByRecipe(const Recipe& recipe, const Asked& asked)
{
  return BrokenCondition(recipe, asked.File) ? std::nullopt
                                             : std::optional(InterpretRecipe(recipe, asked));
}

Description DescribeOnlyBy(const Recipe& recipe, const Asked& asked)
{
  if (const auto* const broken = BrokenCondition(recipe, asked.File))
  {
    throw Error(Fault::Usage, "the recipe for {} is not for {}: \"{}\" does not hold", recipe.Name,
      asked.Name, *broken);
  }
  return InterpretRecipe(recipe, asked);
}

std::optional<Description> RecogniseBuiltIn(const Asked& asked)
{
  for (const Recipe& recipe : BuiltInRecipes())
  {
    if (auto found = DescribeByRecipe(recipe, asked))
    {
      return found;
    }
  }
  return std::nullopt;
}

std::optional<Description> RecogniseOwn(const Asked& asked)
{
  if (const auto text = asked.File.TextNamed("Recipe"))
  {
    return DescribeByRecipe(
      RecipeFromText(*text, fmt::format("the recipe in {}", asked.Name)), asked);
  }
  const std::filesystem::path file(asked.Name);
  for (const auto& path :
    { std::filesystem::path(asked.Name + ".recipe"), file.parent_path() / "dsm.recipe" })
  {
    std::error_code failed;
    if (!std::filesystem::is_regular_file(path, failed))
    {
      continue;
    }
    if (auto found = DescribeByRecipe(RecipeFromFile(path.string()), asked))
    {
      found->Rule += ", " + path.string();
      return found;
    }
  }
  return std::nullopt;
}

}
