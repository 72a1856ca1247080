// SPDX-License-Identifier: BSD-3-Clause
#include "Steering/DeclarationText.h"

#include "Base/Error.h"
#include "Steering/ReadableText.h"

#include <algorithm>
#include <initializer_list>
#include <set>

namespace dsm
{

namespace
{
using Json = nlohmann::json;

// A misspelt key would otherwise go unnoticed.
void CheckKeys(const Json& entry, std::initializer_list<const char*> known, const char* what)
{
  if (!entry.is_object() || !entry.contains("name") || !entry.at("name").is_string())
  {
    throw Error(
      Fault::Usage, "a {} is an object with a \"name\", not {}", what, ReadableJson(entry));
  }
  for (const auto& item : entry.items())
  {
    if (std::find(known.begin(), known.end(), item.key()) == known.end())
    {
      throw Error(Fault::Usage, "the {} {} has a \"{}\", which means nothing: it can have {}", what,
        ReadableJson(entry.at("name")), item.key(), fmt::join(known, ", "));
    }
  }
}

std::string TypeOf(const Json& entry)
{
  if (entry.contains("type"))
  {
    return entry.at("type").get<std::string>();
  }
  const Json value = entry.value("default", Json());
  return entry.contains("choices") ? "enumeration"
    : value.is_boolean()           ? "bool"
    : value.is_number_integer()    ? "int64"
    : value.is_number()            ? "double"
    : value.is_string()            ? "string"
    : value.is_array()             ? "vector"
                                   : "";
}

ParameterDeclaration Parameter(const Json& entry)
{
  CheckKeys(entry,
    { "name", "type", "default", "minimum", "maximum", "choices", "capacity", "unit", "text",
      "group", "meaning" },
    "parameter");
  const auto name = entry.at("name").get<std::string>();
  CheckName("parameter", name);
  Json whole{ { "unit", "" }, { "text", "" }, { "group", "" }, { "meaning", "" } };
  whole.update(entry);
  whole["type"] = TypeOf(entry);
  if (whole.at("type") == "")
  {
    throw Error(Fault::Usage,
      "the parameter {} has no type: give it a \"default\", \"choices\", or a \"type\" (bool, "
      "int64, double, enumeration, string, vector)",
      name);
  }
  try
  {
    if (whole.at("type") == "enumeration")
    {
      const auto choices = whole.value("choices", std::vector<std::string>());
      if (choices.empty())
      {
        throw Error(Fault::Usage, "has no \"choices\"");
      }
      whole.emplace("default", choices.front());
    }
    if (!whole.contains("default"))
    {
      throw Error(Fault::Usage, "has no \"default\"");
    }
    CheckMeaning(whole.at("meaning").get<std::string>());
    const auto made = whole.get<ParameterDeclaration>();
    static_cast<void>(made.Accept(whole.at("default")));
    return made;
  }
  catch (const std::exception& error)
  {
    throw Error(Fault::Usage, "the parameter {} {}", name, error.what());
  }
}

CommandDeclaration Command(const Json& entry)
{
  const Json object = entry.is_string() ? Json{ { "name", entry } } : entry;
  CheckKeys(object, { "name", "text", "group" }, "command");
  Json whole{ { "text", "" }, { "group", "" }, { "takes_count", false } };
  whole.update(object);
  auto made = whole.get<CommandDeclaration>();
  CheckName("command", made.Name);
  return made;
}
}

Declarations DeclarationsFromText(const Json& text)
{
  if (!text.is_object())
  {
    throw Error(Fault::Usage,
      "declarations are an object with \"parameters\" and \"commands\", not {}",
      ReadableJson(text));
  }
  Declarations made;
  std::set<std::string> names;
  const auto isNew = [&](const std::string& name)
  {
    if (!names.insert(name).second)
    {
      throw Error(Fault::Usage, "{} is declared twice", name);
    }
  };
  for (const auto& entry : text.value("parameters", Json::array()))
  {
    made.Parameters.push_back(Parameter(entry));
    isNew(made.Parameters.back().Name);
  }
  for (const auto& entry : text.value("commands", Json::array()))
  {
    made.Commands.push_back(Command(entry));
    isNew(made.Commands.back().Name);
  }
  return made;
}

}
