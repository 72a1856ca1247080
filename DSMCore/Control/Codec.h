// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace dsm
{

/// One message as it travels: CBOR, one frame. Text is bytes here: file names need not be UTF-8.
using Frame = std::vector<std::uint8_t>;

Frame EncodeMessage(const nlohmann::json& message);

/// None unless the bytes are exactly one CBOR object.
std::optional<nlohmann::json> DecodeMessage(const void* data, std::size_t size);

/// No message comes near this; more is an error or an attack, and the connection is closed.
constexpr std::int64_t LargestMessage = 64 << 20;

}
