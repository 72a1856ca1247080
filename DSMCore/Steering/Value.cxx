// SPDX-License-Identifier: BSD-3-Clause
#include "Steering/Value.h"

#include "Base/Error.h"
#include "Steering/ReadableText.h"

#include <cmath>

namespace dsm
{

namespace
{
using Json = nlohmann::json;

constexpr const char* Names[] = { "bool", "int64", "double", "enumeration", "string", "vector" };

[[noreturn]] void Mismatch(const char* expected, const Json& json)
{
  throw Error(Fault::Refused, "expects {}, not {}", expected, ReadableJson(json));
}

double FiniteReal(const Json& json, const char* expected)
{
  if (!json.is_number())
  {
    Mismatch(expected, json);
  }
  const double value = json.get<double>();
  if (!std::isfinite(value))
  {
    throw Error(Fault::Refused, "expects {} that is finite", expected);
  }
  return value;
}

std::int64_t WholeNumber(const Json& json)
{
  constexpr const char* expected = "a whole number of 64 bits";
  if (json.is_number_unsigned())
  {
    if (json.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX))
    {
      Mismatch(expected, json);
    }
    return json.get<std::int64_t>();
  }
  if (json.is_number_integer())
  {
    return json.get<std::int64_t>();
  }
  // A script's or a slider's 4.0; beyond 2^53 a double does not know its neighbours.
  if (json.is_number_float())
  {
    const double value = json.get<double>();
    if (std::trunc(value) == value && std::abs(value) <= 0x1p53)
    {
      return static_cast<std::int64_t>(value);
    }
  }
  Mismatch(expected, json);
}
}

const char* ValueTypeName(ValueType type)
{
  return Names[static_cast<int>(type)];
}

ValueType ValueTypeFromName(const std::string& name)
{
  for (int type = 0; type < static_cast<int>(std::size(Names)); ++type)
  {
    if (name == Names[type])
    {
      return static_cast<ValueType>(type);
    }
  }
  throw Error(Fault::Refused,
    "a simulation declares a parameter of type \"{}\", which this version does not know", name);
}

Json ValueToJson(const Value& value)
{
  return std::visit([](const auto& held) { return Json(held); }, value);
}

Value ValueFromJson(ValueType type, const Json& json)
{
  switch (type)
  {
    case ValueType::Bool:
      if (json.is_boolean())
      {
        return json.get<bool>();
      }
      if (json.is_number() && (json == 0 || json == 1))
      {
        return json == 1;
      }
      Mismatch("true or false", json);
    case ValueType::Integer:
      return WholeNumber(json);
    case ValueType::Real:
      return FiniteReal(json, "a number");
    case ValueType::Choice:
    case ValueType::Text:
      if (!json.is_string())
      {
        Mismatch("a text", json);
      }
      return json.get<std::string>();
    case ValueType::Vector:
      if (!json.is_array() || json.size() != 3)
      {
        Mismatch("three numbers", json);
      }
      return Vector3{ FiniteReal(json[0], "three numbers"), FiniteReal(json[1], "three numbers"),
        FiniteReal(json[2], "three numbers") };
  }
  Mismatch("a known type", json);
}

std::string ValueText(const Value& value)
{
  return ReadableJson(ValueToJson(value));
}

}
