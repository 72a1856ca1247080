// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/RecipeWriter.h"

#include "Base/Error.h"
#include "Describe/NumberedGroups.h"
#include "Describe/RecipeRecogniser.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace dsm::describe
{

namespace
{
[[noreturn]] void CannotSay(const std::string& what)
{
  throw Error(Fault::Unsupported, "a recipe cannot say what is shown of this file: {}", what);
}

class RecipeWriter
{
public:
  RecipeWriter(const Description& description, const Asked& asked);
  Recipe Write();

private:
  std::string StepPath() const;
  bool IsInStep(const Source& source) const;

  // Returns the path of a step as a pattern: "/Step#{n}".
  std::string StepPattern() const;
  std::string PathText(const std::string& path);
  std::string TextOf(const Source& source);
  std::vector<std::string> TextsOf(const std::vector<Source>& sources);
  void WritePart(const Part& part, Recipe& made);

  // Finds where the file has the time that is described.
  void SetTime(Recipe& made);

  const Description& What;
  const Asked& Input;
  NumberedGroups Steps;
  bool Stepped = false;              ///< the arrays are in one of the groups that are steps
  std::vector<std::string> Datasets; ///< that the recipe names
};

RecipeWriter::RecipeWriter(const Description& description, const Asked& asked)
  : What(description)
  , Input(asked)
  , Steps(FindSteps(asked.File.Objects()))
{
  const auto& parts = description.Parts;
  this->Stepped = !this->Steps.Paths.empty() && description.Step < this->Steps.Paths.size() &&
    std::any_of(
      parts.begin(), parts.end(),
      [&](const Part& part)
      {
        return std::any_of(part.Arrays.begin(), part.Arrays.end(),
          [&](const Array& array) { return this->IsInStep(array.Sources.front()); });
      });
}

Recipe RecipeWriter::Write()
{
  Recipe made;
  made.Name = this->What.Format;
  this->SetTime(made);
  const auto& parts = this->What.Parts;
  if (parts.size() == 1 && parts.front().Name == made.Name)
  {
    this->WritePart(parts.front(), made);
  }
  else
  {
    for (const Part& part : parts)
    {
      Recipe& more = made.More.emplace_back();
      more.Name = part.Name;
      this->WritePart(part, more);
    }
  }
  std::sort(this->Datasets.begin(), this->Datasets.end());
  constexpr std::size_t most = 3;
  for (const std::string& path : this->Datasets)
  {
    // Not every file has the datasets of a step.
    if (path.find('{') == std::string::npos && made.When.size() < most &&
      std::find(made.When.begin(), made.When.end(), path) == made.When.end())
    {
      made.When.push_back(path);
    }
  }
  return made;
}

std::string RecipeWriter::StepPath() const
{
  return this->Steps.Paths[this->What.Step];
}

bool RecipeWriter::IsInStep(const Source& source) const
{
  const auto* stored = std::get_if<Stored>(&source.From);
  return stored && stored->Path.rfind(this->StepPath() + "/", 0) == 0;
}

std::string RecipeWriter::StepPattern() const
{
  const std::string path = this->StepPath();
  const auto digit = path.find_first_of("0123456789", path.rfind('/'));
  double number = 0;
  const char* const end =
    std::from_chars(path.data() + digit, path.data() + path.size(), number).ptr;
  return path.substr(0, digit) + "{n}" + std::string(end, path.data() + path.size());
}

std::string RecipeWriter::PathText(const std::string& path)
{
  if (path.find_first_of("|{}") != std::string::npos)
  {
    CannotSay(fmt::format("the name {} has one of the characters | {{ }}", path));
  }
  std::string text = path;
  if (this->Stepped && path.rfind(this->StepPath() + "/", 0) == 0)
  {
    text = this->StepPattern() + path.substr(this->StepPath().size());
  }
  this->Datasets.push_back(text);
  return text;
}

std::string RecipeWriter::TextOf(const Source& source)
{
  if (const auto* constant = std::get_if<Constant>(&source.From))
  {
    return fmt::format("{}", constant->Value * source.Scale + source.Offset);
  }
  const auto* stored = std::get_if<Stored>(&source.From);
  if (!stored || stored->FlatFrom || !stored->File.empty() || !source.Added.empty())
  {
    CannotSay("some numbers are not all of a dataset of this file");
  }
  if (source.Scale != 1 || source.Offset != 0 || !source.Missing.empty())
  {
    CannotSay(fmt::format("{} is scaled, or has missing values", stored->Path));
  }
  std::vector<std::string> letters;
  for (const Dimension& dimension : source.Dimensions)
  {
    if (dimension.Stride != 1 ||
      (dimension.Start != 0 && dimension.Is != Role::Fixed && dimension.Is != Role::Time))
    {
      CannotSay(fmt::format("only some of {} are shown", stored->Path));
    }
    constexpr std::array names = { "", "x", "y", "z", "i", "c", "b", "t" };
    letters.push_back(dimension.Is == Role::Fixed
        ? fmt::format("{}", dimension.Start)
        : fmt::format("{}{}", dimension.Reversed ? "-" : "",
            names.at(static_cast<std::size_t>(dimension.Is))));
  }
  return fmt::format("{}{}[{}]", this->PathText(stored->Path),
    stored->Member.empty() ? "" : fmt::format("<{}>", stored->Member), fmt::join(letters, ","));
}

std::vector<std::string> RecipeWriter::TextsOf(const std::vector<Source>& sources)
{
  std::vector<std::string> texts;
  texts.reserve(sources.size());
  std::transform(sources.begin(), sources.end(), std::back_inserter(texts),
    [&](const Source& source) { return this->TextOf(source); });
  return texts;
}

void RecipeWriter::WritePart(const Part& part, Recipe& made)
{
  if (!part.Blocks.empty() || part.Level != 0)
  {
    CannotSay(
      fmt::format("{} has blocks or levels: the recipe that shows it says them", part.Name));
  }
  if (const auto* uniform = std::get_if<Uniform>(&part.On))
  {
    made.Origin = fmt::format("{}", fmt::join(uniform->Origin, " "));
    made.Spacing = fmt::format("{}", fmt::join(uniform->Spacing, " "));
  }
  else if (const auto* rectilinear = std::get_if<Rectilinear>(&part.On))
  {
    for (const Source& axis : rectilinear->Axes)
    {
      made.Axes.push_back(axis == Source{ Constant{ 0 } } ? "" : this->TextOf(axis));
    }
    while (!made.Axes.empty() && made.Axes.back().empty())
    {
      made.Axes.pop_back();
    }
  }
  else if (const auto* curvilinear = std::get_if<Curvilinear>(&part.On))
  {
    made.Points = this->TextsOf(curvilinear->At);
  }
  else if (const auto* vertices = std::get_if<Vertices>(&part.On))
  {
    made.Points = this->TextsOf(vertices->At);
  }
  else if (!std::holds_alternative<Rows>(part.On))
  {
    CannotSay(fmt::format("{} is a mesh of cells", part.Name));
  }
  for (const Array& array : part.Arrays)
  {
    made.Arrays[array.Name] = this->TextsOf(array.Sources);
    made.On = array.On == Centring::Cell ? "cell" : made.On;
  }
}

void RecipeWriter::SetTime(Recipe& made)
{
  constexpr std::array names = { "time", "Time", "TimeValue", "TIME", "sim_time" };
  if (this->Stepped)
  {
    made.Steps = this->StepPattern();
    for (const char* name : names)
    {
      const auto value = this->Input.File.Number(this->StepPath(), name);
      if (value && value == this->What.Time)
      {
        made.Time = fmt::format("@{}/{}", made.Steps, name);
        return;
      }
    }
    if (this->What.Time && this->What.Time == this->Steps.Numbers[this->What.Step])
    {
      made.Time = "{n}";
      return;
    }
  }
  if (!this->What.Time)
  {
    return;
  }
  for (const char* object : { "/", "/Header", "/Info" })
  {
    for (const char* name : names)
    {
      const auto value = this->Input.File.Number(object, name);
      if (value && value == this->What.Time)
      {
        made.Time = fmt::format("@{}{}{}", std::string(object) == "/" ? "" : object,
          std::string(object) == "/" ? "" : "/", name);
        return;
      }
    }
  }
  made.Time = fmt::format("{}", *this->What.Time);
}

// Returns a description without its explanations, to compare what is shown.
Description Shown(Description description)
{
  for (Part& part : description.Parts)
  {
    std::sort(part.Arrays.begin(), part.Arrays.end(),
      [](const Array& one, const Array& other) { return one.Name < other.Name; });
  }
  description.Rule.clear();
  description.Guessed.clear();
  description.Assumed.clear();
  description.Set.clear();
  description.Left.clear();
  return description;
}
}

Recipe RecipeFor(const Description& description, const Asked& asked)
{
  for (const Recipe& known : BuiltInRecipes())
  {
    if (known.Name == description.Format)
    {
      return known;
    }
  }
  Recipe made = RecipeWriter(description, asked).Write();
  const auto again = DescribeByRecipe(made, asked);
  if (!again || Shown(*again) != Shown(description))
  {
    CannotSay("what it has of units, of names of axes, or of steps is more than recipes know");
  }
  return made;
}

}
