// SPDX-License-Identifier: BSD-3-Clause
#include "Base/FileName.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <climits>
#include <filesystem>
#include <functional>
#include <string_view>

namespace dsm
{

namespace
{
constexpr std::string_view Digits = "0123456789";

// Where a number is in a name.
struct NumberPlace
{
  std::size_t Begin;
  std::size_t End;

  bool IsEmpty() const { return this->Begin == this->End; }
};

// The next one from there on, with its fraction when there is one; empty, at the end, when there is
// none. By hand: each file's name is looked at several times, and a regular expression takes ten
// times as long.
NumberPlace NumberFrom(std::string_view name, std::size_t from)
{
  const std::size_t begin = std::min(name.find_first_of(Digits, from), name.size());
  std::size_t end = std::min(name.find_first_not_of(Digits, begin), name.size());
  if (end > begin && end + 1 < name.size() && name[end] == '.' &&
    Digits.find(name[end + 1]) != std::string_view::npos)
  {
    end = std::min(name.find_first_not_of(Digits, end + 1), name.size());
  }
  return { begin, end };
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

// Returns whether a component such as ".h5" says that a file is HDF5, with a digit in it.
bool IsHdf5Extension(std::string_view component)
{
  constexpr std::array<std::string_view, 8> Known{ ".h5", ".hdf5", ".he5", ".h5m", ".h5part", ".f5",
    ".nc4", ".h4" };
  return std::find(Known.begin(), Known.end(), component) != Known.end();
}

// "h5" in an extension is no number of the stream. A program that renames its files when they are
// whole may have put another extension behind it: "out.0003.h5.tmp".
struct NameParts
{
  std::string_view Folder; ///< with its slash
  std::string_view Stem;
  std::string_view Extension;

  explicit NameParts(std::string_view name)
  {
    const std::size_t last = name.rfind('/') + 1; // 0 without a folder
    this->Folder = name.substr(0, last);
    this->Stem = name.substr(last);
    const std::size_t dot = this->Stem.rfind('.');
    // "data.0012" has no extension: ".0012" is its number. Neither has ".hidden".
    if (dot != std::string_view::npos && dot > 0 &&
      (dot + 1 == this->Stem.size() ||
        this->Stem.find_first_not_of(Digits, dot + 1) != std::string_view::npos))
    {
      this->Stem.remove_suffix(this->Stem.size() - dot);
    }
    for (std::size_t next = this->Stem.rfind('.');
      next != std::string_view::npos && next > 0 && IsHdf5Extension(this->Stem.substr(next));
      next = this->Stem.rfind('.'))
    {
      this->Stem.remove_suffix(this->Stem.size() - next);
    }
    this->Extension = name.substr(last + this->Stem.size());
  }
};
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

std::string PathBelow(const std::string& folder, const std::string& file)
{
  const auto relative = folder.empty() ? std::filesystem::path()
                                       : std::filesystem::path(file).lexically_relative(folder);
  const bool isBelow = !relative.empty() && *relative.begin() != ".." && *relative.begin() != ".";
  return isBelow ? relative.string() : std::string();
}

std::string Shortened(const std::string& text, std::size_t most)
{
  if (text.size() <= most)
  {
    return text;
  }
  const auto continues = [&](std::size_t place)
  { return (static_cast<unsigned char>(text[place]) & 0xC0U) == 0x80U; };
  std::size_t end = most;
  while (end > 0 && end + 3 > most && continues(end))
  {
    --end;
  }
  return text.substr(0, end);
}

std::string NameBeside(const std::string& path, const std::string& suffix)
{
  const std::size_t folder = path.rfind('/') + 1; // 0 without one
  const std::string name = path.substr(folder);
  const long longest = pathconf(folder > 0 ? path.substr(0, folder).c_str() : ".", _PC_NAME_MAX);
  const std::size_t most =
    std::min<std::size_t>(longest > 0 ? static_cast<std::size_t>(longest) : NAME_MAX,
      PATH_MAX - 1 - std::min<std::size_t>(folder, PATH_MAX - 1));
  if (name.size() + suffix.size() <= most)
  {
    return path + suffix;
  }
  const std::string end = fmt::format(".{:016x}{}", std::hash<std::string>()(name), suffix);
  return path.substr(0, folder) + Shortened(name, most - std::min(most, end.size())) + end;
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

std::string WithoutNumbers(std::string_view text)
{
  std::string result;
  for (std::size_t from = 0;;)
  {
    const NumberPlace number = NumberFrom(text, from);
    result += text.substr(from, number.Begin - from);
    if (number.IsEmpty())
    {
      return result;
    }
    result += '#';
    from = number.End;
  }
}

std::string StreamName(const std::string& name)
{
  const NameParts parts(name);
  return std::string(parts.Folder).append(WithoutNumbers(parts.Stem)).append(parts.Extension);
}

NumberedStem::NumberedStem(const std::string& name)
{
  const NameParts parts(name);
  for (std::size_t from = 0;;)
  {
    const NumberPlace number = NumberFrom(parts.Stem, from);
    this->Between.emplace_back(parts.Stem.substr(from, number.Begin - from));
    if (number.IsEmpty())
    {
      break;
    }
    const std::string_view text = parts.Stem.substr(number.Begin, number.End - number.Begin);
    const std::size_t point = std::min(text.find('.'), text.size());
    this->Numbers.push_back({ std::string(text.substr(0, point)),
      std::string(text.substr(std::min(point + 1, text.size()))) });
    from = number.End;
  }
  this->Between.back() += parts.Extension;
}

NumberedName::NumberedName(const std::string& name)
{
  const std::string_view extension = NameParts(name).Extension;
  const std::size_t end = name.size() - extension.size();
  for (std::size_t from = 0;;)
  {
    const std::size_t number = std::min(name.find_first_of(Digits, from), end);
    this->Between.push_back(name.substr(from, number - from));
    if (number == end)
    {
      break;
    }
    from = std::min(name.find_first_not_of(Digits, number), end);
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
  const std::string_view stem = NameParts(name).Stem;
  std::optional<double> step;
  for (NumberPlace number = NumberFrom(stem, 0); !number.IsEmpty();
    number = NumberFrom(stem, number.End))
  {
    double value = 0;
    std::from_chars(stem.data() + number.Begin, stem.data() + number.End, value);
    step = value;
  }
  return step;
}

std::string SnapshotName(const std::string& contactFile, SnapshotId number)
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
  const char* begin = name.data() + mark + 1;
  const char* end = name.data() + name.size();
  std::uint64_t number = 0;
  const auto result = std::from_chars(begin, end, number);
  if (result.ec != std::errc() || result.ptr != end)
  {
    return std::nullopt;
  }
  return SnapshotReference{ name.substr(0, mark), SnapshotId(number) };
}

}
