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

std::string LastName(const std::string& path)
{
  return path.substr(path.rfind('/') + 1);
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

std::string AsUtf8(const std::string& text)
{
  std::string valid;
  valid.reserve(text.size());
  for (std::size_t at = 0; at < text.size();)
  {
    const auto byte = [&](std::size_t index)
    { return index < text.size() ? static_cast<unsigned char>(text[index]) : 0U; };
    const unsigned first = byte(at);
    const std::size_t length = first < 0x80 ? 1
      : first >= 0xC2 && first < 0xE0       ? 2
      : first >= 0xE0 && first < 0xF0       ? 3
      : first >= 0xF0 && first < 0xF5       ? 4
                                            : 0;
    bool good = length > 0;
    for (std::size_t more = 1; more < length; ++more)
    {
      good = good && (byte(at + more) & 0xC0) == 0x80;
    }
    // Longer than need be, halves of pairs, and beyond the last letter.
    const unsigned second = byte(at + 1);
    good = good && !(first == 0xE0 && second < 0xA0) && !(first == 0xED && second > 0x9F) &&
      !(first == 0xF0 && second < 0x90) && !(first == 0xF4 && second > 0x8F);
    valid += good ? text.substr(at, length) : "?";
    at += good ? length : 1;
  }
  return valid;
}

}
