// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/DimensionScales.h"

#include "Base/Error.h"
#include "Describe/AxisMeaning.h"
#include "Describe/AxisValues.h"
#include "Describe/DescriptionBuilder.h"
#include "Describe/NothingYet.h"
#include "Describe/ObjectSources.h"
#include "Describe/OnAxes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <utility>

namespace dsm::describe
{

using hdf5::Object;

namespace
{
constexpr hsize_t MostComponents = 9;

// A dimension that datasets share, and its coordinates.
struct Scale
{
  std::string Path;
  std::string Name; ///< by which the program knows it: its dataset may have another
  std::uint64_t Length = 0;
  bool HasValues = false;
  std::optional<Role> Means;
  Source Values;
  std::string Text; ///< "longitude [degrees_east]"
};

struct Variable
{
  const Object* Dataset = nullptr;
  std::vector<const Scale*> Scales; ///< of each dimension; none: nullptr
  std::vector<Dimension> Dimensions;
  std::vector<const Object*> Coordinates; ///< that the attribute of this name lists

  // The names of the dimensions: none, or one for each.
  std::vector<std::string> Labels;

  // Returns the scale of the dimension with this role, or nullptr.
  const Scale* ScaleOf(Role role) const;
  std::uint64_t CountOf(Role role) const;
  bool Has(Role role) const;
};

const Scale* Variable::ScaleOf(Role role) const
{
  for (std::size_t axis = 0; axis < this->Dimensions.size(); ++axis)
  {
    if (this->Dimensions[axis].Is == role)
    {
      return this->Scales[axis];
    }
  }
  return nullptr;
}

std::uint64_t Variable::CountOf(Role role) const
{
  for (const Dimension& dimension : this->Dimensions)
  {
    if (dimension.Is == role)
    {
      return dimension.Count;
    }
  }
  return 1;
}

bool Variable::Has(Role role) const
{
  return std::any_of(this->Dimensions.begin(), this->Dimensions.end(),
    [&](const Dimension& dimension) { return dimension.Is == role; });
}

std::vector<std::string> Words(const std::string& text)
{
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;)
  {
    words.push_back(word);
  }
  return words;
}

class ScaleDescriber
{
public:
  explicit ScaleDescriber(const Asked& asked);
  std::optional<Description> Describe();

private:
  bool IsNetCdf() const;
  std::string Format() const;

  // Throws if all fields are empty yet. The scales alone are not worth showing.
  void RequireSteps() const;
  std::string TextOf(const std::string& path, const char* name) const;

  // Sets how the numbers are packed, and which of them mean "none".
  void Unpack(const std::string& path, Source& source) const;
  std::string AxisText(const Object& object, const std::string& name) const;
  std::optional<Role> MeaningOfObject(const Object& object) const;
  void FindScales();

  // Returns the scale of a dimension whose attributes say most.
  const Scale* Choose(const std::vector<std::string>& paths) const;

  // Finds the dataset that an attribute names: in the group of `from`, or in one above.
  const Object* Resolve(const Object& from, const std::string& name) const;
  void FindVariables();

  // Returns the scales of each dimension: those that are attached, or else those that netCDF names
  // by number, if a program told it not to attach any (PIO, E3SM).
  std::vector<std::vector<std::string>> ScalesOf(const Object& object) const;

  // Returns a variable without scales if the dataset has none.
  Variable VariableOf(const Object& object) const;

  // Decides what each dimension runs along.
  void SetRoles(Variable& variable);

  // Sets the role Index if coordinates are listed along the one dimension that is left.
  bool SetIndex(Variable& variable, std::vector<bool>& isKnown);

  // Returns the datasets with x, y (and z) along one dimension of a variable.
  std::vector<const Object*> AlongOne(const Variable& variable, std::size_t axis) const;
  void FindTime();
  void FixTime(Dimension& dimension, const Scale* scale);
  Source SourceOf(const Variable& variable);

  // Returns three sources for two components that are along x and z, or y and z. ParaView would
  // take the two for x and y.
  std::vector<Source> SourcesOf(const Variable& variable);

  // Returns longitudes and latitudes that have a value for each point over x and y.
  std::vector<Source> CurvilinearAt(const Variable& variable);

  // Returns the coordinates along an axis in the file's order, and how they lie.
  std::pair<Source, AxisValues> AxisAlong(const Variable& variable, Role role);

  // Returns the points of a variable. Sets Reversed for its axes that descend.
  Geometry GeometryOf(Variable& variable);
  std::string PartName(const Variable& variable) const;
  void AddToPart(Variable& variable);

  // Removes the groups from the arrays' names, if the names stay unique.
  void NameArrays();
  void LeaveOut();

  template <typename... Args>
  void Guess(fmt::format_string<Args...> text, Args&&... args);

  const FileFacts& File;
  const Asked& Input;
  std::map<std::string, Scale> Scales;
  std::map<double, std::string> Numbered; ///< scales by netCDF's numbers of dimensions
  std::vector<Variable> Variables;
  const Scale* TimeScale = nullptr;
  DescriptionBuilder Result;
};

ScaleDescriber::ScaleDescriber(const Asked& asked)
  : File(asked.File)
  , Input(asked)
  , Result(asked)
{
}

std::optional<Description> ScaleDescriber::Describe()
{
  this->FindScales();
  this->FindVariables();
  if (this->Variables.empty())
  {
    this->RequireSteps();
    return std::nullopt;
  }
  this->FindTime();
  for (Variable& variable : this->Variables)
  {
    this->AddToPart(variable);
  }
  this->NameArrays();
  this->LeaveOut();
  if (this->Result.Parts().empty())
  {
    throw Error(Fault::Unsupported,
      "the datasets of {} have dimension scales, and none of them has a dimension in space: "
      "there "
      "is nothing to show",
      this->Input.Name);
  }
  this->Result.SetFormat(this->Format(), "its datasets have dimension scales");
  return this->Result.Finish();
}

bool ScaleDescriber::IsNetCdf() const
{
  return this->File.Has("/", "_NCProperties") || !this->File.Text("/", "Conventions").empty();
}

std::string ScaleDescriber::Format() const
{
  return this->IsNetCdf() ? "netCDF-4" : "dimension scales";
}

void ScaleDescriber::RequireSteps() const
{
  std::size_t empty = 0;
  for (const Object& object : this->File.Objects())
  {
    if (!object.Dataset || this->Scales.count(object.Path) > 0)
    {
      continue;
    }
    if (object.Elements() > 0 || !object.Numbers || this->ScalesOf(object).empty())
    {
      return;
    }
    ++empty;
  }
  if (empty > 0)
  {
    throw NothingYet(this->Format(),
      "its datasets with dimension scales are empty, or the files are not there that they are put "
      "together of");
  }
}

std::string ScaleDescriber::TextOf(const std::string& path, const char* name) const
{
  return this->File.Text(path, name);
}

void ScaleDescriber::Unpack(const std::string& path, Source& source) const
{
  source.Scale = this->File.NumberOr(path, "scale_factor", 1);
  source.Offset = this->File.NumberOr(path, "add_offset", 0);
  for (const char* const name : { "_FillValue", "missing_value" })
  {
    for (const double value : this->File.Numbers(path, name, 16))
    {
      if (std::find(source.Missing.begin(), source.Missing.end(), value) == source.Missing.end())
      {
        source.Missing.push_back(value);
      }
    }
  }
}

std::string ScaleDescriber::AxisText(const Object& object, const std::string& name) const
{
  std::string text = this->TextOf(object.Path, "long_name");
  text = text.empty() ? this->TextOf(object.Path, "standard_name") : text;
  text = text.empty() ? name : text;
  const std::string units = this->TextOf(object.Path, "units");
  return units.empty() ? text : fmt::format("{} [{}]", text, units);
}

std::optional<Role> ScaleDescriber::MeaningOfObject(const Object& object) const
{
  return MeaningOf(
    { object.Name(), this->TextOf(object.Path, "axis"), this->TextOf(object.Path, "units"),
      this->TextOf(object.Path, "standard_name"), this->TextOf(object.Path, "positive") });
}

void ScaleDescriber::FindScales()
{
  for (const Object& object : this->File.Objects())
  {
    if (!object.Dataset || object.Shape.empty() ||
      this->TextOf(object.Path, "CLASS") != "DIMENSION_SCALE")
    {
      continue;
    }
    Scale scale;
    scale.Path = object.Path;
    scale.Length = object.Shape[0];
    // A netCDF dimension without a variable of its name.
    const std::string name = this->TextOf(object.Path, "NAME");
    const bool isEmpty = name.rfind("This is a netCDF dimension but not a netCDF variable", 0) == 0;
    scale.Name = name.empty() || isEmpty ? object.Name() : name;
    scale.HasValues = !isEmpty && object.Numbers && object.Shape.size() == 1;
    scale.Means = this->MeaningOfObject(object);
    scale.Text = this->AxisText(object, scale.Name);
    scale.Values.From = Stored{ object.Path };
    scale.Values.Dimensions = { { Role::Index, 0, scale.Length } };
    this->Unpack(object.Path, scale.Values);
    if (this->TextOf(object.Path, "positive") == "down")
    {
      scale.Values.Scale *= -1;
      scale.Values.Offset *= -1;
    }
    this->Scales.emplace(object.Path, std::move(scale));
    if (const auto number = this->File.Number(object.Path, "_Netcdf4Dimid"))
    {
      this->Numbered.emplace(*number, object.Path);
    }
  }
}

const Scale* ScaleDescriber::Choose(const std::vector<std::string>& paths) const
{
  const Scale* chosen = nullptr;
  for (const std::string& path : paths)
  {
    const auto found = this->Scales.find(path);
    if (found != this->Scales.end() && (!chosen || (!chosen->Means && found->second.Means)))
    {
      chosen = &found->second;
    }
  }
  return chosen;
}

const Object* ScaleDescriber::Resolve(const Object& from, const std::string& name) const
{
  std::string folder = from.Folder();
  while (true)
  {
    const Object* found = this->File.Find(name.front() == '/' ? name : folder + name);
    if (found)
    {
      return found;
    }
    if (folder == "/" || name.front() == '/')
    {
      return nullptr;
    }
    folder.pop_back();
    folder.erase(folder.rfind('/') + 1);
  }
}

void ScaleDescriber::FindVariables()
{
  std::map<std::string, std::string> isNoField; // and why
  for (const Object& object : this->File.Objects())
  {
    for (const char* const attribute : { "coordinates", "bounds", "grid_mapping" })
    {
      for (const std::string& word : Words(this->TextOf(object.Path, attribute)))
      {
        if (const Object* named = this->Resolve(object, word))
        {
          isNoField.emplace(
            named->Path, fmt::format("{} names it in its {}", object.Path, attribute));
        }
      }
    }
  }
  for (const Object& object : this->File.Objects())
  {
    if (!object.Dataset || this->Scales.count(object.Path) > 0)
    {
      continue;
    }
    if (const auto found = isNoField.find(object.Path); found != isNoField.end())
    {
      this->Result.Explain(object.Path, found->second);
      continue;
    }
    if (Variable variable = this->VariableOf(object); !variable.Scales.empty())
    {
      this->Variables.push_back(std::move(variable));
    }
  }
}

std::vector<std::vector<std::string>> ScaleDescriber::ScalesOf(const Object& object) const
{
  auto attached = this->File.References(object.Path, "DIMENSION_LIST");
  if (!attached.empty())
  {
    return attached;
  }
  std::vector<std::vector<std::string>> named;
  for (const double number : this->File.Numbers(object.Path, "_Netcdf4Coordinates", 32))
  {
    const auto found = this->Numbered.find(number);
    named.push_back(
      found == this->Numbered.end() ? std::vector<std::string>() : std::vector{ found->second });
  }
  return named;
}

Variable ScaleDescriber::VariableOf(const Object& object) const
{
  Variable variable;
  if (!object.Numbers || object.Elements() == 0)
  {
    return variable;
  }
  const auto lists = this->ScalesOf(object);
  if (lists.size() != object.Shape.size())
  {
    return variable;
  }
  std::vector<const Scale*> scales;
  std::transform(lists.begin(), lists.end(), std::back_inserter(scales),
    [&](const std::vector<std::string>& list) { return this->Choose(list); });
  if (std::none_of(scales.begin(), scales.end(), [](const Scale* one) { return one; }))
  {
    return variable;
  }
  variable.Dataset = &object;
  variable.Scales = std::move(scales);
  variable.Labels = this->File.Texts(object.Path, "DIMENSION_LABELS", 32);
  for (const std::string& word : Words(this->TextOf(object.Path, "coordinates")))
  {
    if (const Object* named = this->Resolve(object, word); named && named->Numbers)
    {
      variable.Coordinates.push_back(named);
    }
  }
  return variable;
}

void ScaleDescriber::SetRoles(Variable& variable)
{
  const Object& object = *variable.Dataset;
  const auto& labels = variable.Labels;
  const std::size_t rank = object.Shape.size();
  std::vector<bool> isKnown(rank, false);
  const auto set = [&](std::size_t axis, Role role)
  {
    variable.Dimensions[axis].Is = role;
    isKnown[axis] = true;
  };
  for (std::size_t axis = 0; axis < rank; ++axis)
  {
    variable.Dimensions.push_back({ Role::Fixed, 0, object.Shape[axis] });
  }
  for (std::size_t axis = 0; axis < rank; ++axis)
  {
    const Scale* const scale = variable.Scales[axis];
    auto means = scale ? scale->Means : std::nullopt;
    if (!means && axis < labels.size())
    {
      means = MeaningOf({ labels[axis] });
    }
    if (means && !variable.Has(*means))
    {
      set(axis, *means);
    }
  }
  if (!variable.Has(Role::Time) && rank > 1 && !isKnown[0] && object.Most[0] == H5S_UNLIMITED)
  {
    set(0, Role::Time);
    this->Guess("that the unlimited dimension of {} is time", object.Path);
  }
  for (std::size_t axis = 0; axis < rank; ++axis)
  {
    if (!isKnown[axis] && !variable.Scales[axis] && object.Shape[axis] <= MostComponents &&
      !variable.Has(Role::Component))
    {
      set(axis, Role::Component);
      this->Guess(
        "that the dimension {} of {}, which has no scale, is of components", axis, object.Path);
    }
  }
  if (this->SetIndex(variable, isKnown))
  {
    return;
  }
  // The last dimension is the fastest: x.
  for (std::size_t axis = rank; axis-- > 0;)
  {
    if (isKnown[axis])
    {
      continue;
    }
    const auto* const unused = std::find_if(
      SpatialRoles.begin(), SpatialRoles.end(), [&](Role role) { return !variable.Has(role); });
    const std::string name =
      variable.Scales[axis] ? variable.Scales[axis]->Name : fmt::format("number {}", axis);
    if (unused != SpatialRoles.end())
    {
      set(axis, *unused);
      this->Guess("that the dimension {} is {}", name, "xyz"[AxisOf(*unused)]);
    }
    else
    {
      this->Guess("that of the dimension {} of {} the first is wanted", name, object.Path);
    }
  }
}

bool ScaleDescriber::SetIndex(Variable& variable, std::vector<bool>& isKnown)
{
  const auto unknown = std::count(isKnown.begin(), isKnown.end(), false);
  const auto axis =
    static_cast<std::size_t>(std::find(isKnown.begin(), isKnown.end(), false) - isKnown.begin());
  if (unknown != 1 || variable.Has(Role::X) || variable.Has(Role::Y) || variable.Has(Role::Z) ||
    this->AlongOne(variable, axis).size() < 2)
  {
    return false;
  }
  variable.Dimensions[axis].Is = Role::Index;
  return true;
}

std::vector<const Object*> ScaleDescriber::AlongOne(
  const Variable& variable, std::size_t axis) const
{
  std::vector<const Object*> found;
  for (const Role role : SpatialRoles)
  {
    for (const Object* named : variable.Coordinates)
    {
      if (named->Shape.size() == 1 && named->Shape[0] == variable.Dataset->Shape[axis] &&
        this->MeaningOfObject(*named) == role && found.size() == AxisOf(role))
      {
        found.push_back(named);
      }
    }
  }
  return found;
}

void ScaleDescriber::FindTime()
{
  std::vector<std::pair<const Scale*, std::size_t>> uses; // in the file's order, on all ranks
  for (Variable& variable : this->Variables)
  {
    this->SetRoles(variable);
    if (variable.Has(Role::Time))
    {
      const Scale* scale = variable.ScaleOf(Role::Time);
      auto known =
        std::find_if(uses.begin(), uses.end(), [&](const auto& use) { return use.first == scale; });
      if (known == uses.end())
      {
        known = uses.insert(uses.end(), { scale, 0 });
      }
      ++known->second;
    }
  }
  if (uses.empty())
  {
    return;
  }
  const auto most = std::max_element(
    uses.begin(), uses.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  this->TimeScale = most->first;
  std::uint64_t steps = 0;
  for (const Variable& variable : this->Variables)
  {
    if (variable.Has(Role::Time) && variable.ScaleOf(Role::Time) == this->TimeScale)
    {
      steps = variable.CountOf(Role::Time);
    }
  }
  std::vector<double> times = EquallySpaced(steps);
  const Scale* const scale = this->TimeScale;
  if (scale && scale->HasValues && scale->Length < steps && !this->IsNetCdf())
  {
    // The times are written after the values, or the values are in another file that is ahead.
    steps = scale->Length;
    times.resize(steps);
  }
  if (steps == 0)
  {
    throw NothingYet(this->Format(), "it has no step");
  }
  if (scale && scale->HasValues && scale->Length >= steps)
  {
    Source first = scale->Values;
    first.Dimensions[0].Count = steps;
    times = this->File.Values(first);
    this->Result.SetTimeUnits(this->TextOf(scale->Path, "units"));
  }
  else
  {
    this->Guess("the times of the steps: they are counted from {}", 0);
  }
  this->Result.ChooseStep(steps);
  if (scale && scale->HasValues)
  {
    this->Result.SetTime(times[this->Result.Step()]);
  }
  if (!this->Result.ListTimes(std::move(times)))
  {
    this->Guess(
      "that only the last step is wanted: the times of the {} steps do not ascend", steps);
  }
  this->Result.Use(scale ? scale->Path : "");
}

void ScaleDescriber::FixTime(Dimension& dimension, const Scale* scale)
{
  const std::uint64_t step = scale == this->TimeScale ? this->Result.Step() : dimension.Count - 1;
  dimension.Start = std::min<std::uint64_t>(step, dimension.Count - 1);
  dimension.Count = 1;
}

Source ScaleDescriber::SourceOf(const Variable& variable)
{
  Source source{ Stored{ variable.Dataset->Path }, variable.Dimensions };
  for (std::size_t axis = 0; axis < source.Dimensions.size(); ++axis)
  {
    Dimension& dimension = source.Dimensions[axis];
    if (dimension.Is == Role::Time)
    {
      this->FixTime(dimension, variable.Scales[axis]);
    }
    else if (dimension.Is == Role::Fixed)
    {
      dimension.Count = 1;
    }
  }
  this->Unpack(variable.Dataset->Path, source);
  return source;
}

std::vector<Source> ScaleDescriber::SourcesOf(const Variable& variable)
{
  const Source all = this->SourceOf(variable);
  std::vector<Role> directions;
  std::size_t components = all.Dimensions.size();
  for (std::size_t axis = 0; axis < all.Dimensions.size(); ++axis)
  {
    const Role role = all.Dimensions[axis].Is;
    if (role == Role::Component)
    {
      components = axis;
    }
    else if (IsSpatial(role))
    {
      directions.push_back(role);
    }
  }
  if (directions.size() != 2 || components == all.Dimensions.size() ||
    all.Dimensions[components].Count != 2 || directions[0] == Role::Z || directions[1] != Role::Z)
  {
    return { all };
  }
  std::vector<Source> sources(3, Source{ Constant{ 0 } });
  for (std::size_t component = 0; component < 2; ++component)
  {
    Source one = all;
    one.Dimensions[components] = { Role::Fixed, component, 1 };
    sources[AxisOf(directions[component])] = std::move(one);
  }
  this->Guess("that the components of {} are along {} and {}", variable.Dataset->Path,
    "xyz"[AxisOf(directions[0])], "xyz"[AxisOf(directions[1])]);
  return sources;
}

std::vector<Source> ScaleDescriber::CurvilinearAt(const Variable& variable)
{
  std::vector<Source> at;
  for (const Role role : { Role::X, Role::Y })
  {
    for (const Object* named : variable.Coordinates)
    {
      Variable coordinate = this->VariableOf(*named);
      if (this->MeaningOfObject(*named) != role || coordinate.Scales.size() < 2 ||
        at.size() > AxisOf(role))
      {
        continue;
      }
      for (std::size_t axis = 0; axis < coordinate.Scales.size(); ++axis)
      {
        const Scale* const scale = coordinate.Scales[axis];
        const Role is = !scale                    ? Role::Fixed
          : scale == variable.ScaleOf(Role::X)    ? Role::X
          : scale == variable.ScaleOf(Role::Y)    ? Role::Y
          : scale == variable.ScaleOf(Role::Time) ? Role::Time
                                                  : Role::Fixed;
        coordinate.Dimensions.push_back({ is, 0, named->Shape[axis] });
      }
      if (coordinate.Has(Role::X) && coordinate.Has(Role::Y))
      {
        at.push_back(this->SourceOf(coordinate));
        this->Result.Use(named->Path);
      }
    }
  }
  return at.size() == 2 ? at : std::vector<Source>{};
}

std::pair<Source, AxisValues> ScaleDescriber::AxisAlong(const Variable& variable, Role role)
{
  const std::uint64_t count = variable.CountOf(role);
  const Scale* const scale = variable.ScaleOf(role);
  if (!variable.Has(role))
  {
    return { { Constant{ 0 } }, Examine({ 0 }) };
  }
  if (!scale || !scale->HasValues || scale->Length < count)
  {
    std::vector<double> counted = EquallySpaced(count);
    this->Guess("the coordinates along {}, which are counted from 0",
      scale ? scale->Name : std::string(1, "xyz"[AxisOf(role)]));
    const AxisValues values = Examine(counted);
    return { { Literal{ std::move(counted) }, { { role, 0, count } } }, values };
  }
  this->Result.Use(scale->Path);
  Source source = scale->Values;
  source.Dimensions[0].Count = count;
  const AxisValues values = Examine(this->File.Values(source));
  source.Dimensions[0].Is = role;
  return { source, values };
}

Geometry ScaleDescriber::GeometryOf(Variable& variable)
{
  const auto index = std::find_if(variable.Dimensions.begin(), variable.Dimensions.end(),
    [](const Dimension& dimension) { return dimension.Is == Role::Index; });
  if (index != variable.Dimensions.end())
  {
    Vertices on{ index->Count };
    for (const Object* named :
      this->AlongOne(variable, static_cast<std::size_t>(index - variable.Dimensions.begin())))
    {
      Source source = ListSource(named->Path, index->Count);
      this->Unpack(named->Path, source);
      on.At.push_back(std::move(source));
      this->Result.Use(named->Path);
    }
    return on;
  }
  PerAxis points{};
  std::array<Source, 3> axes;
  std::array<AxisValues, 3> values;
  for (const Role role : SpatialRoles)
  {
    const std::size_t axis = AxisOf(role);
    points[axis] = variable.CountOf(role);
  }
  if (auto at = this->CurvilinearAt(variable); !at.empty())
  {
    at.push_back(this->AxisAlong(variable, Role::Z).first);
    return Curvilinear{ points, std::move(at) };
  }
  for (const Role role : SpatialRoles)
  {
    std::tie(axes[AxisOf(role)], values[AxisOf(role)]) = this->AxisAlong(variable, role);
  }
  OnAxes made = PutOnAxes(points, std::move(axes), values);
  for (Dimension& dimension : variable.Dimensions)
  {
    for (const Role role : SpatialRoles)
    {
      dimension.Reversed =
        dimension.Reversed || (dimension.Is == role && made.Reversed[AxisOf(role)]);
    }
  }
  return std::move(made.On);
}

std::string ScaleDescriber::PartName(const Variable& variable) const
{
  std::vector<std::string> names;
  std::vector<std::uint64_t> counts;
  for (std::size_t axis = 0; axis < variable.Dimensions.size(); ++axis)
  {
    const Role role = variable.Dimensions[axis].Is;
    const Scale* const scale = variable.Scales[axis];
    if (role == Role::Index || IsSpatial(role))
    {
      // If a scale's name differs from its dataset's, several datasets have that scale.
      const bool named = scale && scale->Name != scale->Path.substr(scale->Path.rfind('/') + 1);
      names.push_back(named ? scale->Name
          : scale           ? scale->Path.substr(1)
                            : fmt::format("{}", axis));
      counts.push_back(variable.Dimensions[axis].Count);
    }
  }
  std::string name = fmt::format("{}", fmt::join(names, ", "));
  const auto& parts = this->Result.Parts();
  const bool isTaken =
    std::any_of(parts.begin(), parts.end(), [&](const Part& one) { return one.Name == name; });
  return isTaken ? fmt::format("{} ({})", name, fmt::join(counts, " x ")) : name;
}

void ScaleDescriber::AddToPart(Variable& variable)
{
  const bool isSpatial = variable.Has(Role::Index) ||
    std::any_of(
      SpatialRoles.begin(), SpatialRoles.end(), [&](Role role) { return variable.Has(role); });
  if (!isSpatial)
  {
    this->Result.Explain(variable.Dataset->Path, "it has no dimension in space");
    return;
  }
  Geometry geometry = this->GeometryOf(variable);
  auto& parts = this->Result.Parts();
  auto part =
    std::find_if(parts.begin(), parts.end(), [&](const Part& one) { return one.On == geometry; });
  if (part == parts.end())
  {
    Part made{ this->PartName(variable), std::move(geometry) };
    for (const Role role : SpatialRoles)
    {
      const Scale* const scale = variable.ScaleOf(role);
      made.AxisNames[AxisOf(role)] = scale ? scale->Text : "";
    }
    part = parts.insert(parts.end(), std::move(made));
  }
  Array array{ variable.Dataset->Path.substr(1), Centring::Point };
  array.Sources = this->SourcesOf(variable);
  array.Units = this->TextOf(variable.Dataset->Path, "units");
  part->Arrays.push_back(std::move(array));
  this->Result.Use(variable.Dataset->Path);
}

void ScaleDescriber::NameArrays()
{
  std::map<std::string, std::size_t> uses;
  const auto last = [](const std::string& path) { return path.substr(path.rfind('/') + 1); };
  for (const Variable& variable : this->Variables)
  {
    ++uses[variable.Dataset->Name()];
  }
  for (Part& part : this->Result.Parts())
  {
    for (Array& array : part.Arrays)
    {
      array.Name = uses[last(array.Name)] == 1 ? last(array.Name) : array.Name;
    }
  }
}

void ScaleDescriber::LeaveOut()
{
  this->Result.LeaveOutOthers(this->File.Objects(),
    [&](const Object& object) -> std::string
    {
      return this->Scales.count(object.Path) > 0 ? "it is the scale of a dimension"
        : !object.Numbers        ? fmt::format("its elements are no numbers ({})", object.Type)
        : object.Elements() == 0 ? "it is empty"
                                 : "it has no dimension scales";
    });
}

template <typename... Args>
void ScaleDescriber::Guess(fmt::format_string<Args...> text, Args&&... args)
{
  this->Result.Guess(fmt::format(text, std::forward<Args>(args)...));
}
}

std::optional<Description> RecogniseDimensionScales(const Asked& asked)
{
  return ScaleDescriber(asked).Describe();
}

}
