// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/OpenPmd.h"

#include "Base/Error.h"
#include "Describe/DescriptionBuilder.h"
#include "Describe/NothingYet.h"
#include "Describe/Text.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace dsm::describe
{

namespace
{
using Counts = std::vector<std::uint64_t>;

// "/data/%T/" or "/data/%06T/" cut at its "%T": "/data", "", "".
struct IterationPath
{
  std::string Folder; ///< of the iterations; or the one iteration, if the path has no %T
  bool Numbered = false;
  std::string Before, After; ///< of the number, in the group's name

  explicit IterationPath(std::string path);
  std::optional<unsigned long long> NumberIn(const std::string& name) const;
};

IterationPath::IterationPath(std::string path)
{
  path = "/" + fmt::format("{}", fmt::join(Split(path, "/"), "/"));
  const auto percent = path.find('%');
  const auto last =
    percent == std::string::npos ? percent : path.find_first_not_of("0123456789", percent + 1);
  if (last == std::string::npos || path[last] != 'T')
  {
    this->Folder = path;
    return;
  }
  this->Numbered = true;
  const auto slash = path.rfind('/', percent);
  this->Folder = slash == 0 ? "/" : path.substr(0, slash);
  this->Before = path.substr(slash + 1, percent - slash - 1);
  this->After = path.substr(last + 1);
}

std::optional<unsigned long long> IterationPath::NumberIn(const std::string& name) const
{
  const auto around = this->Before.size() + this->After.size();
  return name.size() > around && name.rfind(this->Before, 0) == 0 &&
      name.compare(name.size() - this->After.size(), std::string::npos, this->After) == 0
    ? AsCount(name.substr(this->Before.size(), name.size() - around))
    : std::nullopt;
}

struct Iteration
{
  unsigned long long Number = 0;
  std::string Path;
  double Time = 0;
  double TimeUnit = 1;
};

/// A component of a record: a dataset, or one value everywhere.
struct Component
{
  std::string Name;
  std::string Path;
  Counts Shape;
  std::optional<double> Constant;
  double Unit = 1;
  std::vector<double> Position; ///< in the cell; of meshes
};

/// A record with its components: one without a name, or several.
struct Record
{
  std::string Name;
  std::string Path;
  std::vector<Component> Components;
};

// Writes the powers of the seven SI units: "m kg s^-3 A^-1".
std::string UnitsOf(const std::vector<double>& powers)
{
  constexpr std::array names = { "m", "kg", "s", "A", "K", "mol", "cd" };
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < std::min(names.size(), powers.size()); ++i)
  {
    if (const double power = powers[i]; power != 0)
    {
      parts.push_back(power == 1 ? std::string(names[i]) : fmt::format("{}^{:g}", names[i], power));
    }
  }
  return fmt::format("{}", fmt::join(parts, " "));
}

std::string NameOf(const std::string& path)
{
  return path.substr(path.rfind('/') + 1);
}

std::optional<std::size_t> AxisOf(const std::string& label)
{
  return label.size() == 1 && label[0] >= 'x' && label[0] <= 'z'
    ? std::optional(static_cast<std::size_t>(label[0] - 'x'))
    : std::nullopt;
}

/// Describes one iteration.
class IterationDescriber
{
public:
  explicit IterationDescriber(const Asked& asked);
  Description Describe();

private:
  std::string Text(
    const std::string& path, const std::string& attribute, const char* otherwise = "") const;
  IterationPath BasePath() const;
  std::vector<Iteration> FindIterations() const;

  // Lists the times of the iterations, or their numbers if the times do not ascend.
  void ListTimes(const std::vector<Iteration>& iterations);
  void SetTime(const Iteration& iteration);

  // Returns the groups below an iteration that an attribute names.
  std::vector<std::string> PathsBelow(
    const Iteration& iteration, const std::string& attribute) const;
  Component ComponentAt(const std::string& path, const std::string& name) const;
  bool IsConstant(const std::string& path) const;
  std::vector<std::string> PathsIn(const std::string& folder) const;
  Record RecordAt(const std::string& path) const;

  // Returns the records in a group. Leaves out members that are no record, and skips one name.
  std::vector<Record> RecordsIn(const std::string& folder, const std::string& skipped = {});
  void AddMeshes(const Iteration& iteration);

  /// A component's points, and what its dimensions run along.
  struct Grid
  {
    Uniform On;
    std::vector<Role> Roles;
    std::array<std::string, 3> AxisNames;
  };

  std::vector<double> Along(const Record& record, const std::string& attribute, std::size_t axes,
    double otherwise, bool reversed) const;
  Grid GridOf(const Record& record, const Component& component) const;

  // Places each axis on x, y or z by its label. Without labels, the last axis is x.
  static std::vector<std::size_t> PlacesOf(const std::vector<std::string>& labels, std::size_t axes,
    bool modes, std::array<std::string, 3>& names);
  void AddMesh(const Record& record);
  Part& PartOn(const Grid& grid);
  static Source SourceOf(const Component& component, const std::vector<Role>& roles);
  void AddParticles(const Iteration& iteration);
  void AddSpecies(const std::string& path);
  static std::uint64_t CountOf(const Component& component);

  // Adds positions and offsets: a position is inside a cell, and its offset is the cell's place.
  static Coordinates PointsOf(const Record& position, const Record* offset, std::uint64_t count);
  static void AddTo(Source& source, Source added);

  const FileFacts& File;
  std::string Name; ///< for messages
  DescriptionBuilder Result;
  bool Numbers = false; // iterations are counted, not timed
  std::map<std::string, double> TimeOffsets;
};

IterationDescriber::IterationDescriber(const Asked& asked)
  : File(asked.File)
  , Name(asked.Name)
  , Result(asked)
{
}

Description IterationDescriber::Describe()
{
  this->Result.SetFormat(
    "openPMD", "the file says that it is of openPMD " + this->Text("/", "openPMD", "1.x"));
  auto iterations = this->FindIterations();
  if (iterations.empty())
  {
    throw NothingYet("openPMD", fmt::format("it has no iteration in {}", this->BasePath().Folder));
  }
  const std::size_t chosen = this->Result.ChooseStep(iterations.size());
  if (iterations.size() > 1)
  {
    this->ListTimes(iterations);
  }
  const Iteration& iteration = iterations[chosen];
  this->AddMeshes(iteration);
  this->AddParticles(iteration);
  if (this->Result.Parts().empty())
  {
    throw Error(Fault::Unsupported,
      "{} of openPMD has neither meshes nor particles that can be shown{}", iteration.Path,
      this->Result.WhyNothing());
  }
  this->SetTime(iteration);
  return this->Result.Finish();
}

std::string IterationDescriber::Text(
  const std::string& path, const std::string& attribute, const char* otherwise) const
{
  const std::string text = this->File.Text(path, attribute);
  return text.empty() ? otherwise : text;
}

IterationPath IterationDescriber::BasePath() const
{
  IterationPath path(this->Text("/", "basePath", "/data/%T/"));
  // With that encoding, the group is the only iteration, whatever the path says.
  path.Numbered =
    path.Numbered && LowerCase(this->Text("/", "iterationEncoding")) != "variablebased";
  return path;
}

std::vector<Iteration> IterationDescriber::FindIterations() const
{
  const IterationPath base = this->BasePath();
  std::vector<Iteration> found;
  if (!base.Numbered)
  {
    if (this->File.WhatIs(base.Folder) == hdf5::Thing::Group)
    {
      const double number = this->File.NumberOr(base.Folder, "snapshot", 0);
      found.push_back(
        { number > 0 && number < 1e18 ? static_cast<unsigned long long>(number) : 0, base.Folder });
    }
  }
  for (const std::string& name :
    base.Numbered ? this->File.MembersOf(base.Folder) : std::vector<std::string>())
  {
    if (const auto number = base.NumberIn(name))
    {
      found.push_back({ *number, (base.Folder == "/" ? "/" : base.Folder + "/") + name });
    }
  }
  std::sort(found.begin(), found.end(),
    [](const Iteration& left, const Iteration& right) { return left.Number < right.Number; });
  for (Iteration& one : found)
  {
    one.Time = this->File.NumberOr(one.Path, "time", static_cast<double>(one.Number));
    one.TimeUnit = this->File.NumberOr(one.Path, "timeUnitSI", 1);
  }
  return found;
}

void IterationDescriber::ListTimes(const std::vector<Iteration>& iterations)
{
  std::vector<double> times, numbers;
  for (const Iteration& one : iterations)
  {
    times.push_back(one.Time * one.TimeUnit);
    numbers.push_back(static_cast<double>(one.Number));
  }
  const bool known =
    std::none_of(times.begin(), times.end(), [](double time) { return std::isnan(time); });
  if (!known || !this->Result.ListTimes(std::move(times)))
  {
    this->Numbers = true;
    this->Result.SetTime(numbers[this->Result.Step()]);
    this->Result.ListTimes(std::move(numbers));
    this->Result.Guess("the iterations' times do not ascend: their numbers are taken for times");
  }
}

void IterationDescriber::SetTime(const Iteration& iteration)
{
  if (this->Numbers)
  {
    return;
  }
  this->Result.SetTime(iteration.Time * iteration.TimeUnit);
  this->Result.SetTimeUnits("s");
  for (const auto& [name, offset] : this->TimeOffsets)
  {
    if (offset != 0)
    {
      this->Result.Guess(fmt::format(
        "{} is {:g} s later than the time that is shown", name, offset * iteration.TimeUnit));
    }
  }
}

std::vector<std::string> IterationDescriber::PathsBelow(
  const Iteration& iteration, const std::string& attribute) const
{
  std::vector<std::string> paths;
  for (const std::string& text : this->File.Texts("/", attribute))
  {
    const std::string path = fmt::format("{}/{}", iteration.Path, fmt::join(Split(text, "/"), "/"));
    if (this->File.WhatIs(path) == hdf5::Thing::Group)
    {
      paths.push_back(path);
    }
  }
  return paths;
}

Component IterationDescriber::ComponentAt(const std::string& path, const std::string& name) const
{
  Component made;
  made.Name = name;
  made.Path = path;
  made.Unit = this->File.NumberOr(path, "unitSI", 1);
  made.Position = this->File.Numbers(path, "position");
  if (this->File.WhatIs(path) == hdf5::Thing::Dataset)
  {
    const auto object = this->File.ObjectAt(path);
    if (!object || object->Type == "unreadable")
    {
      throw Error(Fault::Usage, "there is no dataset {} in {}", path, this->Name);
    }
    if (!object->Numbers || object->Null)
    {
      throw Error(Fault::Usage, "the dataset {} in {} holds no numbers", path, this->Name);
    }
    made.Shape.assign(object->Shape.begin(), object->Shape.end());
    return made;
  }
  const auto value = this->File.Numbers(path, "value");
  const auto shape = this->File.Numbers(path, "shape");
  if (value.empty() || shape.empty())
  {
    throw Error(Fault::Unsupported, "it is neither a dataset nor a constant of one number");
  }
  made.Constant = value.front();
  for (const double one : shape)
  {
    if (!(one >= 0 && one < 1e15))
    {
      throw Error(Fault::Usage, "its shape has the size {}", one);
    }
    made.Shape.push_back(static_cast<std::uint64_t>(one));
  }
  return made;
}

bool IterationDescriber::IsConstant(const std::string& path) const
{
  return !this->File.Numbers(path, "value").empty() && !this->File.Numbers(path, "shape").empty();
}

std::vector<std::string> IterationDescriber::PathsIn(const std::string& folder) const
{
  std::vector<std::string> paths;
  for (const std::string& name : this->File.MembersOf(folder))
  {
    paths.push_back(fmt::format("{}/{}", folder, name));
  }
  return paths;
}

Record IterationDescriber::RecordAt(const std::string& path) const
{
  Record record{ NameOf(path), path, {} };
  const bool one =
    this->File.WhatIs(record.Path) == hdf5::Thing::Dataset || this->IsConstant(record.Path);
  if (one)
  {
    record.Components.push_back(this->ComponentAt(record.Path, ""));
    return record;
  }
  for (const std::string& member : this->PathsIn(path))
  {
    record.Components.push_back(this->ComponentAt(member, NameOf(member)));
  }
  if (record.Components.empty())
  {
    throw Error(Fault::Unsupported, "it has no components");
  }
  return record;
}

std::vector<Record> IterationDescriber::RecordsIn(
  const std::string& folder, const std::string& skipped)
{
  std::vector<Record> records;
  for (const std::string& path : this->PathsIn(folder))
  {
    if (NameOf(path) == skipped)
    {
      continue;
    }
    try
    {
      records.push_back(this->RecordAt(path));
    }
    catch (const Error& error)
    {
      this->Result.LeaveOut(path, error.what());
    }
  }
  return records;
}

void IterationDescriber::AddMeshes(const Iteration& iteration)
{
  for (const std::string& folder : this->PathsBelow(iteration, "meshesPath"))
  {
    for (const Record& record : this->RecordsIn(folder))
    {
      try
      {
        this->AddMesh(record);
      }
      catch (const Error& error)
      {
        this->Result.LeaveOut(record.Path, error.what());
      }
    }
  }
}

std::vector<double> IterationDescriber::Along(const Record& record, const std::string& attribute,
  std::size_t axes, double otherwise, bool reversed) const
{
  auto numbers = this->File.Numbers(record.Path, attribute);
  if (numbers.empty())
  {
    numbers.assign(axes, otherwise);
  }
  if (numbers.size() == 1)
  {
    numbers.resize(axes, numbers.front());
  }
  if (numbers.size() != axes)
  {
    throw Error(Fault::Usage, "its {} has {} numbers for {} axes", attribute, numbers.size(), axes);
  }
  if (reversed)
  {
    std::reverse(numbers.begin(), numbers.end());
  }
  return numbers;
}

IterationDescriber::Grid IterationDescriber::GridOf(
  const Record& record, const Component& component) const
{
  const std::string geometry = LowerCase(this->Text(record.Path, "geometry", "cartesian"));
  const bool modes = geometry == "thetamode";
  if (!modes && geometry != "cartesian")
  {
    throw Error(Fault::Unsupported, "the geometry {} is not supported", geometry);
  }
  const std::size_t first = modes ? 1 : 0;
  if (component.Shape.size() < first + 1 || component.Shape.size() > first + (modes ? 2 : 3))
  {
    throw Error(Fault::Unsupported, "it has {} dimensions", component.Shape.size());
  }
  const std::size_t axes = component.Shape.size() - first;
  // Attributes list the axes in the writer's order, datasets in that of C.
  const bool reversed = LowerCase(this->Text(record.Path, "dataOrder", "C")) == "f";
  auto labels = this->File.Texts(record.Path, "axisLabels");
  // Split labels that are one text: "xyz".
  if (labels.size() == 1 && axes > 1 && labels.front().size() == axes)
  {
    const std::string all = labels.front();
    labels.clear();
    for (const char label : all)
    {
      labels.emplace_back(1, label);
    }
  }
  if (reversed)
  {
    std::reverse(labels.begin(), labels.end());
  }
  const auto spacing = this->Along(record, "gridSpacing", axes, 1, reversed);
  const auto offset = this->Along(record, "gridGlobalOffset", axes, 0, reversed);
  const auto unit = this->Along(record, "gridUnitSI", axes, 1, reversed);
  auto position = component.Position;
  position.resize(axes, 0);
  if (reversed)
  {
    std::reverse(position.begin(), position.end());
  }
  Grid grid;
  grid.Roles.assign(first, Role::Fixed);
  const auto places = PlacesOf(labels, axes, modes, grid.AxisNames);
  for (std::size_t i = 0; i < axes; ++i)
  {
    const std::size_t axis = places[i];
    grid.On.Points[axis] = component.Shape[first + i];
    grid.On.Origin[axis] = (offset[i] + position[i] * spacing[i]) * unit[i];
    grid.On.Spacing[axis] = spacing[i] * unit[i];
    // NaN is not equal to itself, so parts could not be compared.
    if (!std::isfinite(grid.On.Origin[axis]) || !std::isfinite(grid.On.Spacing[axis]))
    {
      throw Error(Fault::Usage, "where its grid lies is not finite");
    }
    grid.Roles.push_back(SpatialRoles.at(axis));
  }
  return grid;
}

std::vector<std::size_t> IterationDescriber::PlacesOf(const std::vector<std::string>& labels,
  std::size_t axes, bool modes, std::array<std::string, 3>& names)
{
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < axes && labels.size() == axes; ++i)
  {
    const auto axis = modes && labels[i] == "r" ? std::optional<std::size_t>(0) : AxisOf(labels[i]);
    if (axis && std::find(places.begin(), places.end(), *axis) == places.end())
    {
      places.push_back(*axis);
    }
  }
  const bool known = places.size() == axes;
  if (!known)
  {
    places.clear();
  }
  for (std::size_t i = 0; i < axes; ++i)
  {
    if (!known)
    {
      places.push_back(axes - 1 - i);
    }
    if (labels.size() == axes && (!known || modes))
    {
      names[places[i]] = labels[i] + " [m]";
    }
  }
  return places;
}

void IterationDescriber::AddMesh(const Record& record)
{
  if (LowerCase(this->Text(record.Path, "geometry")) == "thetamode")
  {
    this->Result.Guess(record.Path +
      ": of the modes around the axis only the first is shown, the average, over r and z");
  }
  std::vector<Grid> grids;
  grids.reserve(record.Components.size());
  for (const Component& component : record.Components)
  {
    grids.push_back(this->GridOf(record, component));
  }
  const bool together = std::all_of(grids.begin(), grids.end(), [&](const Grid& grid)
    { return grid.On == grids.front().On && grid.Roles == grids.front().Roles; });
  const auto units = UnitsOf(this->File.Numbers(record.Path, "unitDimension"));
  for (std::size_t i = 0; i < grids.size(); ++i)
  {
    const Component& component = record.Components[i];
    if (i == 0 || !together)
    {
      Array array;
      array.Name =
        together || component.Name.empty() ? record.Name : record.Name + "_" + component.Name;
      array.Units = units;
      this->PartOn(grids[i]).Arrays.push_back(std::move(array));
    }
    Array& array = this->PartOn(grids[i]).Arrays.back();
    array.Sources.push_back(SourceOf(component, grids[i].Roles));
    if (together && record.Components.size() > 1)
    {
      array.ComponentNames.push_back(component.Name);
    }
  }
  this->TimeOffsets[record.Path] = this->File.NumberOr(record.Path, "timeOffset", 0);
}

Part& IterationDescriber::PartOn(const Grid& grid)
{
  for (Part& part : this->Result.Parts())
  {
    if (const auto* on = std::get_if<Uniform>(&part.On);
      on && *on == grid.On && part.AxisNames == grid.AxisNames)
    {
      return part;
    }
  }
  Part part;
  part.Name = this->Result.Parts().empty()
    ? "meshes"
    : fmt::format("meshes {}", this->Result.Parts().size() + 1);
  part.On = grid.On;
  part.AxisNames = grid.AxisNames;
  this->Result.AddPart(std::move(part));
  return this->Result.Parts().back();
}

Source IterationDescriber::SourceOf(const Component& component, const std::vector<Role>& roles)
{
  if (component.Constant)
  {
    return { Constant{ *component.Constant * component.Unit } };
  }
  Source source{ Stored{ component.Path } };
  for (std::size_t i = 0; i < roles.size(); ++i)
  {
    source.Dimensions.push_back({ roles[i], 0, roles[i] == Role::Fixed ? 1 : component.Shape[i] });
  }
  source.Scale = component.Unit;
  return source;
}

void IterationDescriber::AddParticles(const Iteration& iteration)
{
  for (const std::string& folder : this->PathsBelow(iteration, "particlesPath"))
  {
    for (const std::string& path : this->PathsIn(folder))
    {
      try
      {
        this->AddSpecies(path);
      }
      catch (const Error& error)
      {
        this->Result.LeaveOut(path, error.what());
      }
    }
  }
}

void IterationDescriber::AddSpecies(const std::string& path)
{
  // Patches say which rank wrote which particles: for readers of openPMD only.
  auto records = this->RecordsIn(path, "particlePatches");
  const auto at = std::find_if(
    records.begin(), records.end(), [](const Record& record) { return record.Name == "position"; });
  if (at == records.end())
  {
    throw Error(Fault::Unsupported, "its particles have no position");
  }
  const auto offset = std::find_if(records.begin(), records.end(),
    [](const Record& record) { return record.Name == "positionOffset"; });
  Part part;
  part.Name = NameOf(path);
  Vertices points;
  points.Count = CountOf(at->Components.front());
  // FBPIC writes the shape 1 for a constant, whatever the number of particles.
  for (Record& record : records)
  {
    for (Component& component : record.Components)
    {
      if (component.Constant && component.Shape == Counts{ 1 })
      {
        component.Shape = { points.Count };
      }
    }
  }
  points.At = PointsOf(*at, offset == records.end() ? nullptr : &*offset, points.Count);
  const auto count = points.Count;
  part.On = std::move(points);
  for (const Record& record : records)
  {
    if (record.Name == "position" || record.Name == "positionOffset")
    {
      continue;
    }
    Array array;
    array.Name = record.Name;
    array.Units = UnitsOf(this->File.Numbers(record.Path, "unitDimension"));
    for (const Component& component : record.Components)
    {
      if (component.Shape.size() == 1 && component.Shape.front() == count)
      {
        array.Sources.push_back(SourceOf(component, { Role::Index }));
        array.ComponentNames.push_back(component.Name);
      }
      else
      {
        this->Result.LeaveOut(component.Path, "it has not a number for each particle");
      }
    }
    if (array.Sources.size() == 1)
    {
      array.ComponentNames.clear();
    }
    if (!array.Sources.empty())
    {
      part.Arrays.push_back(std::move(array));
    }
    this->TimeOffsets[record.Path] = this->File.NumberOr(record.Path, "timeOffset", 0);
  }
  this->Result.AddPart(std::move(part));
}

std::uint64_t IterationDescriber::CountOf(const Component& component)
{
  if (component.Shape.size() != 1)
  {
    throw Error(Fault::Unsupported, "{} has {} dimensions", component.Path, component.Shape.size());
  }
  return component.Shape.front();
}

Coordinates IterationDescriber::PointsOf(
  const Record& position, const Record* offset, std::uint64_t count)
{
  Coordinates points(3, Source{ Constant{ 0 } });
  for (const Component& component : position.Components)
  {
    const auto axis = AxisOf(component.Name);
    if (!axis || CountOf(component) != count)
    {
      throw Error(
        Fault::Unsupported, "{} is no coordinate of its {} particles", component.Path, count);
    }
    points[*axis] = SourceOf(component, { Role::Index });
    for (const Component& from : offset ? offset->Components : std::vector<Component>())
    {
      if (from.Name == component.Name)
      {
        if (CountOf(from) != count)
        {
          throw Error(Fault::Unsupported, "{} has {} numbers for {} particles", from.Path,
            CountOf(from), count);
        }
        AddTo(points[*axis], SourceOf(from, { Role::Index }));
      }
    }
  }
  return points;
}

void IterationDescriber::AddTo(Source& source, Source added)
{
  const auto* constant = std::get_if<Constant>(&added.From);
  auto* own = std::get_if<Constant>(&source.From);
  if (constant && own)
  {
    own->Value += constant->Value;
  }
  else if (constant)
  {
    source.Offset += constant->Value;
  }
  else
  {
    source.Added.push_back(std::move(added));
  }
}
}

std::optional<Description> RecogniseOpenPmd(const Asked& asked)
{
  if (asked.File.Text("/", "openPMD").empty())
  {
    return std::nullopt;
  }
  return IterationDescriber(asked).Describe();
}

}
