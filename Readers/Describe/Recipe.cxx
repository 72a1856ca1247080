// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/Recipe.h"

#include "Base/Error.h"
#include "Encoding/Encoding.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace dsm::describe
{

namespace
{
template <typename Value>
void UnlessEmpty(Fields& fields, const char* name, Value& value)
{
  if (fields.Reading() || !value.empty())
  {
    fields.IfThere(name, value);
  }
}

// What a part can say of its own.
void DescribeParts(Fields& fields, Recipe& recipe)
{
  const auto unlessEmpty = [&](const char* name, auto& value) { UnlessEmpty(fields, name, value); };
  if (fields.Reading() || recipe.Parts != "/")
  {
    fields.IfThere("parts", recipe.Parts);
  }
  unlessEmpty("points", recipe.Points);
  unlessEmpty("on", recipe.On);
  unlessEmpty("axes", recipe.Axes);
  unlessEmpty("ends", recipe.Ends);
  unlessEmpty("origin", recipe.Origin);
  unlessEmpty("spacing", recipe.Spacing);
  unlessEmpty("boxes", recipe.Boxes);
  unlessEmpty("level", recipe.Level);
  unlessEmpty("keep", recipe.Keep);
  unlessEmpty("fields", recipe.Fields);
  unlessEmpty("arrays", recipe.Arrays);
  unlessEmpty("names", recipe.Names);
  unlessEmpty("constants", recipe.Constants);
}
}

void Describe(Fields& fields, Recipe& recipe)
{
  fields("name", recipe.Name);
  fields("when", recipe.When);
  UnlessEmpty(fields, "time", recipe.Time);
  UnlessEmpty(fields, "steps", recipe.Steps);
  DescribeParts(fields, recipe);
  UnlessEmpty(fields, "remarks", recipe.Remarks);
  if (fields.Reading() ? fields.Has("more") : !recipe.More.empty())
  {
    fields.List("more", recipe.More,
      [&](Recipe& part)
      {
        fields.Record(nullptr,
          [&]
          {
            fields("name", part.Name);
            DescribeParts(fields, part);
          });
      });
  }
}

Recipe RecipeFromText(const std::string& text, const std::string& what)
{
  if (!IsJsonText(text))
  {
    throw Error(Fault::Refused, "{} is no JSON: see whether braces, quotes and commas match", what);
  }
  return FromText<Recipe>(text, what);
}

Recipe RecipeFromFile(const std::string& path)
{
  std::error_code failed;
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream || !std::filesystem::is_regular_file(path, failed))
  {
    throw Error(Fault::System, "the recipe {} cannot be read", path);
  }
  return RecipeFromText(text.str(), fmt::format("the recipe {}", path));
}

// JSON with a line for each field, and one for each record of a list.
std::string TextOf(const Recipe& recipe)
{
  const std::string compact = ToText(recipe);
  std::string text, open;
  bool quoted = false;
  for (std::size_t at = 0; at < compact.size(); ++at)
  {
    const char letter = compact[at];
    text += letter;
    if (quoted)
    {
      if (letter == '\\' && at + 1 < compact.size())
      {
        text += compact[++at];
      }
      quoted = letter != '"';
      continue;
    }
    quoted = letter == '"';
    if (letter == '{' || letter == '[')
    {
      open += letter;
    }
    else if (letter == '}' || letter == ']')
    {
      open.pop_back();
    }
    else if (letter == ':')
    {
      text += ' ';
    }
    else if (letter == ',')
    {
      const bool record = open.back() == '{' || compact[at + 1] == '{';
      text += record ? "\n" + std::string(open.size(), ' ') : " ";
    }
  }
  return text + "\n";
}

}
