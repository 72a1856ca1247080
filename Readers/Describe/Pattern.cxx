// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/Pattern.h"

#include "Base/Error.h"

#include <algorithm>
#include <charconv>

namespace dsm::describe
{

namespace
{
std::vector<std::string> Split(const std::string& text, char separator)
{
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end = 0; end != std::string::npos; begin = end + 1)
  {
    end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end - begin));
  }
  return parts;
}

// One name of a path against "before{word}after" or "before*after"; what stands in between.
std::optional<std::string> Between(
  const std::string& name, const std::string& before, const std::string& after)
{
  if (name.size() <= before.size() + after.size() || name.rfind(before, 0) != 0 ||
    name.compare(name.size() - after.size(), after.size(), after) != 0)
  {
    return std::nullopt;
  }
  return name.substr(before.size(), name.size() - before.size() - after.size());
}

DatasetPattern::Letter ParseLetter(std::string word, const std::string& text)
{
  DatasetPattern::Letter letter;
  if (!word.empty() && word.back() == '?')
  {
    letter.Optional = true;
    word.pop_back();
  }
  if (word.size() > 1 && word.front() == '-')
  {
    letter.Reversed = true;
    word.erase(0, 1);
  }
  const char* const end = word.data() + word.size();
  const auto number = std::from_chars(word.data(), end, letter.At);
  if (!word.empty() && number.ec == std::errc() && number.ptr == end)
  {
    return letter;
  }
  if (word.size() != 1 || std::string("xyzicbtv").find(word) == std::string::npos)
  {
    throw Error(Fault::Usage,
      "\"{}\" in \"{}\" is no dimension: it is one of x, y, z, i, c, b, t, v, or an index", word,
      text);
  }
  letter.Is = word[0];
  return letter;
}
}

std::string Bound(std::string text, const Bindings& bindings)
{
  for (const auto& [word, value] : bindings)
  {
    const std::string braced = "{" + word + "}";
    for (auto at = text.find(braced); at != std::string::npos;
      at = text.find(braced, at + value.size()))
    {
      text.replace(at, braced.size(), value);
    }
  }
  return text;
}

std::optional<Bindings> MatchGroup(const std::string& pattern, const std::string& path)
{
  const auto wanted = Split(pattern, '/'), names = Split(path, '/');
  if (wanted.size() != names.size())
  {
    return std::nullopt;
  }
  Bindings bindings;
  for (std::size_t index = 0; index < names.size(); ++index)
  {
    const std::string& one = wanted[index];
    const auto open = one.find('{'), close = one.find('}');
    if (open == std::string::npos || close == std::string::npos || close < open)
    {
      if (one != names[index])
      {
        return std::nullopt;
      }
      continue;
    }
    const auto bound = Between(names[index], one.substr(0, open), one.substr(close + 1));
    if (!bound)
    {
      return std::nullopt;
    }
    bindings[one.substr(open + 1, close - open - 1)] = *bound;
  }
  return bindings;
}

std::optional<std::vector<DatasetPattern::Letter>> DatasetPattern::Fit(std::size_t rank) const
{
  auto letters = this->Letters;
  while (letters.size() > rank && letters.back().Optional)
  {
    letters.pop_back();
  }
  return letters.size() == rank ? std::optional(letters) : std::nullopt;
}

std::optional<std::string> DatasetPattern::NameIn(const std::string& path) const
{
  const auto wanted = Split(this->Path, '/'), names = Split(path, '/');
  if (wanted.size() != names.size())
  {
    return std::nullopt;
  }
  std::string name = names.back();
  for (std::size_t index = 0; index < names.size(); ++index)
  {
    const std::string& one = wanted[index];
    const auto star = one.find('*');
    if (star == std::string::npos
        ? one != names[index]
        : !Between(names[index], one.substr(0, star), one.substr(star + 1)))
    {
      return std::nullopt;
    }
    if (star != std::string::npos)
    {
      name = names[index];
    }
  }
  return name;
}

std::vector<DatasetPattern> ParsePatterns(const std::string& text)
{
  std::vector<DatasetPattern> patterns;
  for (const std::string& one : Split(text, '|'))
  {
    DatasetPattern pattern;
    const auto open = one.rfind('[');
    pattern.Path = one.substr(0, open);
    if (open != std::string::npos)
    {
      if (one.back() != ']')
      {
        throw Error(Fault::Usage, "there is no ] at the end of \"{}\"", one);
      }
      for (const std::string& word : Split(one.substr(open + 1, one.size() - open - 2), ','))
      {
        pattern.Letters.push_back(ParseLetter(word, one));
      }
    }
    if (const auto member = pattern.Path.rfind('<');
      member != std::string::npos && pattern.Path.back() == '>')
    {
      pattern.Member = pattern.Path.substr(member + 1, pattern.Path.size() - member - 2);
      pattern.Path.erase(member);
    }
    if (pattern.Path.empty())
    {
      throw Error(Fault::Usage, "\"{}\" names no dataset", text);
    }
    patterns.push_back(std::move(pattern));
  }
  return patterns;
}

Role RoleOf(char letter)
{
  switch (letter)
  {
    case 'x':
      return Role::X;
    case 'y':
      return Role::Y;
    case 'z':
      return Role::Z;
    case 'i':
      return Role::Index;
    case 'c':
      return Role::Component;
    case 'b':
      return Role::Block;
    case 't':
      return Role::Time;
    default:
      return Role::Fixed;
  }
}

}
