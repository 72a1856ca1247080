// SPDX-License-Identifier: BSD-3-Clause
#include "Encoding/PlainValue.h"

#include "Base/Error.h"
#include "Encoding/Bounds.h"
#include "Encoding/PlainJson.h"

#include <algorithm>
#include <limits>

namespace dsm
{

using Json = nlohmann::json;

namespace
{
std::string Text(const Json& json)
{
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}
}

Json ParseJson(const std::string& text)
{
  struct TooDeep
  {
  };
  try
  {
    return Json::parse(
      text,
      [](int depth, Json::parse_event_t, Json&)
      {
        if (depth > DeepestNesting)
        {
          throw TooDeep();
        }
        return true;
      },
      false);
  }
  catch (const TooDeep&)
  {
    return Json(Json::value_t::discarded); // in braces it would be a list
  }
}

PlainValue ToPlain(const Json& json)
{
  switch (json.type())
  {
    case Json::value_t::null:
      return std::monostate();
    case Json::value_t::boolean:
      return json.get<bool>();
    case Json::value_t::number_unsigned:
    {
      // One type for what fits both, so that equal numbers are equal values.
      const auto number = json.get<std::uint64_t>();
      if (number <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      {
        return static_cast<std::int64_t>(number);
      }
      return number;
    }
    case Json::value_t::number_integer:
      return json.get<std::int64_t>();
    case Json::value_t::number_float:
      return json.get<double>();
    case Json::value_t::string:
      return json.get<std::string>();
    case Json::value_t::array:
      if (std::all_of(json.begin(), json.end(), [](const Json& one) { return one.is_number(); }))
      {
        return json.get<std::vector<double>>();
      }
      return Composite{ Text(json) };
    default:
      return Composite{ Text(json) };
  }
}

namespace
{
bool IsPlainWithin(const Json& json, int depth)
{
  if (json.is_binary() || (json.is_structured() && depth == 0))
  {
    return false;
  }
  return !json.is_structured() ||
    std::all_of(
      json.begin(), json.end(), [depth](const Json& one) { return IsPlainWithin(one, depth - 1); });
}
}

bool IsPlain(const Json& json)
{
  return IsPlainWithin(json, DeepestValue);
}

std::string PlainValueText(const PlainValue& value)
{
  return Text(JsonOf<Json>(value));
}

PlainValue PlainValueFromText(const std::string& text)
{
  const Json json = ParseJson(text);
  PlainValue value = json.is_discarded() ? PlainValue(Composite()) : ToPlain(json);
  if (std::holds_alternative<Composite>(value))
  {
    throw Error(Fault::Usage, "{} is no number, text, true, false, null or list of numbers", text);
  }
  return value;
}

}
