// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/Recipe.h"

#include "Base/Error.h"
#include "Encoding/Encoding.h"

namespace dsm::describe
{

void Describe(Fields& fields, Recipe& recipe)
{
  fields("name", recipe.Name);
  fields("when", recipe.When);
  fields.IfThere("time", recipe.Time);
  fields.IfThere("steps", recipe.Steps);
  fields.IfThere("parts", recipe.Parts);
  fields.IfThere("points", recipe.Points);
  fields.IfThere("on", recipe.On);
  fields.IfThere("axes", recipe.Axes);
  fields.IfThere("ends", recipe.Ends);
  fields.IfThere("nodes", recipe.Nodes);
  fields.IfThere("origin", recipe.Origin);
  fields.IfThere("spacing", recipe.Spacing);
  fields.IfThere("boxes", recipe.Boxes);
  fields.IfThere("level", recipe.Level);
  fields.IfThere("keep", recipe.Keep);
  fields("fields", recipe.Fields);
  fields.IfThere("names", recipe.Names);
  fields.IfThere("constants", recipe.Constants);
  fields.IfThere("remarks", recipe.Remarks);
}

Recipe RecipeFromText(const std::string& text, const std::string& what)
{
  if (!IsJsonText(text))
  {
    throw Error(Fault::Refused, "{} is no JSON: see whether braces, quotes and commas match", what);
  }
  return FromText<Recipe>(text, what);
}

}
