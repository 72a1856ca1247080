// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/Overrides.h"

#include "Base/Error.h"
#include "Describe/AxisValues.h"
#include "Describe/Check.h"
#include "Describe/Text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <functional>

namespace dsm::describe
{

using Letter = DatasetPattern::Letter;

namespace
{
const char* AxisName(std::size_t axis)
{
  constexpr std::array names = { "x", "y", "z" };
  return names.at(axis);
}

// The dimensions that an order of axes names: not those of which one index is read, or blocks. A
// dimension of steps counts if the order says that it is one.
std::vector<Dimension*> NamedBy(Source& source, const std::vector<Letter>& order)
{
  std::vector<Dimension*> named;
  for (Dimension& dimension : source.Dimensions)
  {
    const bool areSteps =
      dimension.Is == Role::Time && named.size() < order.size() && order[named.size()].Is == 't';
    if (IsSpatial(dimension.Is) || dimension.Is == Role::Component || areSteps)
    {
      named.push_back(&dimension);
    }
  }
  return named;
}

// All sources of an array or of coordinates, also those that are added to others.
void ForEach(std::vector<Source>& sources, const std::function<void(Source&)>& change)
{
  for (Source& source : sources)
  {
    change(source);
    ForEach(source.Added, change);
  }
}

std::vector<double> NumbersIn(const std::string& text, const char* what)
{
  std::vector<double> numbers;
  for (const std::string& word : Split(text, " ,;()[]\t"))
  {
    const auto number = AsNumber(word);
    if (!number || !std::isfinite(*number))
    {
      throw Error(Fault::Usage,
        "\"{}\" in the {} \"{}\" is no number: give one for each of x, y and z, as in \"0 0 0.5\"",
        word, what, text);
    }
    numbers.push_back(*number);
  }
  return numbers;
}

// What is overridden, one thing after the other.
class Change
{
public:
  Change(Description description, const Overrides& overrides, const std::vector<double>& times,
    std::optional<std::size_t> step);
  Description Describe();

private:
  void Said(Setting setting, std::string text);
  void SetOrder();

  // False: none of its arrays has as many dimensions.
  bool Reorder(Part& part, const std::vector<Letter>& order);
  void ReorderGeometry(Part& part, const PerAxis& points,
    const std::array<std::optional<std::size_t>, 3>& becomes) const;

  // Both return why they cannot.
  std::string Assign(
    Source& source, const std::vector<Letter>& order, const std::array<bool, 3>& reversed);
  std::string Turn(Source& source, const std::array<std::optional<std::size_t>, 3>& becomes,
    const std::array<bool, 3>& reversed) const;
  static std::string WhyUnfit(const Part& part, const Array& array);

  // A dimension has become that of steps.
  void SetSteps();
  void SetCentring();
  void SetPosition(const std::string& text, const char* what, Position Uniform::* member);
  void SetTime();

  Description Made;
  const Overrides& By;
  const std::vector<double>& Times;
  std::optional<std::size_t> Step;
  std::optional<std::uint64_t> StepCount; ///< along the dimension of steps
};

Change::Change(Description description, const Overrides& overrides,
  const std::vector<double>& times, std::optional<std::size_t> step)
  : Made(std::move(description))
  , By(overrides)
  , Times(times)
  , Step(step)
{
}

Description Change::Describe()
{
  if (!this->By.AxisOrder.empty())
  {
    this->SetOrder();
    this->Said(Setting::AxisOrder, fmt::format("Axis order {}", this->By.AxisOrder));
  }
  if (this->By.On != Overrides::Centring::AsRecognised)
  {
    this->SetCentring();
    const bool cells = this->By.On == Overrides::Centring::Cells;
    this->Said(Setting::Centring, cells ? "Cell data" : "Point data");
  }
  if (!this->By.Origin.empty())
  {
    this->SetPosition(this->By.Origin, "origin", &Uniform::Origin);
    this->Said(Setting::Origin, fmt::format("Origin {}", this->By.Origin));
  }
  if (!this->By.Spacing.empty())
  {
    this->SetPosition(this->By.Spacing, "spacing", &Uniform::Spacing);
    this->Said(Setting::Spacing, fmt::format("Spacing {}", this->By.Spacing));
  }
  if (!this->By.Time.empty())
  {
    this->SetTime();
    this->Said(Setting::Time, fmt::format("Time from {}", this->By.Time));
  }
  return std::move(this->Made);
}

void Change::Said(Setting setting, std::string text)
{
  auto& assumed = this->Made.Assumed;
  assumed.erase(std::remove_if(assumed.begin(), assumed.end(),
                  [&](const Settable& one) { return one.By == setting; }),
    assumed.end());
  this->Made.Set.push_back({ setting, std::move(text) });
}

void Change::SetOrder()
{
  const auto order = ParseAxisOrder(this->By.AxisOrder);
  bool any = false;
  for (Part& part : this->Made.Parts)
  {
    any = (IsStructured(part.On) && this->Reorder(part, order)) || any;
  }
  if (!any)
  {
    throw Error(Fault::Usage,
      "the axis order \"{}\" names {} dimensions, and there is no dataset on a grid that has as "
      "many: name each of a dataset's dimensions, the slowest first, as in \"zyx\", or leave it "
      "empty",
      this->By.AxisOrder, order.size());
  }
  if (std::any_of(order.begin(), order.end(), [](const Letter& one) { return one.Is == 't'; }))
  {
    this->SetSteps();
  }
}

bool Change::Reorder(Part& part, const std::vector<Letter>& order)
{
  const auto fits = [&](Source& source) { return NamedBy(source, order).size() == order.size(); };
  const auto first = std::find_if(part.Arrays.begin(), part.Arrays.end(),
    [&](Array& array) { return array.On != Centring::Field && fits(array.Sources.front()); });
  if (first == part.Arrays.end())
  {
    return false;
  }
  // How the axes were, of which one turns into which.
  const PerAxis before = PointsOf(part.On);
  PerAxis points{ 1, 1, 1 };
  std::array<bool, 3> reversed{};
  std::array<std::optional<std::size_t>, 3> becomes;
  const auto named = NamedBy(first->Sources.front(), order);
  for (std::size_t index = 0; index < order.size(); ++index)
  {
    const Dimension& dimension = *named[index];
    const Role role = order[index].Is == 0 ? Role::Fixed : RoleOf(order[index].Is);
    if (IsSpatial(dimension.Is))
    {
      reversed.at(AxisOf(dimension.Is)) = dimension.Reversed;
    }
    if (IsSpatial(role))
    {
      points.at(AxisOf(role)) = IsSpatial(dimension.Is)      ? before.at(AxisOf(dimension.Is))
        : first->On == Centring::Cell && dimension.Count > 1 ? dimension.Count + 1
                                                             : dimension.Count;
      if (IsSpatial(dimension.Is))
      {
        becomes.at(AxisOf(dimension.Is)) = AxisOf(role);
      }
    }
  }
  this->ReorderGeometry(part, points, becomes);
  auto kept = std::move(part.Arrays);
  part.Arrays.clear();
  const std::size_t leftBefore = this->Made.Left.size();
  for (Array& array : kept)
  {
    std::string why;
    ForEach(array.Sources,
      [&](Source& source)
      {
        if (array.On != Centring::Field && why.empty())
        {
          why = fits(source) ? this->Assign(source, order, reversed)
                             : this->Turn(source, becomes, reversed);
        }
      });
    if (why.empty() && array.On != Centring::Field)
    {
      why = WhyUnfit(part, array);
    }
    if (why.empty())
    {
      part.Arrays.push_back(std::move(array));
    }
    else
    {
      this->Made.Left.push_back({ array.Name, why });
    }
  }
  if (part.Arrays.empty())
  {
    const LeftOut& left = this->Made.Left.at(leftBefore);
    throw Error(Fault::Usage, "the axis order \"{}\" does not fit {}: {}", this->By.AxisOrder,
      left.Path, left.Why);
  }
  return true;
}

void Change::ReorderGeometry(
  Part& part, const PerAxis& points, const std::array<std::optional<std::size_t>, 3>& becomes) const
{
  if (auto* uniform = std::get_if<Uniform>(&part.On))
  {
    uniform->Points = points;
    return;
  }
  auto* curvilinear = std::get_if<Curvilinear>(&part.On);
  const bool ofAll = curvilinear &&
    std::any_of(curvilinear->At.begin(), curvilinear->At.end(),
      [](const Source& source)
      {
        return std::count_if(source.Dimensions.begin(), source.Dimensions.end(),
                 [](const Dimension& one) { return IsSpatial(one.Is); }) > 1;
      });
  if (ofAll)
  {
    // Coordinates of each point: they turn with the values.
    curvilinear->Points = points;
    std::string why;
    ForEach(curvilinear->At,
      [&](Source& source) { why += why.empty() ? this->Turn(source, becomes, {}) : ""; });
    if (!why.empty())
    {
      throw Error(Fault::Usage, "the axis order \"{}\" does not fit the coordinates of {}: {}",
        this->By.AxisOrder, part.Name, why);
    }
    return;
  }
  const PerAxis own = PointsOf(part.On);
  for (std::size_t axis = 0; axis < own.size(); ++axis)
  {
    if (own.at(axis) != points.at(axis))
    {
      throw Error(Fault::Usage,
        "with the axis order \"{}\" {} has {} points along {}, where the file has {} "
        "coordinates: "
        "choose an order that fits them, or leave it empty",
        this->By.AxisOrder, part.Name, points.at(axis), AxisName(axis), own.at(axis));
    }
  }
}

std::string Change::Assign(
  Source& source, const std::vector<Letter>& order, const std::array<bool, 3>& reversed)
{
  const auto named = NamedBy(source, order);
  for (std::size_t index = 0; index < order.size(); ++index)
  {
    Dimension& dimension = *named[index];
    const Letter& letter = order[index];
    const Role role = letter.Is == 0 ? Role::Fixed : RoleOf(letter.Is);
    if (dimension.Is == Role::Time)
    {
      continue; // recognised as that
    }
    if (role == Role::Fixed || role == Role::Time)
    {
      const std::uint64_t count = dimension.Count;
      if (role == Role::Fixed && letter.At >= count)
      {
        return fmt::format("it has no index {} in a dimension of {}", letter.At, count);
      }
      if (const auto others = this->StepCount.value_or(count);
        role == Role::Time && others != count)
      {
        return fmt::format("it has {} steps, and others {}", count, others);
      }
      std::uint64_t at = letter.At;
      if (role == Role::Time)
      {
        this->StepCount = count;
        at = std::min<std::uint64_t>(this->Step.value_or(count - 1), count - 1);
      }
      dimension = { role, dimension.Start + at * dimension.Stride };
      continue;
    }
    dimension.Is = role;
    dimension.Reversed = IsSpatial(role) && reversed.at(AxisOf(role));
  }
  return {};
}

std::string Change::Turn(Source& source, const std::array<std::optional<std::size_t>, 3>& becomes,
  const std::array<bool, 3>& reversed) const
{
  for (Dimension* dimension : NamedBy(source, {}))
  {
    if (!IsSpatial(dimension->Is))
    {
      continue;
    }
    const auto axis = becomes.at(AxisOf(dimension->Is));
    if (!axis)
    {
      return fmt::format("it has not the dimensions of the axis order \"{}\"", this->By.AxisOrder);
    }
    dimension->Is = SpatialRoles.at(*axis);
    dimension->Reversed = reversed.at(*axis);
  }
  return {};
}

std::string Change::WhyUnfit(const Part& part, const Array& array)
{
  const PerAxis counts = array.On == Centring::Cell ? CellsOf(part.On) : PointsOf(part.On);
  for (const Source& source : array.Sources)
  {
    for (const Dimension& dimension : source.Dimensions)
    {
      if (IsSpatial(dimension.Is) && dimension.Count != counts.at(AxisOf(dimension.Is)))
      {
        return fmt::format("it has {} values along {}, where others have {}", dimension.Count,
          AxisName(AxisOf(dimension.Is)), counts.at(AxisOf(dimension.Is)));
      }
    }
  }
  return {};
}

void Change::SetSteps()
{
  if (!this->StepCount)
  {
    return; // the steps were recognised
  }
  if (this->Made.Times.size() > 1)
  {
    throw Error(Fault::Usage,
      "the axis order \"{}\" names a dimension of steps, and the file has {} steps already: "
      "leave "
      "the t out",
      this->By.AxisOrder, this->Made.Times.size());
  }
  const std::uint64_t count = *this->StepCount;
  this->Made.Step = std::min<std::size_t>(this->Step.value_or(count - 1), count - 1);
  this->Made.Times = EquallySpaced(count);
  this->Made.Time = this->Made.Times[this->Made.Step];
  this->Made.Assumed.push_back({ Setting::Time, "Time = step number" });
}

void Change::SetCentring()
{
  const bool cells = this->By.On == Overrides::Centring::Cells;
  bool any = false;
  for (Part& part : this->Made.Parts)
  {
    if (!IsStructured(part.On))
    {
      continue;
    }
    any = true;
    const auto wanted = cells ? Centring::Cell : Centring::Point;
    const auto isOther = [&](const Array& array)
    { return array.On != Centring::Field && array.On != wanted; };
    const auto others = std::count_if(part.Arrays.begin(), part.Arrays.end(), isOther);
    if (others == 0)
    {
      continue;
    }
    auto* uniform = std::get_if<Uniform>(&part.On);
    const bool mixed = std::any_of(part.Arrays.begin(), part.Arrays.end(),
      [&](const Array& array) { return array.On == wanted; });
    if (!uniform || mixed)
    {
      throw Error(Fault::Usage, "the values of {} cannot be of {}: {}", part.Name,
        cells ? "cells" : "points",
        mixed ? "the file has values of points and of cells there"
          : cells
          ? "there are as many coordinates as values, and cells have one more along each axis"
          : "there is one coordinate more than values along an axis");
    }
    for (std::uint64_t& count : uniform->Points)
    {
      count = cells ? (count > 1 ? count + 1 : 1) : (count > 1 ? count - 1 : 1);
    }
    for (Array& array : part.Arrays)
    {
      array.On = isOther(array) ? wanted : array.On;
    }
  }
  if (!any)
  {
    throw Error(Fault::Usage,
      "whether values are of points or of cells can be set for grids, and {} has none",
      this->Made.Format);
  }
}

void Change::SetPosition(const std::string& text, const char* what, Position Uniform::* member)
{
  const bool isSpacing = member == &Uniform::Spacing;
  const auto numbers = NumbersIn(text, what);
  if (isSpacing && std::any_of(numbers.begin(), numbers.end(), [](double one) { return one <= 0; }))
  {
    throw Error(Fault::Usage,
      "the spacing \"{}\" cannot be: the distance from point to point is greater than 0", text);
  }
  bool any = false;
  for (Part& part : this->Made.Parts)
  {
    auto* uniform = std::get_if<Uniform>(&part.On);
    if (!uniform || !part.Blocks.empty())
    {
      continue;
    }
    any = true;
    std::vector<std::size_t> axes;
    for (std::size_t axis = 0; axis < uniform->Points.size(); ++axis)
    {
      if (numbers.size() == 3 || uniform->Points.at(axis) > 1)
      {
        axes.push_back(axis);
      }
    }
    const bool one = isSpacing && numbers.size() == 1;
    if (!one && numbers.size() != axes.size())
    {
      throw Error(Fault::Usage, "the {} \"{}\" has {} {}, and {} needs 3, of x, y and z{}", what,
        text, numbers.size(), numbers.size() == 1 ? "number" : "numbers", part.Name,
        axes.size() < 3 ? fmt::format(" (or {})", axes.size()) : std::string());
    }
    for (std::size_t index = 0; index < axes.size(); ++index)
    {
      (uniform->*member).at(axes[index]) = one ? numbers.front() : numbers[index];
    }
  }
  if (!any)
  {
    throw Error(Fault::Usage,
      "the {} can be set for a grid whose points are at equal distances, and {} has none: leave "
      "it empty",
      what, this->Made.Format);
  }
}

void Change::SetTime()
{
  const std::size_t steps = this->Made.Times.size();
  if (this->Times.empty())
  {
    throw Error(Fault::Usage,
      "there is no number at \"{}\" for the time: name a dataset (\"/time\"), an attribute "
      "(\"@/Header/Time\"), or a number",
      this->By.Time);
  }
  if (steps < 2)
  {
    this->Made.Time = this->Times.back();
    return;
  }
  if (this->Times.size() != steps)
  {
    throw Error(Fault::Usage,
      "\"{}\" has {} numbers for the time, and the file has {} steps: name as many", this->By.Time,
      this->Times.size(), steps);
  }
  if (std::adjacent_find(this->Times.begin(), this->Times.end(), std::greater_equal<>()) !=
    this->Times.end())
  {
    throw Error(Fault::Usage, "the times in \"{}\" do not ascend, so they are not those of steps",
      this->By.Time);
  }
  this->Made.Times = this->Times;
  this->Made.Time = this->Times[this->Made.Step];
}
}

std::vector<Letter> ParseAxisOrder(const std::string& text)
{
  const auto fail = [&](const std::string& why)
  {
    throw Error(Fault::Usage,
      "the axis order \"{}\" {}: it says what each dimension of a dataset runs along, the slowest "
      "first, by x, y, z, c (components), t (steps) or an index, as in \"zyx\" or \"yxc\"",
      text, why);
  };
  std::vector<Letter> order;
  std::string seen;
  const std::string separators = " ,;\t", digits = "0123456789", lower = LowerCase(text);
  for (std::size_t at = 0; at < lower.size(); ++at)
  {
    const char letter = lower[at];
    if (separators.find(letter) != std::string::npos)
    {
      continue;
    }
    if (digits.find(letter) != std::string::npos)
    {
      const std::string number = lower.substr(at, lower.find_first_not_of(digits, at) - at);
      if (const auto index = AsCount(number))
      {
        order.push_back({ 0, *index });
      }
      else
      {
        fail(fmt::format("has the index {}", number));
      }
      at += number.size() - 1;
      continue;
    }
    if (std::string("xyzct").find(letter) == std::string::npos)
    {
      fail(fmt::format("has \"{}\"", letter));
    }
    if (seen.find(letter) != std::string::npos)
    {
      fail(fmt::format("names {} twice", letter));
    }
    seen += letter;
    order.push_back({ letter });
  }
  if (seen.find_first_of("xyz") == std::string::npos)
  {
    fail("names none of x, y and z");
  }
  return order;
}

Description Override(Description description, const Overrides& overrides,
  const std::vector<double>& times, std::optional<std::size_t> step)
{
  return Change(std::move(description), overrides, times, step).Describe();
}

}
