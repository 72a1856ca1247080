// SPDX-License-Identifier: BSD-3-Clause
// Only for this folder's sources: everything else has no need of JSON.
#pragma once

#include "Encoding/PlainValue.h"

#include <nlohmann/json.hpp>

namespace dsm
{

template <typename Json>
Json JsonOf(const PlainValue& value)
{
  return std::visit(
    [](const auto& content) -> Json
    {
      if constexpr (std::is_same_v<std::decay_t<decltype(content)>, std::monostate>)
      {
        return nullptr;
      }
      else if constexpr (std::is_same_v<std::decay_t<decltype(content)>, Composite>)
      {
        return Json::parse(content.Text);
      }
      else
      {
        return content;
      }
    },
    value);
}

/// Discarded when the text is no JSON, or nested deeper than DeepestNesting.
nlohmann::json ParseJson(const std::string& text);

PlainValue ToPlain(const nlohmann::json& json);

/// False for what is nested deeper than DeepestValue, and for what has bytes in it.
bool IsPlain(const nlohmann::json& json);

}
