// SPDX-License-Identifier: BSD-3-Clause
#include "Steering/ReadableText.h"

#include <nlohmann/json.hpp>

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
  using Json = nlohmann::json;
  const Json given(std::move(text));
  return Json::parse(given.dump(-1, ' ', false, Json::error_handler_t::replace)).get<std::string>();
}

}
