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
        "Coordinates are shown as if they were Cartesian"}})",
  R"({"name": "FLASH", "when": ["/unknown names", "/bounding box", "/refine level", "/node type"],
      "time": "/real scalars<time>", "on": "cell",
      "boxes": "/bounding box", "level": "/refine level", "keep": "/node type=1",
      "fields": ["*[b,z,y,x]"]})",
  R"({"name": "OSIRIS", "when": ["@TIME", "/AXIS/AXIS1"], "time": "@TIME", "on": "cell",
      "ends": ["/AXIS/AXIS1", "/AXIS/AXIS2", "/AXIS/AXIS3"],
      "fields": ["*[z,y,x]|*[y,x]|*[x]"]})",
  R"({"name": "OSIRIS", "when": ["@TIME", "@TYPE=particles"], "time": "@TIME",
      "points": ["x1[i]", "x2[i]?", "x3[i]?"], "fields": ["*[i,c?]"]})",
  R"({"name": "PFLOTRAN", "when": ["/Coordinates/X [m]", "/Coordinates/Z [m]"],
      "steps": "/Time:{t}", "time": "{t}", "on": "cell",
      "axes": ["/Coordinates/X [m][x]", "/Coordinates/Y [m][y]", "/Coordinates/Z [m][z]"],
      "fields": ["/Time:{t}/*[x,y,z]"]})",
  R"({"name": "PLUTO", "when": ["/node_coords/X", "/cell_coords/X"],
      "steps": "/Timestep_{n}", "time": "@/Timestep_{n}/Time", "on": "cell",
      "points": ["/node_coords/X[z,y,x]|/node_coords/X[y,x]|/node_coords/X[x]",
        "/node_coords/Y[z,y,x]|/node_coords/Y[y,x]|/node_coords/Y[x]",
        "/node_coords/Z[z,y,x]|/node_coords/Z[y,x]|/node_coords/Z[x]"],
      "fields": ["/Timestep_{n}/vars/*[z,y,x]|/Timestep_{n}/vars/*[y,x]|/Timestep_{n}/vars/*[x]"]})",
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
