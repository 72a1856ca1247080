// SPDX-License-Identifier: BSD-3-Clause
#include "Base/PlainLine.h"

#include <fmt/format.h>

namespace dsm
{

namespace
{
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
      line += text[at++];
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
