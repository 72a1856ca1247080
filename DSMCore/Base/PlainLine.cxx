// SPDX-License-Identifier: BSD-3-Clause
#include "Base/PlainLine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace dsm
{

namespace
{
// The characters of UTF-8 that have more than one byte (RFC 3629, section 4).
struct Characters
{
  unsigned First, Last;             ///< byte
  unsigned SecondFirst, SecondLast; ///< the others are 0x80 to 0xbf
  std::size_t Length;
};

constexpr std::array<Characters, 8> Long{ {
  { 0xc2, 0xdf, 0x80, 0xbf, 2 },
  { 0xe0, 0xe0, 0xa0, 0xbf, 3 },
  { 0xe1, 0xec, 0x80, 0xbf, 3 },
  { 0xed, 0xed, 0x80, 0x9f, 3 },
  { 0xee, 0xef, 0x80, 0xbf, 3 },
  { 0xf0, 0xf0, 0x90, 0xbf, 4 },
  { 0xf1, 0xf3, 0x80, 0xbf, 4 },
  { 0xf4, 0xf4, 0x80, 0x8f, 4 },
} };

// Returns how many bytes the first character of a text has; 0: the text begins with none.
std::size_t LengthOf(std::string_view text)
{
  const auto isWithin = [&](std::size_t place, unsigned first, unsigned last)
  {
    const unsigned byte = place < text.size() ? static_cast<unsigned char>(text[place]) : 0U;
    return first <= byte && byte <= last;
  };
  if (isWithin(0, 0x00, 0x7f))
  {
    return text.empty() ? 0 : 1;
  }
  const auto* const found = std::ranges::find_if(Long,
    [&](const Characters& one)
    {
      bool all = isWithin(0, one.First, one.Last) && isWithin(1, one.SecondFirst, one.SecondLast);
      for (std::size_t place = 2; place < one.Length; ++place)
      {
        all = all && isWithin(place, 0x80, 0xbf);
      }
      return all;
    });
  return found == Long.end() ? 0 : found->Length;
}

// How many bytes from there on a terminal would obey; 0: none.
std::size_t Controls(std::string_view text)
{
  const auto byte = [&](std::size_t place) -> unsigned
  { return place < text.size() ? static_cast<unsigned char>(text[place]) : 0U; };
  if (byte(0) < 0x20 || byte(0) == 0x7f)
  {
    return 1;
  }
  // U+0080 to U+009F.
  if (byte(0) == 0xc2 && byte(1) >= 0x80 && byte(1) <= 0x9f)
  {
    return 2;
  }
  // A byte that is none of UTF-8: terminals of eight bits obey some.
  if (byte(0) >= 0x80 && LengthOf(text) == 0)
  {
    return 1;
  }
  // U+202A to U+202E and U+2066 to U+2069.
  const bool turns = byte(0) == 0xe2 &&
    ((byte(1) == 0x80 && byte(2) >= 0xaa && byte(2) <= 0xae) ||
      (byte(1) == 0x81 && byte(2) >= 0xa6 && byte(2) <= 0xa9));
  return turns ? 3 : 0;
}
}

std::string PlainLine(std::string_view text)
{
  std::string line;
  line.reserve(text.size());
  for (std::size_t at = 0; at < text.size();)
  {
    const std::size_t controls = Controls(text.substr(at));
    if (controls == 0)
    {
      const std::size_t length = LengthOf(text.substr(at));
      line += text.substr(at, length);
      at += length;
      continue;
    }
    for (const std::size_t end = at + controls; at < end; ++at)
    {
      line += text[at] == '\n' ? "\\n"
        : text[at] == '\t'
        ? "\\t"
        : fmt::format("\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(text[at])));
    }
  }
  return line;
}

}
