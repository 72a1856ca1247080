// SPDX-License-Identifier: BSD-3-Clause
#include "Base/FileName.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <regex>
#include <string_view>

namespace dsm
{

namespace
{
// A number in a file name, with its fraction when there is one. "h5" in an extension is no number
// of the stream: the digits must not follow a letter of an extension at the end of the name.
const std::regex& NumberPattern()
{
  static const std::regex pattern("[0-9]+(\\.[0-9]+)?");
  return pattern;
}

// True for an absolute path without anything in it that could be left out.
bool IsNormal(const std::string& name)
{
  if (!name.starts_with('/'))
  {
    return false;
  }
  for (std::size_t slash = 0; slash != std::string::npos; slash = name.find('/', slash + 1))
  {
    const std::string_view rest = std::string_view(name).substr(slash + 1);
    if (rest.starts_with('/') || rest.starts_with('.'))
    {
      return false; // "//", "/./", "/../"; or a hidden file, which needs a longer look
    }
  }
  return true;
}

struct NameParts
{
  std::string Folder, Stem, Extension;
};

NameParts Split(const std::string& name)
{
  const std::filesystem::path path(name);
  NameParts parts;
  parts.Folder = path.has_parent_path() ? path.parent_path().string() + "/" : "";
  parts.Stem = path.stem().string();
  parts.Extension = path.extension().string();
  // "data.0012" has no extension: ".0012" is its number.
  if (parts.Extension.size() > 1 &&
    parts.Extension.find_first_not_of("0123456789", 1) == std::string::npos)
  {
    parts.Stem += parts.Extension;
    parts.Extension.clear();
  }
  return parts;
}
}

std::string AbsoluteName(const std::string& name)
{
  // Each file that is opened is looked at so, and nearly all are named like that.
  if (IsNormal(name))
  {
    return name;
  }
  std::error_code ignored;
  const auto folder = std::filesystem::current_path(ignored);
  return (folder / name).lexically_normal().string();
}

bool MatchesPattern(const std::string& pattern, const std::string& name)
{
  const std::string last = std::filesystem::path(name).filename().string();
  std::size_t begin = 0;
  while (begin <= pattern.size())
  {
    const std::size_t end = std::min(pattern.find(':', begin), pattern.size());
    const std::string one = pattern.substr(begin, end - begin);
    if (!one.empty() &&
      (fnmatch(one.c_str(), name.c_str(), 0) == 0 || fnmatch(one.c_str(), last.c_str(), 0) == 0))
    {
      return true;
    }
    begin = end + 1;
  }
  return false;
}

std::string StreamName(const std::string& name)
{
  const NameParts parts = Split(name);
  return parts.Folder + std::regex_replace(parts.Stem, NumberPattern(), "#") + parts.Extension;
}

NumberedName::NumberedName(const std::string& name)
{
  const std::string extension = Split(name).Extension;
  const std::string digits = "0123456789";
  const std::size_t end = name.size() - extension.size();
  for (std::size_t from = 0;;)
  {
    const std::size_t number = std::min(name.find_first_of(digits, from), end);
    this->Between.push_back(name.substr(from, number - from));
    if (number == end)
    {
      break;
    }
    from = std::min(name.find_first_not_of(digits, number), end);
    this->Numbers.push_back(name.substr(number, from - number));
  }
  this->Between.back() += extension;
}

std::string NumberedName::With(const char* instead, const std::vector<bool>& which) const
{
  std::string name = this->Between.front();
  for (std::size_t number = 0; number < this->Numbers.size(); ++number)
  {
    name += which[number] ? instead : this->Numbers[number];
    name += this->Between[number + 1];
  }
  return name;
}

std::optional<double> StepFromName(const std::string& name)
{
  const std::string stem = Split(name).Stem;
  std::optional<double> step;
  for (std::sregex_iterator it(stem.begin(), stem.end(), NumberPattern()), end; it != end; ++it)
  {
    const std::string text = it->str();
    double value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    step = value;
  }
  return step;
}

std::string SnapshotName(const std::string& contactFile, std::uint64_t number)
{
  return fmt::format("{}#{}", contactFile, number);
}

std::string InteractionsName(const std::string& contactFile)
{
  return contactFile + "#Interactions";
}

std::string LatestName(const std::string& contactFile)
{
  return contactFile + "#latest";
}

std::optional<SnapshotReference> ParseSnapshotName(const std::string& name)
{
  const std::size_t mark = name.rfind('#');
  if (mark == std::string::npos || mark == 0 || mark + 1 == name.size())
  {
    return std::nullopt;
  }
  SnapshotReference reference;
  reference.ContactFile = name.substr(0, mark);
  const char* begin = name.data() + mark + 1;
  const char* end = name.data() + name.size();
  const auto result = std::from_chars(begin, end, reference.Number);
  if (result.ec != std::errc() || result.ptr != end)
  {
    return std::nullopt;
  }
  return reference;
}

}
