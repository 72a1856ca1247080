// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/PlainRules.h"

#include "Base/Error.h"
#include "Describe/DescriptionBuilder.h"
#include "Describe/NamedAxes.h"
#include "Describe/NumberedGroups.h"
#include "Describe/ObjectSources.h"
#include "Describe/OnAxes.h"
#include "Describe/Text.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace dsm::describe
{

using hdf5::Object;

namespace
{
constexpr hsize_t MostPerRow = 9; // a tensor
using Shape = std::vector<hsize_t>;

using Order = std::vector<DatasetPattern::Letter>;

bool IsPlace(const DatasetPattern::Letter& letter)
{
  return letter.Is == 'x' || letter.Is == 'y' || letter.Is == 'z';
}

// Returns which dimensions of a dataset are those of its grid. Unless the user chooses otherwise,
// the last of four counts components.
std::vector<bool> PlacesOf(const Object& object, const Order& order)
{
  std::vector<bool> places(object.Shape.size(), true);
  if (order.empty() && places.size() == 4)
  {
    places.back() = false;
  }
  for (std::size_t axis = 0; !order.empty() && axis < places.size(); ++axis)
  {
    places[axis] = axis < order.size() && IsPlace(order[axis]);
  }
  return places;
}

Shape GridShape(const Object& object, const Order& order)
{
  Shape shape;
  const auto places = PlacesOf(object, order);
  for (std::size_t axis = 0; axis < places.size(); ++axis)
  {
    if (places[axis])
    {
      shape.push_back(object.Shape[axis]);
    }
  }
  return shape;
}

std::string ShapeText(const Shape& shape)
{
  return fmt::format("{}", fmt::join(shape, " x "));
}

bool HasNumbers(const Object& object)
{
  return object.Elements() > 0 &&
    (object.Numbers || !object.Members.empty() || !object.ArrayMembers.empty());
}

bool IsGrid(const Object& object, const Order& order)
{
  const std::size_t rank = object.Shape.size();
  if (!order.empty())
  {
    // One dimension more may count components.
    const bool said =
      std::any_of(order.begin(), order.end(), [](const auto& letter) { return letter.Is == 'c'; });
    return HasNumbers(object) &&
      (rank == order.size() ||
        (!said && rank == order.size() + 1 && object.Shape.back() <= MostPerRow));
  }
  return HasNumbers(object) &&
    ((rank >= 1 && rank <= 3) || (rank == 4 && object.Shape[3] <= MostPerRow));
}

bool IsColumn(const Object& object)
{
  return HasNumbers(object) &&
    (object.Shape.size() == 1 || (object.Shape.size() == 2 && object.Shape[1] <= MostPerRow));
}

template <typename Condition>
std::vector<Object> Those(const std::vector<Object>& objects, Condition condition)
{
  std::vector<Object> found;
  std::copy_if(objects.begin(), objects.end(), std::back_inserter(found), condition);
  return found;
}

const Object* Largest(const std::vector<Object>& objects)
{
  const auto largest = std::max_element(objects.begin(), objects.end(),
    [](const Object& a, const Object& b) { return a.Elements() < b.Elements(); });
  return largest == objects.end() ? nullptr : &*largest;
}

// Columns that hold the coordinates of points: two or three of them with one component each, or one
// with all components.
using Axes = std::vector<Object>;

// Finds coordinates by their usual names: x, y and z, alone or after "pos_" and the like, in one
// group; or a column of two or three components called coordinates, positions or points. Returns
// one for each group and length, in the order of paths.
std::vector<Axes> FindAxes(const std::vector<Object>& columns)
{
  // By length, and the path before the axis: "/atoms/pos_" -> x, y, z.
  std::map<std::pair<std::string, hsize_t>, std::array<const Object*, 3>> byPlace;
  for (const Object& column : columns)
  {
    const std::string name = LowerCase(column.Name());
    const auto axis = std::string("xyz").find(name.back());
    const std::string before = name.substr(0, name.size() - 1);
    constexpr std::array prefixes = { "", "pos_", "position_", "coord_", "r" };
    if (column.Numbers && column.Shape.size() == 1 && axis != std::string::npos &&
      std::find(prefixes.begin(), prefixes.end(), before) != prefixes.end())
    {
      byPlace[{ column.Folder() + before, column.Shape[0] }][axis] = &column;
    }
  }
  std::vector<Axes> found;
  std::set<std::pair<std::string, hsize_t>> folders; // one set of coordinates for each
  for (const auto& [place, axes] : byPlace)
  {
    if (axes[0] && axes[1] && folders.insert({ axes[0]->Folder(), place.second }).second)
    {
      found.push_back({ *axes[0], *axes[1] });
      if (axes[2])
      {
        found.back().push_back(*axes[2]);
      }
    }
  }
  constexpr std::array names = { "coordinates", "coords", "positions", "position", "pos",
    "points" };
  for (const Object& column : columns)
  {
    if (column.Numbers && column.Shape.size() == 2 &&
      (column.Shape[1] == 2 || column.Shape[1] == 3) &&
      std::find(names.begin(), names.end(), LowerCase(column.Name())) != names.end() &&
      folders.insert({ column.Folder(), column.Shape[0] }).second)
    {
      found.push_back({ column });
    }
  }
  return found;
}

// Whether a dataset belongs to an index of a table. PyTables hides groups with these names.
bool IsHiddenByPyTables(const Object& object)
{
  return object.Path.find("/_i_") != std::string::npos ||
    object.Path.find("/_p_") != std::string::npos;
}

bool EndsWith(const std::string& path, const std::string& name)
{
  const std::string wanted = name.front() == '/' ? name : "/" + name;
  return path.size() >= wanted.size() &&
    path.compare(path.size() - wanted.size(), wanted.size(), wanted) == 0;
}

Axes AxesNamed(const std::vector<Object>& columns, const std::array<std::string, 3>& names,
  const std::string& file)
{
  Axes axes;
  for (const std::string& name : names)
  {
    if (name.empty())
    {
      continue;
    }
    const auto found = std::find_if(columns.begin(), columns.end(),
      [&](const Object& column) { return EndsWith(column.Path, name); });
    if (found == columns.end())
    {
      std::vector<std::string> list;
      list.reserve(columns.size());
      std::transform(columns.begin(), columns.end(), std::back_inserter(list),
        [](const Object& column) { return column.Path.substr(1); });
      throw Error(Fault::Usage,
        "{} has no column \"{}\" for the coordinates: choose among {}, or leave the choice empty",
        file, name, fmt::join(list, ", "));
    }
    if (!axes.empty() && axes.front().Shape[0] != found->Shape[0])
    {
      throw Error(Fault::Usage,
        "the columns {} and {} of {} are to be coordinates, and have {} and {} rows: choose "
        "columns "
        "of one length",
        axes.front().Path, found->Path, file, axes.front().Shape[0], found->Shape[0]);
    }
    axes.push_back(*found);
  }
  return axes;
}

Source ColumnOf(const Object& column)
{
  return column.Shape.size() == 2 ? SourceOf(column, { Role::Index, Role::Component })
                                  : SourceOf(column, { Role::Index });
}

// Describes one file by shapes and names.
class PlainDescriber
{
public:
  PlainDescriber(const Asked& asked, const PlainChoice& choice);
  Description Describe();

private:
  // Whether columns for coordinates were chosen.
  bool IsNamed() const;

  // If groups are steps, keeps the objects of the one that is asked for, or of the last.
  void ChooseStep();
  Shape ShapeOf(const Object& object) const;

  // Returns the first of these attributes that one of the objects has.
  std::optional<double> NumberOf(
    const std::vector<std::string>& objects, const std::vector<std::string>& names) const;
  void RequireGrids() const;
  void RequireColumns() const;

  // Returns the columns that are as long as the largest.
  std::vector<Object> LongColumns() const;
  std::vector<Axes> ChosenAxes() const;
  void AsWhatItIs(bool named);
  void AsTable(const std::string& rule = "as was asked for");

  // Makes a part for each set of coordinates. If it is the only set, the part has all columns of
  // the same length, or else those in its group.
  void AsPoints(const std::vector<Axes>& all, const std::string& rule = "as was asked for");

  // Makes a part for each shape with as many dimensions as the largest has.
  void AsImages(const std::string& rule = "as was asked for");

  // Puts datasets on coordinates with usual names, or else at distances that attributes state.
  void AddGrid(const std::string& name, const Shape& shape, const std::vector<Object>& datasets);
  OnAxes OnNamed(const NamedAxes& axes);

  // Reads a number for each axis, or one for all, from the first of these attributes of the
  // datasets, of their group or of the file.
  std::optional<Position> PositionOf(const std::vector<Object>& datasets, std::size_t dimensions,
    const std::vector<std::string>& names, double absent) const;
  Uniform Spaced(const Shape& shape, const std::vector<Object>& datasets);

  // Whether a dataset is a table beside fields, such as a matrix or a list of vectors.
  bool IsSmall(const Object& object) const;
  static std::vector<std::string> NamesOf(const std::vector<Object>& objects);

  // Returns the path without the leading '/', and without the step.
  std::string NameOf(const Object& object) const;
  void AddArray(
    Part& part, const std::string& name, Centring on, const Object& object, const Source& source);

  // Adds columns by their names in a folder.
  void AddColumns(Part& part, const std::vector<Object>& objects, const std::string& folder);
  void LeaveOut();

  const FileFacts& File;
  std::string Name;
  const PlainChoice& Choice;
  std::vector<Object> Objects, Grids, Columns;
  NumberedGroups Steps;
  DescriptionBuilder Result;
  std::string Why; ///< others are left out
};

PlainDescriber::PlainDescriber(const Asked& asked, const PlainChoice& choice)
  : File(asked.File)
  , Name(asked.Name)
  , Choice(choice)
  , Objects(asked.File.Objects())
  , Result(asked)
{
  if (asked.File.Has("/", "PYTABLES_FORMAT_VERSION"))
  {
    std::erase_if(this->Objects, IsHiddenByPyTables);
  }
  this->Result.SetTime(asked.File.Time());
  this->ChooseStep();
  this->Grids =
    Those(this->Objects, [&](const Object& object) { return IsGrid(object, choice.Order); });
  this->Columns = Those(this->Objects, IsColumn);
}

Description PlainDescriber::Describe()
{
  const bool named = this->IsNamed();
  switch (this->Choice.Show)
  {
    case PlainChoice::As::Image:
      this->RequireGrids();
      this->AsImages();
      break;
    case PlainChoice::As::Table:
      this->RequireColumns();
      this->AsTable();
      break;
    case PlainChoice::As::Points:
      this->RequireColumns();
      this->AsPoints(this->ChosenAxes());
      break;
    default:
      this->AsWhatItIs(named);
  }
  this->LeaveOut();
  return this->Result.Finish();
}

bool PlainDescriber::IsNamed() const
{
  return std::any_of(this->Choice.Columns.begin(), this->Choice.Columns.end(),
    [](const std::string& name) { return !name.empty(); });
}

void PlainDescriber::ChooseStep()
{
  this->Steps = FindSteps(this->Objects);
  if (this->Steps.Paths.empty())
  {
    return;
  }
  const std::size_t step = this->Result.ChooseStep(this->Steps.Paths.size());
  this->Objects = OfStep(this->Objects, this->Steps, step);
  // Their times, if all of them have one.
  std::vector<double> times;
  for (const std::string& path : this->Steps.Paths)
  {
    const auto time = this->NumberOf({ path }, { "time", "Time", "TimeValue", "TIME", "sim_time" });
    if (time)
    {
      times.push_back(*time);
    }
  }
  const bool timed = times.size() == this->Steps.Paths.size();
  if (!timed)
  {
    times = this->Steps.Numbers;
  }
  const bool named = this->Steps.Paths.front().find("/Time:") == 0;
  if (!timed && !named)
  {
    this->Result.Assume(Setting::Time, "that the numbers of the steps are their times");
  }
  if (timed || named)
  {
    this->Result.SetTime(times[step]);
  }
  this->Result.ListTimes(std::move(times));
  this->Result.Guess(fmt::format("that {}{} the run's steps", this->Steps.Paths.back(),
    this->Steps.Paths.size() == 1 ? " is one of" : " and those beside it are"));
}

Shape PlainDescriber::ShapeOf(const Object& object) const
{
  return GridShape(object, this->Choice.Order);
}

std::optional<double> PlainDescriber::NumberOf(
  const std::vector<std::string>& objects, const std::vector<std::string>& names) const
{
  for (const std::string& object : objects)
  {
    for (const std::string& name : names)
    {
      if (const auto value = this->File.Number(object, name))
      {
        return value;
      }
    }
  }
  return std::nullopt;
}

void PlainDescriber::RequireGrids() const
{
  if (this->Grids.empty())
  {
    throw Error(Fault::Unsupported,
      "{} holds no dataset of numbers with one to three dimensions that could be an image: there "
      "is nothing to show",
      this->Name);
  }
}

void PlainDescriber::RequireColumns() const
{
  if (this->Columns.empty())
  {
    throw Error(Fault::Unsupported,
      "{} holds no datasets of numbers with one dimension (or two, with at most 9 numbers per "
      "row) that could be columns: there is nothing to show",
      this->Name);
  }
}

std::vector<Object> PlainDescriber::LongColumns() const
{
  const hsize_t rows = Largest(this->Columns)->Shape[0];
  return Those(this->Columns, [&](const Object& column) { return column.Shape[0] == rows; });
}

std::vector<Axes> PlainDescriber::ChosenAxes() const
{
  if (Axes chosen = AxesNamed(this->Columns, this->Choice.Columns, this->Name); !chosen.empty())
  {
    return { chosen };
  }
  auto found = FindAxes(this->Columns);
  if (found.empty())
  {
    throw Error(Fault::Usage,
      "{} has no columns called x and y (and z), or coordinates: name those to take as the "
      "points' coordinates, or show it as a table",
      this->Name);
  }
  return found;
}

void PlainDescriber::AsWhatItIs(bool named)
{
  const Object* const largest = Largest(this->Grids);
  if (!largest && !this->Choice.Order.empty())
  {
    throw Error(Fault::Usage,
      "{} holds no dataset of numbers with the {} dimensions that the axis order names: {}; name "
      "as many as one of its datasets has, or leave it empty",
      this->Name, this->Choice.Order.size(), hdf5::Summary(this->Objects));
  }
  if (!largest)
  {
    throw Error(Fault::Unsupported,
      "{} holds neither a VTKHDF group nor a dataset of numbers with one to three dimensions (or "
      "four, the last with at most 9 components): {}, so there is nothing to show",
      this->Name, hdf5::Summary(this->Objects));
  }
  if (named && !this->Columns.empty())
  {
    this->AsPoints(this->ChosenAxes(), "columns for the coordinates were chosen");
    return;
  }
  const std::string which = fmt::format("the largest datasets of numbers have {} {}",
    ShapeText(this->ShapeOf(*largest)), largest->Elements() == 1 ? "element" : "elements");
  const bool free = this->Choice.Order.empty();
  if (free && IsColumn(*largest))
  {
    const auto all = FindAxes(this->Columns);
    const auto axes = std::find_if(all.begin(), all.end(),
      [&](const Axes& one) { return one.front().Shape[0] == largest->Shape[0]; });
    if (axes != all.end())
    {
      this->AsPoints(all, fmt::format("{}, and {} gives coordinates", which, axes->front().Path));
      return;
    }
  }
  if (free && largest->Shape.size() == 1)
  {
    this->AsTable(fmt::format("{}, in one dimension", which));
    return;
  }
  this->AsImages(fmt::format("{} on a grid", which));
}

void PlainDescriber::AsTable(const std::string& rule)
{
  this->Result.SetFormat("table", rule);
  const auto columns = this->LongColumns();
  Part part{ "table", Rows{ columns.front().Shape[0] } };
  this->AddColumns(part, columns, "/");
  this->Why = fmt::format("other columns have {} rows", columns.front().Shape[0]);
  this->Result.AddPart(std::move(part));
}

void PlainDescriber::AsPoints(const std::vector<Axes>& all, const std::string& rule)
{
  this->Result.SetFormat("points", rule);
  for (const Axes& axes : all)
  {
    const hsize_t rows = axes.front().Shape[0];
    Vertices on{ rows };
    for (const Object& axis : axes)
    {
      on.At.push_back(ColumnOf(axis));
      this->Result.Use(axis.Path);
    }
    // If there are several columns, each gives one coordinate.
    for (Source& source : on.At)
    {
      if (on.At.size() > 1 && source.Dimensions.size() == 2)
      {
        source.Dimensions[1] = { Role::Fixed, 0 };
      }
    }
    const std::string folder = all.size() > 1 ? axes.front().Folder() : "/";
    Part part{ "points", on };
    if (folder != "/")
    {
      part.Name = WithoutStep(folder, this->Steps, this->Result.Step());
      part.Name = part.Name == "/" ? "points" : part.Name.substr(1, part.Name.size() - 2);
    }
    const auto columns = Those(this->Columns, [&](const Object& column)
      { return column.Shape[0] == rows && column.Path.rfind(folder, 0) == 0; });
    this->AddColumns(part, columns, folder);
    this->Result.AddPart(std::move(part));
    const std::string which = fmt::format("that {} {} the coordinates of points",
      fmt::join(NamesOf(axes), ", "), axes.size() > 1 ? "are" : "is");
    if (this->IsNamed())
    {
      this->Result.SetBy(Setting::Columns, which);
    }
    else
    {
      this->Result.Assume(Setting::Columns, which);
    }
  }
  this->Why = "it has no row for each of the points";
}

void PlainDescriber::AsImages(const std::string& rule)
{
  this->Result.SetFormat("image", rule);
  const Object& largest = *Largest(this->Grids);
  std::vector<Shape> shapes{ this->ShapeOf(largest) };
  for (const Object& object : this->Grids)
  {
    const Shape shape = this->ShapeOf(object);
    const bool known = std::find(shapes.begin(), shapes.end(), shape) != shapes.end();
    const bool isGrid = shape.size() > 1 &&
      std::all_of(shape.begin(), shape.end(), [](hsize_t count) { return count > 1; });
    if (!known && isGrid && shape.size() == shapes.front().size() && !this->IsSmall(object))
    {
      shapes.push_back(shape);
    }
  }
  for (const Shape& shape : shapes)
  {
    const auto datasets =
      Those(this->Grids, [&](const Object& object) { return this->ShapeOf(object) == shape; });
    this->AddGrid(shapes.size() == 1 ? "image" : ShapeText(shape), shape, datasets);
  }
  this->Why = fmt::format("what is shown has {} elements", ShapeText(shapes.front()));
}

void PlainDescriber::AddGrid(
  const std::string& name, const Shape& shape, const std::vector<Object>& datasets)
{
  std::vector<Role> roles{ Role::Z, Role::Y, Role::X };
  roles.erase(roles.begin(), roles.end() - static_cast<std::ptrdiff_t>(shape.size()));
  Part part{ name, Uniform{} };
  std::array<bool, 3> reversed{};
  Centring on = Centring::Point;
  const auto axes = FindNamedAxes(this->Objects, datasets.front().Folder(), shape);
  // A dataset with one dimension may be a coordinate itself.
  if (axes && shape.size() > 1)
  {
    roles = axes->Roles;
    on = axes->OfCells ? Centring::Cell : Centring::Point;
    OnAxes placed = this->OnNamed(*axes);
    part.On = std::move(placed.On);
    reversed = placed.Reversed;
  }
  else
  {
    part.On = this->Spaced(shape, datasets);
  }
  for (const Object& object : datasets)
  {
    // Dimensions that the grid does not have are components.
    std::vector<Role> all(object.Shape.size(), Role::Component);
    const auto places = PlacesOf(object, this->Choice.Order);
    for (std::size_t axis = 0, next = 0; axis < all.size(); ++axis)
    {
      all[axis] = places[axis] ? roles.at(next++) : Role::Component;
    }
    if (object.Shape.size() == 4 && this->Choice.Order.empty())
    {
      this->Result.Assume(
        Setting::AxisOrder, "that the last of four dimensions counts components of vectors");
    }
    Source source = SourceOf(object, all);
    for (Dimension& dimension : source.Dimensions)
    {
      dimension.Reversed = dimension.Is != Role::Component && reversed.at(AxisOf(dimension.Is));
    }
    this->AddArray(part, this->NameOf(object), on, object, source);
  }
  this->Result.AddPart(std::move(part));
}

OnAxes PlainDescriber::OnNamed(const NamedAxes& axes)
{
  PerAxis points{ 1, 1, 1 };
  std::array<Source, 3> sources{ Source{ Constant{ 0 } }, Source{ Constant{ 0 } },
    Source{ Constant{ 0 } } };
  std::array<AxisValues, 3> values{ Examine({ 0 }), Examine({ 0 }), Examine({ 0 }) };
  std::vector<std::string> paths;
  for (std::size_t axis = 0; axis < 3; ++axis)
  {
    const Object* const along = axes.Along[axis];
    if (!along)
    {
      continue;
    }
    points[axis] = along->Shape[0];
    sources[axis] = ColumnOf(*along);
    values[axis] = Examine(this->File.Values(sources[axis]));
    sources[axis].Dimensions[0].Is = SpatialRoles.at(axis);
    this->Result.Use(along->Path);
    paths.push_back(along->Path);
  }
  this->Result.Guess(fmt::format("that {} are the coordinates of {}", fmt::join(paths, ", "),
    axes.OfCells ? "the edges of cells" : "points"));
  return PutOnAxes(points, std::move(sources), values);
}

std::optional<Position> PlainDescriber::PositionOf(const std::vector<Object>& datasets,
  std::size_t dimensions, const std::vector<std::string>& names, double absent) const
{
  std::string folder = datasets.front().Folder();
  folder.pop_back();
  for (const std::string& object :
    { datasets.front().Path, folder.empty() ? "/" : folder, std::string("/") })
  {
    for (const std::string& name : names)
    {
      const auto found = this->File.Numbers(object, name, 3);
      if (found.empty() || (found.size() != 1 && found.size() < dimensions))
      {
        continue;
      }
      Position position{ absent, absent, absent };
      for (std::size_t axis = 0; axis < std::min<std::size_t>(3, dimensions); ++axis)
      {
        position[axis] = found[found.size() == 1 ? 0 : axis];
      }
      return position;
    }
  }
  return std::nullopt;
}

Uniform PlainDescriber::Spaced(const Shape& shape, const std::vector<Object>& datasets)
{
  Uniform on;
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
  {
    on.Points[axis] = shape[shape.size() - 1 - axis];
    if (on.Points[axis] > static_cast<std::uint64_t>(std::numeric_limits<int>::max()))
    {
      throw Error(Fault::Unsupported,
        "a dataset in {} has {} elements along one dimension, more than VTK can count", this->Name,
        on.Points[axis]);
    }
  }
  const auto spacing = this->PositionOf(datasets, shape.size(),
    { "spacing", "Spacing", "dx", "delta", "gridSpacing", "grid_spacing", "cell_size" }, 1);
  const auto origin = this->PositionOf(datasets, shape.size(),
    { "origin", "Origin", "prob_lo", "gridGlobalOffset", "lower_bound" }, 0);
  const bool valid =
    spacing && std::all_of(spacing->begin(), spacing->end(), [](double step) { return step > 0; });
  on.Spacing = valid ? *spacing : on.Spacing;
  on.Origin = origin.value_or(on.Origin);
  if (!origin)
  {
    this->Result.Assume(Setting::Origin, "that the first point is at 0");
  }
  if (!valid)
  {
    this->Result.Assume(Setting::Spacing, "that the points are at distances of 1");
  }
  this->Result.Assume(Setting::AxisOrder, "that the last dimension runs along x");
  this->Result.Assume(Setting::Centring, "that the values are of points");
  return on;
}

bool PlainDescriber::IsSmall(const Object& object) const
{
  return IsColumn(object) || 64 * object.Elements() < Largest(this->Grids)->Elements();
}

std::vector<std::string> PlainDescriber::NamesOf(const std::vector<Object>& objects)
{
  std::vector<std::string> names;
  names.reserve(objects.size());
  std::transform(objects.begin(), objects.end(), std::back_inserter(names),
    [](const Object& object) { return object.Path; });
  return names;
}

std::string PlainDescriber::NameOf(const Object& object) const
{
  return WithoutStep(object.Path, this->Steps, this->Result.Step()).substr(1);
}

void PlainDescriber::AddArray(
  Part& part, const std::string& name, Centring on, const Object& object, const Source& source)
{
  this->Result.Use(object.Path);
  for (Array& array : ArraysOf(object, name, on, source))
  {
    part.Arrays.push_back(std::move(array));
  }
}

void PlainDescriber::AddColumns(
  Part& part, const std::vector<Object>& objects, const std::string& folder)
{
  for (const Object& object : objects)
  {
    std::string name = folder == "/" ? this->NameOf(object) : object.Path.substr(folder.size());
    this->AddArray(part, name, Centring::Point, object, ColumnOf(object));
  }
}

void PlainDescriber::LeaveOut()
{
  this->Result.LeaveOutOthers(this->Objects,
    [&](const Object& object) -> std::string
    {
      return !object.Numbers && object.Members.empty() && object.ArrayMembers.empty()
        ? fmt::format("its elements are no numbers ({})", object.Type)
        : object.Elements() == 0 ? "it is empty"
        : object.Shape.empty()
        ? "it is a single value"
        : fmt::format("it has {} elements, and {}", ShapeText(object.Shape), this->Why);
    });
}
}

Description DescribePlain(const Asked& asked, const PlainChoice& choice)
{
  return PlainDescriber(asked, choice).Describe();
}

}
