// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace dsm
{

/// A list of other things than numbers, or an object, as JSON text: no parameter takes one, and who
/// refuses it can say what it was.
struct Composite
{
  std::string Text;

  friend bool operator==(const Composite& left, const Composite& right)
  {
    return left.Text == right.Text;
  }
};

/// A single value whose type is known only when it is there: what somebody typed, an argument that
/// may be missing. std::monostate is "none" (null in JSON).
using PlainValue = std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double,
  std::string, std::vector<double>, Composite>;

/// As JSON text, which reads back to the same bits: 0.1, "mirror", [1, 0, 0], null.
std::string PlainValueText(const PlainValue& value);

/// The inverse. Throws Error(Usage) when the text is no JSON, or a Composite.
PlainValue PlainValueFromText(const std::string& text);

}
