// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Clock.h"

#include <cstdint>
#include <optional>
#include <string>

namespace dsm::environment
{

/// The value of an environment variable; none when unset or empty.
std::optional<std::string> Text(const char* name);

/// The same as a positive number of seconds; throws Error(Usage) naming the variable when it is
/// none.
Seconds SecondsOr(const char* name, double fallback);

/// The same as a whole number from 0 on; throws Error(Usage) naming the variable when it is none.
std::uint64_t CountOr(const char* name, std::uint64_t fallback);

/// "on" or "off"; throws Error(Usage) naming the variable for anything else.
bool SwitchOr(const char* name, bool fallback);

/// "512", "64 KiB", "1.5GiB" as bytes; throws Error(Usage) that names `what` otherwise.
std::uint64_t ParseBytes(const std::string& text, const std::string& what);

/// 1536 as "1.5 KiB".
std::string FormatBytes(std::uint64_t bytes);

}
