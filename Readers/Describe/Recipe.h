// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Encoding/Fields.h"

#include <map>
#include <string>
#include <vector>

namespace dsm::describe
{

/// How a format looks, in a few lines of JSON: what a recogniser finds out by code, for formats
/// whose files say all that is needed. README.md has the language.
struct Recipe
{
  std::string Name;
  std::vector<std::string> When; ///< all hold, or it is another format
  std::string Time = {};         ///< "@/Header/Time", "position/time[t]"
  std::string Steps = {};        ///< "/Step#{n}": groups that are steps of the run
  std::string Parts = "/";       ///< "/PartType{n}": a part for each such group
  /// "Coordinates[i,c]", or one for each of x, y, z; "X[z,y,x]": of a curved grid
  std::vector<std::string> Points = {};
  std::string On = {};                  ///< "cell": fields are of cells; else of points
  std::vector<std::string> Axes = {};   ///< "x1f[b,x]", …: coordinates along x, y and z
  std::vector<std::string> Ends = {};   ///< "/AXIS/AXIS1": where x, y and z begin and end
  std::string Origin = {};              ///< numbers, of x, y and z
  std::string Spacing = {};             ///<
  std::string Boxes = {};               ///< "/bounding box": of blocks, axes, low and high
  std::string Level = {};               ///< "/refine level": of blocks
  std::string Keep = {};                ///< "/node type=1": which blocks are shown
  std::vector<std::string> Fields = {}; ///< "*[i,c?]", "prim[v,b,z,y,x]"
  /// Datasets that become one array: "velocity" of "vx[z,y,x]", "vy[z,y,x]".
  std::map<std::string, std::vector<std::string>> Arrays = {};
  std::vector<std::string> Names = {};               ///< of v: datasets, how many each, their names
  std::map<std::string, std::string> Constants = {}; ///< arrays that may be one number only
  std::map<std::string, std::string> Remarks = {};   ///< conditions, and what is said if they hold
  std::vector<Recipe> More = {}; ///< parts that are otherwise than these; each has its part's name
};

void Describe(Fields& fields, Recipe& recipe);

/// From JSON text. Throws Error(Refused) that begins with `what`.
Recipe RecipeFromText(const std::string& text, const std::string& what);

/// Reads a recipe. Throws dsm::Error, which names the file.
Recipe RecipeFromFile(const std::string& path);

/// The opposite, for people to read and change.
std::string TextOf(const Recipe& recipe);

}
