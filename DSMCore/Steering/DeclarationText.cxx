// SPDX-License-Identifier: BSD-3-Clause
#include "Steering/DeclarationText.h"

#include "Base/Error.h"
#include "Encoding/Fields.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <vector>

namespace dsm
{

namespace
{
// A parameter as somebody wrote it.
struct WrittenParameter
{
  std::string Name;
  std::optional<std::string> Type;
  std::optional<PlainValue> Default, Minimum, Maximum;
  std::optional<std::vector<std::string>> Choices;
  std::uint64_t Capacity = 0;
  std::string Unit, Text, Group, Meaning;
};

const std::vector<std::string> ParameterKeys{ "name", "type", "default", "minimum", "maximum",
  "choices", "capacity", "unit", "text", "group", "meaning" };
const std::vector<std::string> CommandKeys{ "name", "text", "group" };

// A misspelt key would otherwise be told without saying what there is.
void CheckKeys(Fields& fields, const char* what, const std::vector<std::string>& known)
{
  if (!fields.IsText("name"))
  {
    throw Error(Fault::Usage, "a {} is an object with a \"name\"", what);
  }
  std::string name;
  fields("name", name);
  for (const std::string& key : fields.Names())
  {
    if (std::find(known.begin(), known.end(), key) == known.end())
    {
      throw Error(Fault::Usage, "the {} \"{}\" has a \"{}\", which means nothing: it can have {}",
        what, name, key, fmt::join(known, ", "));
    }
  }
}

void Describe(Fields& fields, WrittenParameter& parameter)
{
  CheckKeys(fields, "parameter", ParameterKeys);
  fields("name", parameter.Name);
  fields("type", parameter.Type);
  fields("default", parameter.Default);
  fields("minimum", parameter.Minimum);
  fields("maximum", parameter.Maximum);
  fields("choices", parameter.Choices);
  fields.IfThere("capacity", parameter.Capacity);
  fields.IfThere("unit", parameter.Unit);
  fields.IfThere("text", parameter.Text);
  fields.IfThere("group", parameter.Group);
  fields.IfThere("meaning", parameter.Meaning);
}

// The type of a value that stands for it.
std::optional<ValueType> TypeOf(const PlainValue& value)
{
  struct Visitor
  {
    std::optional<ValueType> operator()(std::monostate) const { return std::nullopt; }
    std::optional<ValueType> operator()(bool) const { return ValueType::Bool; }
    std::optional<ValueType> operator()(std::int64_t) const { return ValueType::Integer; }
    std::optional<ValueType> operator()(std::uint64_t) const { return ValueType::Integer; }
    std::optional<ValueType> operator()(double) const { return ValueType::Real; }
    std::optional<ValueType> operator()(const std::string&) const { return ValueType::Text; }
    std::optional<ValueType> operator()(const std::vector<double>&) const
    {
      return ValueType::Vector;
    }
    std::optional<ValueType> operator()(const Composite&) const { return std::nullopt; }
  };
  return std::visit(Visitor(), value);
}

std::optional<ValueType> TypeOf(const WrittenParameter& written)
{
  if (written.Type)
  {
    return ValueTypeFromName(*written.Type);
  }
  return written.Choices ? ValueType::Choice : TypeOf(written.Default.value_or(PlainValue()));
}

ParameterDeclaration Whole(WrittenParameter& written)
{
  CheckName("parameter", written.Name);
  try
  {
    const auto type = TypeOf(written);
    if (!type)
    {
      throw Error(Fault::Usage,
        "has no type: give it a \"default\", \"choices\", or a \"type\" (bool, int64, double, "
        "enumeration, string, vector)");
    }
    if (*type == ValueType::Array)
    {
      throw Error(Fault::Usage,
        "cannot be an array: a program that is not linked with libdsm receives none (dsm_array)");
    }
    ParameterDeclaration whole;
    whole.Name = written.Name;
    whole.Type = *type;
    whole.Capacity = written.Capacity;
    whole.Unit = written.Unit;
    whole.Text = written.Text;
    whole.Group = written.Group;
    whole.Meaning = written.Meaning;
    whole.Choices = written.Choices.value_or(std::vector<std::string>());
    if (whole.Type == ValueType::Choice)
    {
      if (whole.Choices.empty())
      {
        throw Error(Fault::Usage, "has no \"choices\"");
      }
      written.Default = written.Default.value_or(PlainValue(whole.Choices.front()));
    }
    if (!written.Default)
    {
      throw Error(Fault::Usage, "has no \"default\"");
    }
    const ValueType limit = whole.Type == ValueType::Integer ? ValueType::Integer : ValueType::Real;
    if (written.Minimum)
    {
      whole.Minimum = ToValue(limit, *written.Minimum);
    }
    if (written.Maximum)
    {
      whole.Maximum = ToValue(limit, *written.Maximum);
    }
    CheckMeaning(whole.Meaning);
    whole.Default = whole.Accept(*written.Default);
    return whole;
  }
  catch (const Error& error)
  {
    throw Error(Fault::Usage, "the parameter {} {}", written.Name, error.what());
  }
}

void DescribeCommand(Fields& fields, CommandDeclaration& command)
{
  if (fields.Reading() && fields.IsText(nullptr))
  {
    fields(nullptr, command.Name);
  }
  else
  {
    fields.Record(nullptr,
      [&]
      {
        if (fields.Reading())
        {
          CheckKeys(fields, "command", CommandKeys);
        }
        fields("name", command.Name);
        fields.IfThere("text", command.Text);
        fields.IfThere("group", command.Group);
      });
  }
  CheckName("command", command.Name);
}

void CheckNewNames(const Declarations& declarations)
{
  std::set<std::string> names;
  const auto enter = [&](const auto& list)
  {
    for (const auto& entry : list)
    {
      if (!names.insert(entry.Name).second)
      {
        throw Error(Fault::Usage, "{} is declared twice", entry.Name);
      }
    }
  };
  enter(declarations.Parameters);
  enter(declarations.Commands);
}
}

void DescribeAsWritten(Fields& fields, Declarations& declarations)
{
  if (!fields.Reading())
  {
    fields("parameters", declarations.Parameters);
  }
  else if (fields.Has("parameters"))
  {
    std::vector<WrittenParameter> written;
    fields("parameters", written);
    for (WrittenParameter& parameter : written)
    {
      declarations.Parameters.push_back(Whole(parameter));
    }
  }
  if (!fields.Reading() || fields.Has("commands"))
  {
    fields.List("commands", declarations.Commands,
      [&](CommandDeclaration& command) { DescribeCommand(fields, command); });
  }
  CheckNewNames(declarations);
}

}
