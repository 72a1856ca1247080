// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/RecipeRecogniser.h"

#include <array>

namespace dsm::describe
{

namespace
{
constexpr std::array Texts = {
  R"({"name": "H5MD", "when": ["@/h5md/version"],
      "parts": "/particles/{group}", "time": "position/time[t]",
      "points": ["position/value[t,i,c]|position[i,c]"],
      "fields": ["*/value[t,i,c?]", "*[i,c?]"]})",
  R"({"name": "Gadget", "when": ["@/Header/NumPart_ThisFile"],
      "parts": "/PartType{n}", "time": "@/Header/Time",
      "points": ["Coordinates[i,c]"], "fields": ["*[i,c?]"],
      "constants": {"Masses": "@/Header/MassTable[n]"}})",
  R"({"name": "Athena++", "when": ["@DatasetNames", "@NumVariables", "@VariableNames", "/x1f"],
      "time": "@Time", "on": "cell",
      "axes": ["x1f[b,x]", "x2f[b,y]", "x3f[b,z]"], "level": "/Levels",
      "fields": ["*[v,b,z,y,x]"], "names": ["@DatasetNames", "@NumVariables", "@VariableNames"],
      "remarks": {"!@Coordinates=cartesian":
        "that the coordinates, which are not Cartesian, may be shown as if they were"}})",
  R"({"name": "FLASH", "when": ["/unknown names", "/bounding box", "/refine level", "/node type"],
      "time": "/real scalars<time>", "on": "cell",
      "boxes": "/bounding box", "level": "/refine level", "keep": "/node type=1",
      "fields": ["*[b,z,y,x]"]})",
};
}

const std::vector<Recipe>& BuiltInRecipes()
{
  static const std::vector<Recipe> recipes = []
  {
    std::vector<Recipe> made;
    made.reserve(Texts.size());
    for (const char* text : Texts)
    {
      made.push_back(RecipeFromText(text, "a built-in recipe"));
    }
    return made;
  }();
  return recipes;
}

}
