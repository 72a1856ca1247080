// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/RecipeRecogniser.h"

#include "Base/Error.h"
#include "Describe/AxisValues.h"
#include "Describe/Check.h"
#include "Describe/DescriptionBuilder.h"
#include "Describe/NothingYet.h"
#include "Describe/ObjectSources.h"
#include "Describe/OnAxes.h"
#include "Describe/Pattern.h"
#include "Describe/RecipeValues.h"
#include "Describe/Text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numeric>
#include <set>
#include <sstream>
#include <tuple>

namespace dsm::describe
{

using hdf5::Object;
using Letter = DatasetPattern::Letter;

namespace
{
// A dataset that a pattern means.
struct Found
{
  const Object* Dataset = nullptr;
  std::vector<Letter> Letters;
  std::string Name;
  std::string Member = {};

  // Returns the count along a role; 0: the dataset has no such dimension.
  std::uint64_t CountOf(Role role) const;

  // Returns how many variables are in one dimension; 1 without it.
  std::uint64_t Variables() const;
};

std::uint64_t Found::CountOf(Role role) const
{
  for (std::size_t axis = 0; axis < this->Letters.size(); ++axis)
  {
    if (this->Letters[axis].Is != 0 && RoleOf(this->Letters[axis].Is) == role)
    {
      return this->Dataset->Shape[axis];
    }
  }
  return 0;
}

std::uint64_t Found::Variables() const
{
  for (std::size_t axis = 0; axis < this->Letters.size(); ++axis)
  {
    if (this->Letters[axis].Is == 'v')
    {
      return this->Dataset->Shape[axis];
    }
  }
  return 1;
}

class RecipeInterpreter
{
public:
  RecipeInterpreter(const Recipe& recipe, const Asked& asked);
  std::optional<Description> Describe();

private:
  // Keeps the objects of the group that is the step asked for, or of the last.
  void ChooseStep();

  // Returns the first groups of a path: "/data/7" for "/data/7/rho" and 2.
  static std::string Begin(const std::string& path, std::ptrdiff_t groups);

  // Returns the time of a step by the recipe: "{t}", "@/Step#{n}/time".
  std::optional<double> TimeOf(const Bindings& words) const;

  // Returns the first number that a word in braces stands for.
  static std::optional<double> NumberIn(const Bindings& words);

  // Returns the number that a text begins with. A unit may follow: "  1.00000E+00 y".
  static std::optional<double> NumberIn(const std::string& text);
  void AddParts();

  // Returns the datasets of the first alternative that has any.
  std::vector<Found> Find(
    const std::string& text, const std::string& folder, const Bindings& bindings);

  // Returns the index of the step that is asked for, or of the last.
  std::uint64_t StepIn(std::uint64_t count) const;
  Source SourceOf(const Found& found, std::uint64_t variable = 0);
  void AddPart(const std::string& group, const Bindings& bindings);

  // Returns the arrays that the recipe names, each with the first dataset of each pattern.
  std::vector<std::pair<std::string, std::vector<Found>>> FindArrays(
    const std::string& folder, const Bindings& bindings);
  void AddArray(Part& part, const std::string& name, const std::vector<Found>& found);
  bool PlacePoints(Part& part, const std::string& folder, const Bindings& bindings);
  bool PlaceGrid(Part& part, const std::vector<Found>& fields, const std::string& folder,
    const Bindings& bindings);

  // Returns an image if the coordinates are at equal distances.
  Geometry Simplest(Rectilinear on) const;

  // Places cells between the two ends of each axis.
  bool SetEnds(Uniform& on, const PerAxis& counts, const Bindings& bindings);
  Uniform UniformOf(const PerAxis& counts, const Bindings& bindings) const;
  bool PlaceBlocks(Part& part, const PerAxis& counts, std::uint64_t blocks);

  // Returns the names of the variables in one dimension of a dataset.
  std::vector<std::string> VariableNames(const Found& field) const;

  // Returns whether the array is on points or cells; nothing: its shape fits neither.
  std::optional<Centring> CentringOf(const Part& part, const Found& field) const;
  void AddField(Part& part, const Found& field);
  void SetTime();

  // Reads a list of times, or the time from one step to the next.
  bool TimesIn(const std::string& path);

  const Recipe* Rules; ///< or that of more parts
  const Asked& Input;
  std::vector<Object> Objects;
  RecipeValues Values;
  Bindings Chosen;         ///< the words of the group that is the step
  std::uint64_t Steps = 1; ///< along a dimension
  bool HasEmpty = false;   ///< a pattern fits an empty dataset
  std::vector<std::pair<std::string, Bindings>> Folders; ///< of the parts
  DescriptionBuilder Result;
};

RecipeInterpreter::RecipeInterpreter(const Recipe& recipe, const Asked& asked)
  : Rules(&recipe)
  , Input(asked)
  , Objects(asked.File.Objects())
  , Values(asked.File)
  , Result(asked)
{
}

std::optional<Description> RecipeInterpreter::Describe()
{
  if (!std::all_of(this->Rules->When.begin(), this->Rules->When.end(),
        [&](const std::string& condition) { return this->Values.Holds(condition); }))
  {
    return std::nullopt;
  }
  this->Result.SetFormat(this->Rules->Name, fmt::format("the recipe for {}", this->Rules->Name));
  if (!this->Rules->Steps.empty())
  {
    this->ChooseStep();
  }
  const Recipe& whole = *this->Rules;
  if (whole.More.empty() || !whole.Fields.empty() || !whole.Arrays.empty())
  {
    this->AddParts();
  }
  for (const Recipe& more : whole.More)
  {
    this->Rules = &more;
    this->AddParts();
  }
  this->Rules = &whole;
  if (this->Result.Parts().empty() && this->HasEmpty)
  {
    throw NothingYet(whole.Name, "its datasets that the recipe names are empty");
  }
  this->Result.RequireParts(
    fmt::format("is {}, and the recipe for that finds nothing to show in it", this->Rules->Name));
  this->SetTime();
  for (const auto& [condition, text] : this->Rules->Remarks)
  {
    if (this->Values.Holds(condition))
    {
      this->Result.Guess(text);
    }
  }
  this->Result.LeaveOutOthers(
    this->Objects, [](const Object&) { return "the recipe does not name it"; });
  return this->Result.Finish();
}

void RecipeInterpreter::ChooseStep()
{
  struct Step
  {
    double Number = 0;
    std::string Path;
    Bindings Words;
  };
  std::vector<Step> steps;
  for (const Object& object : this->Objects)
  {
    const auto words = object.Dataset ? std::nullopt : MatchGroup(this->Rules->Steps, object.Path);
    const auto number = words ? NumberIn(*words) : std::nullopt;
    if (number)
    {
      steps.push_back({ *number, object.Path, *words });
    }
  }
  if (steps.empty())
  {
    throw NothingYet(
      this->Rules->Name, fmt::format("the recipe finds no step {} in it", this->Rules->Steps));
  }
  std::stable_sort(steps.begin(), steps.end(),
    [](const Step& one, const Step& other) { return one.Number < other.Number; });
  const Step& chosen = steps[this->Result.ChooseStep(steps.size())];
  this->Chosen = chosen.Words;
  std::vector<double> times;
  const bool own = this->Rules->Time.find('{') != std::string::npos;
  for (const Step& step : steps)
  {
    const auto time = own ? this->TimeOf(step.Words) : std::optional(step.Number);
    if (time)
    {
      times.push_back(*time);
    }
  }
  if (own && times.size() == steps.size())
  {
    this->Result.SetTime(times[this->Result.Step()]);
  }
  if (times.size() > 1 && times.size() == steps.size())
  {
    this->Result.ListTimes(std::move(times));
  }
  std::set<std::string> others;
  for (const Step& step : steps)
  {
    if (step.Path != chosen.Path)
    {
      others.insert(step.Path);
    }
  }
  // The paths of all steps have as many groups.
  const auto depth = std::count(this->Rules->Steps.begin(), this->Rules->Steps.end(), '/');
  std::erase_if(this->Objects,
    [&](const Object& object) { return others.count(Begin(object.Path, depth)) > 0; });
}

std::string RecipeInterpreter::Begin(const std::string& path, std::ptrdiff_t groups)
{
  std::size_t end = 0;
  for (; groups > 0 && end != std::string::npos; --groups)
  {
    end = path.find('/', end + 1);
  }
  return path.substr(0, end);
}

std::optional<double> RecipeInterpreter::TimeOf(const Bindings& words) const
{
  const auto number = NumberIn(Bound(this->Rules->Time, words));
  return number ? number : this->Values.Number(this->Rules->Time, words);
}

std::optional<double> RecipeInterpreter::NumberIn(const Bindings& words)
{
  for (const auto& [word, text] : words)
  {
    if (const auto number = NumberIn(text))
    {
      return number;
    }
  }
  return std::nullopt;
}

std::optional<double> RecipeInterpreter::NumberIn(const std::string& text)
{
  const std::string value = text.substr(std::min(text.size(), text.find_first_not_of(' ')));
  double number = 0;
  const char* const end = value.data() + value.size();
  const auto read = std::from_chars(value.data(), end, number);
  const bool whole = read.ec == std::errc() && (read.ptr == end || *read.ptr == ' ');
  return whole ? std::optional(number) : std::nullopt;
}

void RecipeInterpreter::AddParts()
{
  if (this->Rules->Parts == "/")
  {
    this->AddPart("/", this->Chosen);
    return;
  }
  for (const Object& object : this->Objects)
  {
    auto bindings = object.Dataset
      ? std::nullopt
      : MatchGroup(Bound(this->Rules->Parts, this->Chosen), object.Path);
    if (bindings)
    {
      bindings->insert(this->Chosen.begin(), this->Chosen.end());
      this->AddPart(object.Path, *bindings);
    }
  }
}

std::vector<Found> RecipeInterpreter::Find(
  const std::string& text, const std::string& folder, const Bindings& bindings)
{
  std::vector<Found> found;
  for (DatasetPattern pattern : ParsePatterns(Bound(Bound(text, bindings), this->Chosen)))
  {
    if (pattern.Path[0] != '/')
    {
      pattern.Path = folder + pattern.Path;
    }
    for (const Object& object : this->Objects)
    {
      const bool numbers = pattern.Member.empty()
        ? object.Numbers
        : std::find(object.Members.begin(), object.Members.end(), pattern.Member) !=
          object.Members.end();
      const auto name = numbers ? pattern.NameIn(object.Path) : std::nullopt;
      const auto letters = pattern.Fit(object.Shape.size());
      const bool isEmpty = object.Elements() == 0;
      this->HasEmpty = this->HasEmpty || (name && letters && isEmpty);
      if (name && letters && !isEmpty)
      {
        found.push_back({ &object, *letters, *name, pattern.Member });
      }
    }
    if (!found.empty())
    {
      break;
    }
  }
  return found;
}

std::uint64_t RecipeInterpreter::StepIn(std::uint64_t count) const
{
  return std::min<std::uint64_t>(this->Input.Step.value_or(count - 1), count - 1);
}

Source RecipeInterpreter::SourceOf(const Found& found, std::uint64_t variable)
{
  Source source{ Stored{ found.Dataset->Path, {}, found.Member } };
  for (std::size_t axis = 0; axis < found.Letters.size(); ++axis)
  {
    const Letter& letter = found.Letters[axis];
    const std::uint64_t count = found.Dataset->Shape[axis];
    const Role role = letter.Is == 0 ? Role::Fixed : RoleOf(letter.Is);
    Dimension dimension{ role, 0, count, 1, letter.Reversed };
    if (role == Role::Time)
    {
      this->Steps = count;
      dimension = { role, this->StepIn(count) };
    }
    else if (role == Role::Fixed)
    {
      dimension = { role, letter.Is == 'v' ? variable : letter.At };
    }
    source.Dimensions.push_back(dimension);
  }
  this->Result.Use(found.Dataset->Path);
  return source;
}

void RecipeInterpreter::AddPart(const std::string& group, const Bindings& bindings)
{
  const std::string folder = group == "/" ? "/" : group + "/";
  this->Folders.emplace_back(folder, bindings);
  Part part{ group == "/" ? this->Rules->Name : group.substr(group.rfind('/') + 1), Rows{} };
  std::vector<Found> fields;
  for (const std::string& pattern : this->Rules->Fields)
  {
    const auto more = this->Find(pattern, folder, bindings);
    fields.insert(fields.end(), more.begin(), more.end());
  }
  const auto arrays = this->FindArrays(folder, bindings);
  std::vector<Found> all = fields;
  for (const auto& [name, sources] : arrays)
  {
    all.insert(all.end(), sources.begin(), sources.end());
  }
  const bool placed = this->Rules->Points.empty() ? this->PlaceGrid(part, all, folder, bindings)
                                                  : this->PlacePoints(part, folder, bindings);
  if (!placed)
  {
    return;
  }
  for (const auto& [name, sources] : arrays)
  {
    this->AddArray(part, name, sources);
  }
  for (const Found& field : fields)
  {
    this->AddField(part, field);
  }
  for (const auto& [name, what] : this->Rules->Constants)
  {
    const auto value = this->Values.Number(what, bindings);
    if (!HasArray(part, name) && value && *value != 0)
    {
      part.Arrays.push_back({ name, Centring::Point, { { Constant{ *value } } } });
    }
  }
  this->Result.AddPart(std::move(part));
}

std::vector<std::pair<std::string, std::vector<Found>>> RecipeInterpreter::FindArrays(
  const std::string& folder, const Bindings& bindings)
{
  std::vector<std::pair<std::string, std::vector<Found>>> arrays;
  for (const auto& [name, patterns] : this->Rules->Arrays)
  {
    std::vector<Found> sources;
    for (const std::string& pattern : patterns)
    {
      const auto found = this->Find(pattern, folder, bindings);
      if (found.empty())
      {
        this->Result.LeaveOut(name, fmt::format("there is no {}", pattern));
        sources.clear();
        break;
      }
      sources.push_back(found.front());
    }
    if (!sources.empty())
    {
      arrays.emplace_back(name, std::move(sources));
    }
  }
  return arrays;
}

void RecipeInterpreter::AddArray(
  Part& part, const std::string& name, const std::vector<Found>& found)
{
  std::optional<Centring> centring;
  Array array{ name };
  for (const Found& one : found)
  {
    const auto own = this->CentringOf(part, one);
    if (!own || (centring && *own != *centring))
    {
      this->Result.Explain(one.Dataset->Path,
        fmt::format(
          "it has {} elements, which do not fit {}", one.Dataset->ShapeText(), part.Name));
      this->Result.LeaveOut(name, fmt::format("{} does not fit {}", one.Dataset->Path, part.Name));
      return;
    }
    centring = own;
  }
  std::vector<std::string> members;
  for (const Found& one : found)
  {
    array.Sources.push_back(this->SourceOf(one));
    members.push_back(one.Member);
  }
  array.On = centring.value_or(Centring::Point);
  if (IsComplex(members))
  {
    array.ComponentNames = ComplexNames;
  }
  part.Arrays.push_back(std::move(array));
}

bool RecipeInterpreter::PlacePoints(Part& part, const std::string& folder, const Bindings& bindings)
{
  Coordinates at;
  std::optional<std::uint64_t> count;
  PerAxis points{ 1, 1, 1 };
  bool onGrid = false;
  for (std::string pattern : this->Rules->Points)
  {
    if (const auto number = AsNumber(pattern))
    {
      at.push_back({ Constant{ *number } });
      continue;
    }
    const bool optional = pattern.ends_with('?');
    if (optional)
    {
      pattern.pop_back();
    }
    const auto found = this->Find(pattern, folder, bindings);
    if (found.empty() && optional)
    {
      continue;
    }
    if (found.empty())
    {
      return this->Result.LeaveOut(folder, fmt::format("it has no {}", pattern));
    }
    const std::uint64_t own = found.front().CountOf(Role::Index);
    if (count && own != *count)
    {
      return this->Result.LeaveOut(found.front().Dataset->Path,
        fmt::format("it has {} elements, and other coordinates have {}", own, *count));
    }
    count = own;
    for (std::size_t axis = 0; axis < points.size(); ++axis)
    {
      const std::uint64_t along = found.front().CountOf(SpatialRoles[axis]);
      points[axis] = std::max(points[axis], along);
      onGrid = onGrid || along > 0;
    }
    at.push_back(this->SourceOf(found.front()));
  }
  if (onGrid)
  {
    part.On = Curvilinear{ points, std::move(at) };
  }
  else
  {
    part.On = Vertices{ count.value_or(0), std::move(at) };
  }
  return true;
}

bool RecipeInterpreter::PlaceGrid(
  Part& part, const std::vector<Found>& fields, const std::string& folder, const Bindings& bindings)
{
  if (fields.empty())
  {
    return this->Result.LeaveOut(folder, "it has none of the recipe's fields");
  }
  const Found& first = fields.front();
  PerAxis counts{ 1, 1, 1 };
  for (std::size_t axis = 0; axis < counts.size(); ++axis)
  {
    counts[axis] = std::max<std::uint64_t>(1, first.CountOf(SpatialRoles[axis]));
  }
  const std::uint64_t blocks = first.CountOf(Role::Block);
  if (this->Rules->Axes.empty() && first.CountOf(Role::Index) > 0)
  {
    part.On = Rows{ first.CountOf(Role::Index) };
    return true;
  }
  if (!this->Rules->Axes.empty())
  {
    Rectilinear on;
    on.Axes.fill(Source{ Constant{ 0 } });
    for (std::size_t axis = 0; axis < std::min<std::size_t>(3, this->Rules->Axes.size()); ++axis)
    {
      if (this->Rules->Axes[axis].empty())
      {
        continue;
      }
      const auto found = this->Find(this->Rules->Axes[axis], folder, bindings);
      if (found.empty())
      {
        return this->Result.LeaveOut(folder, fmt::format("it has no {}", this->Rules->Axes[axis]));
      }
      on.Points[axis] = found.front().CountOf(SpatialRoles[axis]);
      on.Axes[axis] = this->SourceOf(found.front());
    }
    part.On = blocks == 0 ? this->Simplest(std::move(on)) : Geometry(std::move(on));
  }
  else
  {
    Uniform on = this->UniformOf(counts, bindings);
    if (!this->Rules->Ends.empty() && !this->SetEnds(on, counts, bindings))
    {
      return false;
    }
    part.On = on;
  }
  return blocks == 0 || this->PlaceBlocks(part, counts, blocks);
}

Geometry RecipeInterpreter::Simplest(Rectilinear on) const
{
  std::array<AxisValues, 3> values;
  for (std::size_t axis = 0; axis < 3; ++axis)
  {
    const auto* stored = std::get_if<Stored>(&on.Axes[axis].From);
    values[axis] = Examine(stored ? this->Values.Numbers(stored->Path) : std::vector{ 0.0 });
    if (values[axis].Is != AxisValues::Order::Ascending)
    {
      return on;
    }
  }
  return PutOnAxes(on.Points, on.Axes, values).On;
}

bool RecipeInterpreter::SetEnds(Uniform& on, const PerAxis& counts, const Bindings& bindings)
{
  for (std::size_t axis = 0; axis < 3; ++axis)
  {
    const std::string path = axis < this->Rules->Ends.size()
      ? Bound(this->Rules->Ends[axis], this->Chosen)
      : std::string();
    const auto ends = this->Values.Numbers(path, bindings);
    this->Result.Use(path);
    if (ends.empty() && counts[axis] == 1)
    {
      continue;
    }
    const double length = ends.size() < 2 ? 0 : ends.back() - ends.front();
    if (!(length > 0) || !std::isfinite(length))
    {
      return this->Result.LeaveOut(
        path, "it has no two numbers that ascend, where an axis begins and ends");
    }
    on.Origin[axis] = ends.front();
    on.Spacing[axis] = length / static_cast<double>(counts[axis]);
  }
  return true;
}

Uniform RecipeInterpreter::UniformOf(const PerAxis& counts, const Bindings& bindings) const
{
  Uniform on;
  const bool ofCells = this->Rules->On == "cell" || !this->Rules->Boxes.empty();
  const auto origin = this->Values.Numbers(this->Rules->Origin, bindings);
  const auto spacing = this->Values.Numbers(this->Rules->Spacing, bindings);
  for (std::size_t axis = 0; axis < counts.size(); ++axis)
  {
    on.Points[axis] = counts[axis] + (ofCells && counts[axis] > 1 ? 1 : 0);
    if (axis < origin.size())
    {
      on.Origin[axis] = origin[axis];
    }
    if (!spacing.empty())
    {
      on.Spacing[axis] = spacing.size() == 1 ? spacing[0]
        : axis < spacing.size()              ? spacing[axis]
                                             : 1;
    }
  }
  return on;
}

bool RecipeInterpreter::PlaceBlocks(Part& part, const PerAxis& counts, std::uint64_t blocks)
{
  const auto boxes = this->Values.Numbers(this->Rules->Boxes);
  const std::uint64_t axes = boxes.size() / (2 * blocks);
  if (!this->Rules->Boxes.empty() && (axes == 0 || axes > 3 || boxes.size() != 2 * blocks * axes))
  {
    return this->Result.LeaveOut(this->Rules->Boxes, "it has no bounds for each of the blocks");
  }
  const auto levels = this->Values.Numbers(this->Rules->Level);
  const double coarsest = levels.empty() ? 0 : *std::min_element(levels.begin(), levels.end());
  const auto equals = this->Rules->Keep.find('=');
  const auto kept = this->Values.Numbers(this->Rules->Keep.substr(0, equals));
  const auto keep =
    equals == std::string::npos ? std::nullopt : AsNumber(this->Rules->Keep.substr(equals + 1));
  for (std::uint64_t index = 0; index < blocks; ++index)
  {
    if (keep && index < kept.size() && kept[index] != *keep)
    {
      continue;
    }
    Block block{ index };
    block.Level = index < levels.size() ? static_cast<int>(levels[index] - coarsest) : 0;
    for (std::uint64_t axis = 0; axis < axes; ++axis)
    {
      const double low = boxes[2 * (index * axes + axis)];
      const double high = boxes[2 * (index * axes + axis) + 1];
      block.Origin[axis] = low;
      block.Spacing[axis] = high > low ? (high - low) / static_cast<double>(counts[axis]) : 1;
    }
    part.Blocks.push_back(block);
  }
  for (const auto& path :
    { this->Rules->Boxes, this->Rules->Level, this->Rules->Keep.substr(0, equals) })
  {
    this->Result.Use(path);
  }
  return !part.Blocks.empty() ||
    this->Result.LeaveOut(this->Rules->Keep, "no block is to be shown");
}

std::vector<std::string> RecipeInterpreter::VariableNames(const Found& field) const
{
  const std::uint64_t count = field.Variables();
  if (this->Rules->Names.size() == 3)
  {
    const auto datasets = this->Values.Texts(this->Rules->Names[0]);
    const auto counts = this->Values.Numbers(this->Rules->Names[1]);
    const auto names = this->Values.Texts(this->Rules->Names[2]);
    double at = 0;
    for (std::size_t index = 0; index < std::min(datasets.size(), counts.size()); ++index)
    {
      const auto first = static_cast<std::size_t>(std::clamp(at, 0.0, 1e6));
      if (datasets[index] == field.Name && first + count <= names.size())
      {
        return { names.begin() + static_cast<std::ptrdiff_t>(first),
          names.begin() + static_cast<std::ptrdiff_t>(first + count) };
      }
      at += counts[index];
    }
  }
  std::vector<std::string> names;
  names.reserve(count);
  for (std::uint64_t index = 0; index < count; ++index)
  {
    names.push_back(fmt::format("{}_{}", field.Name, index));
  }
  return names;
}

std::optional<Centring> RecipeInterpreter::CentringOf(const Part& part, const Found& field) const
{
  const auto* points = std::get_if<Vertices>(&part.On);
  const auto* rows = std::get_if<Rows>(&part.On);
  if (points || rows)
  {
    return field.CountOf(Role::Index) == (points ? points->Count : rows->Count)
      ? std::optional(Centring::Point)
      : std::nullopt;
  }
  const PerAxis ofPoints = PointsOf(part.On), cells = CellsOf(part.On);
  PerAxis counts{};
  for (std::size_t axis = 0; axis < counts.size(); ++axis)
  {
    counts[axis] = std::max<std::uint64_t>(1, field.CountOf(SpatialRoles[axis]));
  }
  const bool blocks = part.Blocks.empty() == (field.CountOf(Role::Block) == 0);
  const bool cellsFirst = this->Rules->On == "cell";
  if (!blocks || (counts != ofPoints && counts != cells))
  {
    return std::nullopt;
  }
  return counts == cells && (cellsFirst || counts != ofPoints) ? Centring::Cell : Centring::Point;
}

void RecipeInterpreter::AddField(Part& part, const Found& field)
{
  if (this->Result.IsUsed(field.Dataset->Path))
  {
    return;
  }
  const auto centring = this->CentringOf(part, field);
  if (!centring)
  {
    this->Result.Explain(field.Dataset->Path,
      fmt::format(
        "it has {} elements, which do not fit {}", field.Dataset->ShapeText(), part.Name));
    return;
  }
  const bool several = std::any_of(field.Letters.begin(), field.Letters.end(),
    [](const Letter& letter) { return letter.Is == 'v'; });
  const auto names = several ? this->VariableNames(field) : std::vector{ field.Name };
  for (std::uint64_t variable = 0; variable < names.size(); ++variable)
  {
    const bool taken = HasArray(part, names[variable]);
    part.Arrays.push_back({ taken ? field.Name + "_" + names[variable] : names[variable], *centring,
      { this->SourceOf(field, variable) } });
  }
}

void RecipeInterpreter::SetTime()
{
  const std::string& time = this->Rules->Time;
  if (!this->Rules->Steps.empty() && time.find('{') != std::string::npos)
  {
    return; // of each of the groups that are steps
  }
  if (time.empty())
  {
    if (this->Steps > 1 && !this->Result.HasTimes())
    {
      std::vector<double> times(this->Steps);
      std::iota(times.begin(), times.end(), 0.0);
      this->Result.ChooseStep(this->Steps);
      this->Result.ListTimes(std::move(times));
    }
    return;
  }
  if (const auto number = AsNumber(time))
  {
    this->Result.SetTime(number);
    return;
  }
  if (this->Rules->Time[0] == '@' || this->Rules->Time.find('<') != std::string::npos)
  {
    this->Result.SetTime(this->Values.Number(this->Rules->Time));
    return;
  }
  bool known = false;
  for (const auto& [folder, bindings] : this->Folders)
  {
    for (const DatasetPattern& pattern : ParsePatterns(Bound(this->Rules->Time, bindings)))
    {
      const std::string path = pattern.Path[0] == '/' ? pattern.Path : folder + pattern.Path;
      known = known || this->TimesIn(path);
      this->Result.Use(path);
    }
  }
}

bool RecipeInterpreter::TimesIn(const std::string& path)
{
  auto times = this->Values.Numbers(path);
  if (times.empty())
  {
    return false;
  }
  if (times.size() == 1 && this->Steps > 1)
  {
    const double offset = this->Input.File.NumberOr(path, "offset", 0);
    const double step = times.front();
    times.resize(this->Steps);
    std::iota(times.begin(), times.end(), 0.0);
    std::transform(
      times.begin(), times.end(), times.begin(), [&](double n) { return offset + n * step; });
  }
  this->Result.ChooseStep(times.size());
  this->Result.SetTimes(std::move(times));
  return true;
}

std::string ReadAll(const std::filesystem::path& path)
{
  std::error_code failed;
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream || !std::filesystem::is_regular_file(path, failed))
  {
    throw Error(Fault::System, "the recipe {} cannot be read", path.string());
  }
  return text.str();
}
}

std::optional<Description> DescribeByRecipe(const Recipe& recipe, const Asked& asked)
{
  return RecipeInterpreter(recipe, asked).Describe();
}

Description DescribeOnlyBy(const Recipe& recipe, const Asked& asked)
{
  if (auto found = DescribeByRecipe(recipe, asked))
  {
    return *found;
  }
  const RecipeValues values(asked.File);
  const auto broken = std::find_if(recipe.When.begin(), recipe.When.end(),
    [&](const std::string& condition) { return !values.Holds(condition); });
  throw Error(Fault::Usage, "the recipe for {} is not for {}: {}", recipe.Name, asked.Name,
    broken != recipe.When.end() ? fmt::format("\"{}\" does not hold", *broken)
                                : fmt::format("it has no group {}", recipe.Steps));
}

Recipe RecipeFromFile(const std::string& path)
{
  return RecipeFromText(ReadAll(path), fmt::format("the recipe {}", path));
}

std::optional<Description> RecogniseBuiltIn(const Asked& asked)
{
  for (const Recipe& recipe : BuiltInRecipes())
  {
    if (auto found = DescribeByRecipe(recipe, asked))
    {
      return found;
    }
  }
  return std::nullopt;
}

std::optional<Description> RecogniseOwn(const Asked& asked)
{
  if (const auto text = asked.File.TextNamed("Recipe"))
  {
    return DescribeByRecipe(
      RecipeFromText(*text, fmt::format("the recipe in {}", asked.Name)), asked);
  }
  const std::filesystem::path file(asked.Name);
  for (const auto& path :
    { std::filesystem::path(asked.Name + ".recipe"), file.parent_path() / "dsm.recipe" })
  {
    std::error_code failed;
    if (!std::filesystem::is_regular_file(path, failed))
    {
      continue;
    }
    if (auto found = DescribeByRecipe(RecipeFromFile(path.string()), asked))
    {
      found->Rule += ", " + path.string();
      return found;
    }
  }
  return std::nullopt;
}

}
