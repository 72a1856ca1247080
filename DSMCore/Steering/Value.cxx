// SPDX-License-Identifier: BSD-3-Clause
#include "Steering/Value.h"

#include "Base/Error.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace dsm
{

namespace
{
constexpr const char* Names[] = { "bool", "int64", "double", "enumeration", "string", "vector",
  "array" };

[[noreturn]] void Mismatch(const char* expected, const PlainValue& plain)
{
  throw Error(Fault::Refused, "expects {}, not {}", expected, PlainValueText(plain));
}

double Finite(double value, const char* expected)
{
  if (!std::isfinite(value))
  {
    throw Error(Fault::Refused, "expects {} that is finite", expected);
  }
  return value;
}

double Real(const PlainValue& plain)
{
  constexpr const char* expected = "a number";
  if (const auto* real = std::get_if<double>(&plain))
  {
    return Finite(*real, expected);
  }
  if (const auto* whole = std::get_if<std::int64_t>(&plain))
  {
    return static_cast<double>(*whole);
  }
  if (const auto* large = std::get_if<std::uint64_t>(&plain))
  {
    return static_cast<double>(*large);
  }
  Mismatch(expected, plain);
}

std::int64_t WholeNumber(const PlainValue& plain)
{
  if (const auto* whole = std::get_if<std::int64_t>(&plain))
  {
    return *whole;
  }
  // A script's or a slider's 4.0; beyond 2^53 a double does not know its neighbours.
  const auto* real = std::get_if<double>(&plain);
  if (real && std::trunc(*real) == *real && std::abs(*real) <= 0x1p53)
  {
    return static_cast<std::int64_t>(*real);
  }
  Mismatch("a whole number of 64 bits", plain);
}

bool Flag(const PlainValue& plain)
{
  if (const auto* flag = std::get_if<bool>(&plain))
  {
    return *flag;
  }
  for (const bool flag : { false, true })
  {
    if (plain == PlainValue(std::int64_t{ flag }) || plain == PlainValue(flag ? 1.0 : 0.0))
    {
      return flag;
    }
  }
  Mismatch("true or false", plain);
}

Vector3 Triple(const PlainValue& plain)
{
  constexpr const char* expected = "three numbers";
  const auto* numbers = std::get_if<std::vector<double>>(&plain);
  if (!numbers || numbers->size() != 3)
  {
    Mismatch(expected, plain);
  }
  Vector3 triple;
  std::transform(numbers->begin(), numbers->end(), triple.begin(),
    [](double number) { return Finite(number, expected); });
  return triple;
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

PlainValue ToPlainValue(const Value& value)
{
  return std::visit(
    [](const auto& held) -> PlainValue
    {
      if constexpr (std::is_same_v<std::decay_t<decltype(held)>, Vector3>)
      {
        return std::vector<double>(held.begin(), held.end());
      }
      else
      {
        return held;
      }
    },
    value);
}

Value ToValue(ValueType type, const PlainValue& plain)
{
  switch (type)
  {
    case ValueType::Bool:
      return Flag(plain);
    case ValueType::Integer:
      return WholeNumber(plain);
    case ValueType::Real:
      return Real(plain);
    case ValueType::Choice:
    case ValueType::Text:
    case ValueType::Array:
      if (const auto* text = std::get_if<std::string>(&plain))
      {
        return *text;
      }
      Mismatch("a text", plain);
    case ValueType::Vector:
      return Triple(plain);
  }
  Mismatch("a known type", plain);
}

std::string ValueText(const Value& value)
{
  return PlainValueText(ToPlainValue(value));
}

}
