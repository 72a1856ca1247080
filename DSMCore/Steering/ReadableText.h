// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace dsm
{

/// The text with what is not UTF-8 in it replaced by U+FFFD: programs hold what they like, and
/// viewers show text.
std::string ReadableText(std::string text);

}
