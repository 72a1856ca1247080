// SPDX-License-Identifier: BSD-3-Clause
#include "Steering/Declaration.h"

#include "Base/Error.h"
#include "Encoding/Fields.h"
#include "Steering/ReadableText.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

namespace dsm
{

namespace
{
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
    throw Error(
      Fault::Refused, "is out of range (minimum is {}{})", ValueText(*parameter.Minimum), unit);
  }
  if (parameter.Maximum && Exceeds(value, *parameter.Maximum, std::greater<>()))
  {
    throw Error(
      Fault::Refused, "is out of range (maximum is {}{})", ValueText(*parameter.Maximum), unit);
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

Value ParameterDeclaration::Accept(const PlainValue& plain) const
{
  Value value = ToValue(this->Type, plain);
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
  else if (this->Type == ValueType::Array)
  {
    const SentArray sent = SentArray::FromText(std::get<std::string>(value));
    if (sent.Shape != this->Array)
    {
      throw Error(Fault::Refused, "expects {}, not {}", this->Array.Text(), sent.Shape.Text());
    }
  }
  else if (this->Type != ValueType::Bool)
  {
    CheckRange(*this, value);
  }
  return value;
}

std::int64_t CommandDeclaration::Accept(const PlainValue& argument) const
{
  const bool none = std::holds_alternative<std::monostate>(argument);
  if (none || argument == PlainValue(std::int64_t{ 1 }) || argument == PlainValue(1.0))
  {
    return 1; // also what a log says of a command without a count
  }
  if (!this->TakesCount)
  {
    throw Error(Fault::Refused, "takes no argument");
  }
  const auto count = std::get<std::int64_t>(ToValue(ValueType::Integer, argument));
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
      PlainValueText(name));
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

namespace
{
void DescribeValue(Fields& fields, const char* name, ValueType type, Value& value)
{
  PlainValue plain = ToPlainValue(value);
  fields(name, plain);
  if (fields.Reading())
  {
    value = ToValue(type, plain);
  }
}

void DescribeLimit(Fields& fields, const char* name, ValueType type, std::optional<Value>& limit)
{
  if (fields.Reading() ? fields.Has(name) : limit.has_value())
  {
    DescribeValue(fields, name, RangeType(type), limit ? *limit : limit.emplace());
  }
}
}

void Describe(Fields& fields, ParameterDeclaration& parameter)
{
  fields("name", parameter.Name);
  fields.AsText("type", parameter.Type, ValueTypeName, ValueTypeFromName);
  DescribeValue(fields, "default", parameter.Type, parameter.Default);
  fields("unit", parameter.Unit);
  fields("text", parameter.Text);
  fields("group", parameter.Group);
  fields("meaning", parameter.Meaning);
  DescribeLimit(fields, "minimum", parameter.Type, parameter.Minimum);
  DescribeLimit(fields, "maximum", parameter.Type, parameter.Maximum);
  if (fields.Reading() || parameter.Type == ValueType::Choice)
  {
    fields.IfThere("choices", parameter.Choices);
  }
  if (fields.Reading() || parameter.Capacity > 0)
  {
    fields.IfThere("capacity", parameter.Capacity);
  }
  if (fields.Reading() || parameter.Type == ValueType::Array)
  {
    fields.IfThere("element", parameter.Array.Element);
    fields.IfThere("sizes", parameter.Array.Sizes);
  }
}

void Describe(Fields& fields, CommandDeclaration& command)
{
  fields("name", command.Name);
  fields("text", command.Text);
  fields("group", command.Group);
  fields("takes_count", command.TakesCount);
}

void Describe(Fields& fields, ObservableDeclaration& observable)
{
  fields("name", observable.Name);
  fields("unit", observable.Unit);
  fields("text", observable.Text);
  fields("group", observable.Group);
}

void Describe(Fields& fields, Declarations& declarations)
{
  fields("parameters", declarations.Parameters);
  fields("commands", declarations.Commands);
  fields("observables", declarations.Observables);
}

}
