// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Encoding/PlainValue.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <variant>

namespace dsm
{

using Vector3 = std::array<double, 3>;

/// What a parameter can hold. An enumeration's value is the text of its choice.
using Value = std::variant<bool, std::int64_t, double, std::string, Vector3>;

enum class ValueType
{
  Bool,
  Integer,
  Real,
  Choice,
  Text,
  Vector,
  Array ///< a SentArray as text; empty: what the program began with
};

/// "bool", "int64", "double", "enumeration", "string", "vector", "array"; the inverse throws
/// Error(Refused).
const char* ValueTypeName(ValueType type);
ValueType ValueTypeFromName(const std::string& name);

/// Values by the names of their parameters, as they travel.
using NamedValues = std::map<std::string, PlainValue>;

PlainValue ToPlainValue(const Value& value);

/// Takes what loses nothing (4 as double, 4.0 as integer); throws Error(Refused) with "expects …,
/// not …" otherwise, and for numbers that are not finite.
Value ToValue(ValueType type, const PlainValue& plain);

/// As text that reads back to the same bits: JSON.
std::string ValueText(const Value& value);

}
