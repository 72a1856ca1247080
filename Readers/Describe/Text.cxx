// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/Text.h"

#include <charconv>

namespace dsm::describe
{

namespace
{
constexpr const char* White = " \t\r\n\f\v";

template <typename Number>
std::optional<Number> Parse(const char* begin, const char* end)
{
  Number number{};
  const auto [stopped, error] = std::from_chars(begin, end, number);
  return error == std::errc() && stopped == end ? std::optional(number) : std::nullopt;
}
}

std::string Trimmed(const std::string& text)
{
  const auto first = text.find_first_not_of(White);
  return first == std::string::npos ? ""
                                    : text.substr(first, text.find_last_not_of(White) - first + 1);
}

std::string LowerCase(std::string text)
{
  for (char& letter : text)
  {
    letter = letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  }
  return text;
}

std::vector<std::string> Split(const std::string& text, const std::string& separators)
{
  std::vector<std::string> parts;
  std::size_t at = 0;
  while ((at = text.find_first_not_of(separators, at)) != std::string::npos)
  {
    const auto end = std::min(text.find_first_of(separators, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end;
  }
  return parts;
}

std::optional<double> AsNumber(const std::string& text)
{
  std::string plain = text.rfind('+', 0) == 0 ? text.substr(1) : text;
  if (const auto exponent = plain.find_first_of("dD"); exponent != std::string::npos)
  {
    plain[exponent] = 'e';
  }
  return Parse<double>(plain.data(), plain.data() + plain.size());
}

std::optional<unsigned long long> AsCount(const std::string& text)
{
  return Parse<unsigned long long>(text.data(), text.data() + text.size());
}

}
