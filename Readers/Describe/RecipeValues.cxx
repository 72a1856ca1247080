// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/RecipeValues.h"

#include "Describe/Text.h"

#include <algorithm>
#include <charconv>

namespace dsm::describe
{

namespace
{
constexpr std::uint64_t MostNumbers = std::uint64_t(1) << 24;

// Splits "@/Header/Time" into the object /Header and its attribute Time.
std::pair<std::string, std::string> AttributeOf(const std::string& what)
{
  const auto slash = what.rfind('/');
  if (slash == std::string::npos)
  {
    return { "/", what.substr(1) };
  }
  return { slash == 1 ? "/" : what.substr(1, slash - 1), what.substr(slash + 1) };
}
}

std::uint64_t CountFrom(double number)
{
  // NaN compares false.
  return number > 0 && number < 1e15 ? static_cast<std::uint64_t>(number) : 0;
}

RecipeValues::RecipeValues(const FileFacts& file)
  : File(file)
{
}

std::vector<double> RecipeValues::Numbers(const std::string& text, const Bindings& bindings) const
{
  std::string what = Bound(text, bindings);
  std::optional<std::size_t> index;
  if (const auto open = what.rfind('['); !what.empty() && what.back() == ']' && open != what.npos)
  {
    std::string word = what.substr(open + 1, what.size() - open - 2);
    const auto bound = bindings.find(word);
    word = bound == bindings.end() ? word : bound->second;
    std::size_t number = 0;
    if (std::from_chars(word.data(), word.data() + word.size(), number).ec != std::errc())
    {
      return {};
    }
    index = number;
    what.erase(open);
  }
  std::vector<double> values;
  if (what.empty())
  {
    return values;
  }
  if (what[0] != '@' && what[0] != '/')
  {
    for (const std::string& word : Split(what, " ,"))
    {
      const auto number = AsNumber(word);
      if (!number)
      {
        return {};
      }
      values.push_back(*number);
    }
    return values;
  }
  if (const auto key = what.find('<'); what.back() == '>' && key != std::string::npos)
  {
    const auto value =
      this->File.NumberBeside(what.substr(0, key), what.substr(key + 1, what.size() - key - 2));
    return value ? std::vector{ *value } : values;
  }
  if (what[0] == '@')
  {
    const auto [object, name] = AttributeOf(what);
    values = this->File.Numbers(object, name);
  }
  // Find the dataset by any of its names: LAMMPS links the times of positions to those of the box.
  else if (const auto dataset = this->File.ObjectAt(what);
    dataset && dataset->Numbers && dataset->Elements() <= MostNumbers)
  {
    values = this->File.AllValues(*dataset);
  }
  if (index)
  {
    return *index < values.size() ? std::vector{ values[*index] } : std::vector<double>{};
  }
  return values;
}

std::optional<double> RecipeValues::Number(const std::string& what, const Bindings& bindings) const
{
  const auto numbers = this->Numbers(what, bindings);
  return numbers.empty() ? std::nullopt : std::optional(numbers.back());
}

std::vector<std::string> RecipeValues::Texts(const std::string& what) const
{
  if (what.empty() || what[0] != '@')
  {
    return {};
  }
  const auto [object, name] = AttributeOf(what);
  return this->File.Texts(object, name);
}

bool RecipeValues::Holds(const std::string& condition) const
{
  if (!condition.empty() && condition[0] == '!')
  {
    return !this->Holds(condition.substr(1));
  }
  if (condition.empty() || condition[0] != '@')
  {
    return hdf5::Find(this->File.Objects(), condition) != nullptr;
  }
  const auto equals = condition.find('=');
  const auto [object, name] = AttributeOf(condition.substr(0, equals));
  if (equals == std::string::npos)
  {
    return this->File.Has(object, name);
  }
  return this->File.Text(object, name) == condition.substr(equals + 1);
}

}
