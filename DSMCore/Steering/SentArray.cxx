// SPDX-License-Identifier: BSD-3-Clause
#include "Steering/SentArray.h"

#include "Base/Error.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <iterator>
#include <numeric>
#include <sstream>
#include <string_view>
#include <utility>

namespace dsm
{

namespace
{
constexpr std::size_t HashDigits = 64;
constexpr std::pair<std::string_view, std::uint64_t> Elements[] = { { "uint8", 1 }, { "int32", 4 },
  { "int64", 8 }, { "float32", 4 }, { "float64", 8 } };

// Reads a number. Returns false if the text is more than that.
bool TakeNumber(std::string_view text, std::uint64_t& number)
{
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  return problem == std::errc() && end == text.data() + text.size();
}

// Takes the rest of a word behind its beginning, "sha256:" say. Returns false if it begins
// otherwise.
bool TakeBehind(std::string_view word, std::string_view beginning, std::string_view& rest)
{
  if (!word.starts_with(beginning))
  {
    return false;
  }
  rest = word.substr(beginning.size());
  return true;
}

bool TakeNumberBehind(std::string_view word, std::string_view beginning, std::uint64_t& number)
{
  std::string_view rest;
  return TakeBehind(word, beginning, rest) && TakeNumber(rest, number);
}

bool TakeSizes(std::string_view word, std::vector<std::uint64_t>& sizes)
{
  for (std::size_t begin = 0; begin <= word.size();)
  {
    const std::size_t end = std::min(word.find('x', begin), word.size());
    std::uint64_t size = 0;
    if (!TakeNumber(word.substr(begin, end - begin), size))
    {
      return false;
    }
    sizes.push_back(size);
    begin = end + 1;
  }
  return true;
}

bool TakeHash(std::string_view word, std::string& hash)
{
  std::string_view digits;
  if (!TakeBehind(word, "sha256:", digits) || digits.size() != HashDigits ||
    digits.find_first_not_of("0123456789abcdef") != std::string_view::npos)
  {
    return false;
  }
  hash = digits;
  return true;
}
}

std::uint64_t ArrayShape::ElementBytes() const
{
  const auto* const found = std::ranges::find(
    Elements, this->Element, [](const auto& element) { return std::string(element.first); });
  if (found == std::end(Elements))
  {
    throw Error(Fault::Usage,
      "an array cannot have elements of type \"{}\": they are uint8, int32, int64, float32 or "
      "float64",
      this->Element);
  }
  return found->second;
}

std::uint64_t ArrayShape::Bytes() const
{
  return std::accumulate(
    this->Sizes.begin(), this->Sizes.end(), this->ElementBytes(), std::multiplies<>());
}

std::string ArrayShape::Text() const
{
  return fmt::format("{} [{}]", this->Element, fmt::join(this->Sizes, ", "));
}

std::string SentArray::Text() const
{
  return fmt::format("{} {} sha256:{} snapshot:{} offset:{}", this->Shape.Element,
    fmt::join(this->Shape.Sizes, "x"), this->Hash, this->Snapshot, this->Elements);
}

SentArray SentArray::FromText(const std::string& text)
{
  std::istringstream stream(text);
  const std::vector<std::string> words(
    std::istream_iterator<std::string>(stream), std::istream_iterator<std::string>{});
  SentArray sent;
  std::uint64_t snapshot = 0;
  std::uint64_t offset = 0;
  const bool good = words.size() == 5 && TakeSizes(words[1], sent.Shape.Sizes) &&
    TakeHash(words[2], sent.Hash) && TakeNumberBehind(words[3], "snapshot:", snapshot) &&
    TakeNumberBehind(words[4], "offset:", offset);
  if (!good)
  {
    throw Error(
      Fault::Refused, "expects an array that was sent (dsm.Viewer.send), not \"{}\"", text);
  }
  sent.Shape.Element = words[0];
  sent.Snapshot = SnapshotId(snapshot);
  sent.Elements = FileOffset(offset);
  return sent;
}

std::string SentArrayFile(const std::string& contactPath, std::string parameter)
{
  // A folder of that name need not be there.
  std::ranges::replace(parameter, '/', '_');
  return contactPath + "." + parameter + SentArraySuffix;
}

}
