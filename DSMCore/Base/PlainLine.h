// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace dsm
{

/// Returns a text as one line that a terminal shows and does not obey, whatever a file is called:
/// control characters, those that turn the direction of writing, and bytes that are none of UTF-8,
/// as escapes of C ("\n", "\x1b").
std::string PlainLine(std::string_view text);

}
