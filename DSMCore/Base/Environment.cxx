// SPDX-License-Identifier: BSD-3-Clause
#include "Base/Environment.h"

#include "Base/Error.h"

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <system_error>

namespace dsm::environment
{

std::optional<std::string> Text(const char* name)
{
  const char* value = std::getenv(name);
  if (!value || !*value)
  {
    return std::nullopt;
  }
  return value;
}

Seconds SecondsOr(const char* name, double fallback)
{
  const auto text = Text(name);
  if (!text)
  {
    return Seconds(fallback);
  }
  char* end = nullptr;
  const double value = std::strtod(text->c_str(), &end);
  if (end == text->c_str() || *end != '\0' || !(value > 0) || !std::isfinite(value))
  {
    throw Error(Fault::Usage, "{} is \"{}\": give a positive number of seconds, such as {}=30",
      name, *text, name);
  }
  return Seconds(value);
}

std::uint64_t CountOr(const char* name, std::uint64_t fallback)
{
  const auto text = Text(name);
  if (!text)
  {
    return fallback;
  }
  std::uint64_t value = 0;
  const char* end = text->data() + text->size();
  const auto [stop, problem] = std::from_chars(text->data(), end, value);
  if (problem != std::errc() || stop != end)
  {
    throw Error(Fault::Usage, "{} is \"{}\": give a whole number from 0 to {}", name, *text,
      std::numeric_limits<std::uint64_t>::max());
  }
  return value;
}

bool SwitchOr(const char* name, bool fallback)
{
  const auto text = Text(name);
  if (text && *text != "on" && *text != "off")
  {
    throw Error(Fault::Usage, "{} is \"{}\": choose on or off", name, *text);
  }
  return text ? *text == "on" : fallback;
}

std::uint64_t ParseBytes(const std::string& text, const std::string& what)
{
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  std::string unit;
  for (const char* c = end; *c; ++c)
  {
    if (!std::isspace(static_cast<unsigned char>(*c)))
    {
      unit += static_cast<char>(std::toupper(static_cast<unsigned char>(*c)));
    }
  }
  static const std::array<std::pair<const char*, int>, 14> units{ { { "", 0 }, { "B", 0 },
    { "K", 10 }, { "KB", 10 }, { "KIB", 10 }, { "M", 20 }, { "MB", 20 }, { "MIB", 20 }, { "G", 30 },
    { "GB", 30 }, { "GIB", 30 }, { "T", 40 }, { "TB", 40 }, { "TIB", 40 } } };
  for (const auto& [name, shift] : units)
  {
    if (end != text.c_str() && unit == name && value >= 0 && std::ldexp(value, shift) < 0x1p63)
    {
      return static_cast<std::uint64_t>(std::ldexp(value, shift));
    }
  }
  throw Error(Fault::Usage, "{} is \"{}\": give a size such as 67108864, \"64 MiB\" or \"1.5 GiB\"",
    what, text);
}

std::string FormatBytes(std::uint64_t bytes)
{
  static const std::array<const char*, 5> units{ "B", "KiB", "MiB", "GiB", "TiB" };
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < units.size())
  {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.4g} {}", value, units[unit]);
}

}
