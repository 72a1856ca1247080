// SPDX-License-Identifier: BSD-3-Clause
#include "Control/Codec.h"

namespace dsm
{

Frame EncodeMessage(const nlohmann::json& message)
{
  return nlohmann::json::to_cbor(message);
}

std::optional<nlohmann::json> DecodeMessage(const void* data, std::size_t size)
{
  const auto* begin = static_cast<const std::uint8_t*>(data);
  auto message = nlohmann::json::from_cbor(begin, begin + size, true, false);
  if (message.is_discarded() || !message.is_object())
  {
    return std::nullopt;
  }
  return message;
}

}
