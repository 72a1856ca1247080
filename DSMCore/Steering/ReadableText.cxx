// SPDX-License-Identifier: BSD-3-Clause
#include "Steering/ReadableText.h"

#include <algorithm>

namespace dsm
{

std::string ReadableText(std::string text)
{
  const bool ascii = std::all_of(text.begin(), text.end(),
    [](char character) { return static_cast<unsigned char>(character) < 0x80; });
  if (ascii)
  {
    return text;
  }
  return nlohmann::json::parse(ReadableJson(std::move(text))).get<std::string>();
}

std::string ReadableJson(const nlohmann::json& json)
{
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}
