// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

/// Small functions on texts.
namespace dsm::describe
{

/// Without white space at both ends.
std::string Trimmed(const std::string& text);

/// In ASCII; other letters stay.
std::string LowerCase(std::string text);

/// What is behind the last '/' of a path.
std::string LastName(const std::string& path);

/// The parts between any of these characters; empty ones are left out.
std::vector<std::string> Split(const std::string& text, const std::string& separators);

/// The number that the whole text is, in the notation of C, whatever the language of the process
/// ("1.5e3", "1.5D3" as Fortran writes it).
std::optional<double> AsNumber(const std::string& text);

/// Likewise a whole number that is not negative.
std::optional<unsigned long long> AsCount(const std::string& text);

/// As UTF-8, with "?" for each byte that is none: names in files are any bytes, and who shows texts
/// expects letters.
std::string AsUtf8(const std::string& text);

}
