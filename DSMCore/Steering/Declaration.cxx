// SPDX-License-Identifier: BSD-3-Clause
#include "Steering/Declaration.h"

#include "Base/Error.h"
#include "Steering/ReadableText.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

namespace dsm
{

namespace
{
using Json = nlohmann::json;

constexpr const char* Meanings[] = { "", "position", "direction", "plane origin", "plane normal",
  "box minimum", "box maximum" };

// The numbers of a value, to compare with a range.
std::vector<double> Numbers(const Value& value)
{
  if (const auto* vector = std::get_if<Vector3>(&value))
  {
    return { vector->begin(), vector->end() };
  }
  return { std::get<double>(value) };
}

// True when `value` lies beyond `limit` as `beyond` (less, greater) says.
template <typename Compare>
bool Exceeds(const Value& value, const Value& limit, Compare beyond)
{
  if (const auto* whole = std::get_if<std::int64_t>(&value))
  {
    return beyond(*whole, std::get<std::int64_t>(limit));
  }
  const double bound = std::get<double>(limit);
  const auto numbers = Numbers(value);
  return std::any_of(
    numbers.begin(), numbers.end(), [&](double number) { return beyond(number, bound); });
}

void CheckRange(const ParameterDeclaration& parameter, const Value& value)
{
  const std::string unit = parameter.Unit.empty() ? "" : " " + parameter.Unit;
  if (parameter.Minimum && Exceeds(value, *parameter.Minimum, std::less<>()))
  {
    throw Error(Fault::Refused, "must be at least {}{}, not {}", ValueText(*parameter.Minimum),
      unit, ValueText(value));
  }
  if (parameter.Maximum && Exceeds(value, *parameter.Maximum, std::greater<>()))
  {
    throw Error(Fault::Refused, "must be at most {}{}, not {}", ValueText(*parameter.Maximum), unit,
      ValueText(value));
  }
}

template <typename List>
const typename List::value_type* FindNamed(const List& list, const std::string& name)
{
  const auto found =
    std::find_if(list.begin(), list.end(), [&](const auto& entry) { return entry.Name == name; });
  return found == list.end() ? nullptr : &*found;
}

template <typename List>
std::string NamesOf(const List& list)
{
  std::vector<std::string> names;
  names.reserve(list.size());
  for (const auto& entry : list)
  {
    names.push_back(entry.Name);
  }
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

ValueType RangeType(ValueType type)
{
  return type == ValueType::Integer ? ValueType::Integer : ValueType::Real;
}
}

Value ParameterDeclaration::Accept(const Json& json) const
{
  Value value = ValueFromJson(this->Type, json);
  if (this->Type == ValueType::Choice)
  {
    const auto& choice = std::get<std::string>(value);
    if (std::find(this->Choices.begin(), this->Choices.end(), choice) == this->Choices.end())
    {
      throw Error(Fault::Refused, "has no choice \"{}\": it can be {}", choice,
        fmt::join(this->Choices, ", "));
    }
  }
  else if (this->Type == ValueType::Text)
  {
    const auto& text = std::get<std::string>(value);
    if (this->Capacity > 0 && text.size() > this->Capacity)
    {
      throw Error(
        Fault::Refused, "has room for {} bytes of text, not for {}", this->Capacity, text.size());
    }
    if (text.find('\0') != std::string::npos)
    {
      throw Error(Fault::Refused, "cannot hold a text with a zero byte in it");
    }
  }
  else if (this->Type != ValueType::Bool)
  {
    CheckRange(*this, value);
  }
  return value;
}

std::int64_t CommandDeclaration::Accept(const Json& argument) const
{
  if (argument.is_null() || argument == 1)
  {
    return 1; // also what a log says of a command without a count
  }
  if (!this->TakesCount)
  {
    throw Error(Fault::Refused, "takes no argument");
  }
  const auto count = std::get<std::int64_t>(ValueFromJson(ValueType::Integer, argument));
  if (count < 1)
  {
    throw Error(Fault::Refused, "needs a count from 1 on, not {}", count);
  }
  return count;
}

const ParameterDeclaration* Declarations::FindParameter(const std::string& name) const
{
  return FindNamed(this->Parameters, name);
}

const CommandDeclaration* Declarations::FindCommand(const std::string& name) const
{
  return FindNamed(this->Commands, name);
}

std::string Declarations::ParameterNames() const
{
  return NamesOf(this->Parameters);
}

std::string Declarations::CommandNames() const
{
  return NamesOf(this->Commands);
}

void CheckName(const std::string& what, const std::string& name)
{
  const bool good = !name.empty() && name.size() <= 200 && ReadableText(name) == name &&
    std::none_of(name.begin(), name.end(),
      [](char character) { return static_cast<unsigned char>(character) < 0x20; });
  if (!good)
  {
    throw Error(Fault::Usage,
      "a {} cannot be called {}: a name has 1 to 200 bytes of UTF-8, no line break or tab", what,
      ReadableJson(name));
  }
}

void CheckMeaning(const std::string& meaning)
{
  if (std::find(std::begin(Meanings), std::end(Meanings), meaning) == std::end(Meanings))
  {
    throw Error(Fault::Usage,
      "\"{}\" is no meaning of a vector: it can be position, direction, plane origin, plane "
      "normal, box minimum or box maximum",
      meaning);
  }
}

void to_json(Json& json, const ParameterDeclaration& value)
{
  json = { { "name", value.Name }, { "type", ValueTypeName(value.Type) },
    { "default", ValueToJson(value.Default) }, { "unit", value.Unit }, { "text", value.Text },
    { "group", value.Group }, { "meaning", value.Meaning } };
  if (value.Minimum)
  {
    json["minimum"] = ValueToJson(*value.Minimum);
  }
  if (value.Maximum)
  {
    json["maximum"] = ValueToJson(*value.Maximum);
  }
  if (value.Type == ValueType::Choice)
  {
    json["choices"] = value.Choices;
  }
  if (value.Capacity > 0)
  {
    json["capacity"] = value.Capacity;
  }
}

void from_json(const Json& json, ParameterDeclaration& value)
{
  json.at("name").get_to(value.Name);
  value.Type = ValueTypeFromName(json.at("type").get<std::string>());
  value.Default = ValueFromJson(value.Type, json.at("default"));
  json.at("unit").get_to(value.Unit);
  json.at("text").get_to(value.Text);
  json.at("group").get_to(value.Group);
  json.at("meaning").get_to(value.Meaning);
  if (json.contains("minimum"))
  {
    value.Minimum = ValueFromJson(RangeType(value.Type), json.at("minimum"));
  }
  if (json.contains("maximum"))
  {
    value.Maximum = ValueFromJson(RangeType(value.Type), json.at("maximum"));
  }
  value.Choices = json.value("choices", std::vector<std::string>());
  value.Capacity = json.value("capacity", std::uint64_t(0));
}

void to_json(Json& json, const CommandDeclaration& value)
{
  json = { { "name", value.Name }, { "text", value.Text }, { "group", value.Group },
    { "takes_count", value.TakesCount } };
}

void from_json(const Json& json, CommandDeclaration& value)
{
  json.at("name").get_to(value.Name);
  json.at("text").get_to(value.Text);
  json.at("group").get_to(value.Group);
  json.at("takes_count").get_to(value.TakesCount);
}

void to_json(Json& json, const ObservableDeclaration& value)
{
  json = { { "name", value.Name }, { "unit", value.Unit }, { "text", value.Text },
    { "group", value.Group } };
}

void from_json(const Json& json, ObservableDeclaration& value)
{
  json.at("name").get_to(value.Name);
  json.at("unit").get_to(value.Unit);
  json.at("text").get_to(value.Text);
  json.at("group").get_to(value.Group);
}

void to_json(Json& json, const Declarations& value)
{
  json = { { "parameters", value.Parameters }, { "commands", value.Commands },
    { "observables", value.Observables } };
}

void from_json(const Json& json, Declarations& value)
{
  json.at("parameters").get_to(value.Parameters);
  json.at("commands").get_to(value.Commands);
  json.at("observables").get_to(value.Observables);
}

}
