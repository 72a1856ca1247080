// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/PlainRules.h"

#include "Base/Error.h"
#include "Describe/DescriptionBuilder.h"
#include "Describe/NumberedGroups.h"
#include "Describe/ObjectSources.h"
#include "Describe/PlainGeometry.h"
#include "Describe/PlainShapes.h"
#include "Describe/PointColumns.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace dsm::describe
{

using hdf5::Object;

namespace
{
template <typename Condition>
std::vector<Object> Those(const std::vector<Object>& objects, Condition condition)
{
  std::vector<Object> found;
  std::copy_if(objects.begin(), objects.end(), std::back_inserter(found), condition);
  return found;
}

// Whether a dataset belongs to an index of a table. PyTables hides groups with these names.
bool IsHiddenByPyTables(const Object& object)
{
  return object.Path.find("/_i_") != std::string::npos ||
    object.Path.find("/_p_") != std::string::npos;
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
  void RequireGrids() const;
  void RequireColumns() const;

  // Returns the columns that are as long as the largest.
  std::vector<Object> LongColumns() const;
  std::vector<PointColumns> ChosenAxes() const;
  void AsWhatItIs();
  void AsTable(const std::string& rule = "as was asked for");

  // Makes a part for each set of coordinates. If it is the only set, the part has all columns of
  // the same length, or else those in its group.
  void AsPoints(const std::vector<PointColumns>& all, const std::string& rule = "as was asked for");

  // Makes a part for each shape with as many dimensions as the largest has.
  void AsImages(const std::string& rule = "as was asked for");

  void AddGrid(const std::string& name, const Shape& shape, const std::vector<Object>& datasets);

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
      this->AsWhatItIs();
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
    if (const auto time = this->File.TimeOf(path))
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

std::vector<PointColumns> PlainDescriber::ChosenAxes() const
{
  if (PointColumns chosen = PointColumnsNamed(this->Columns, this->Choice.Columns, this->Name);
    !chosen.empty())
  {
    return { chosen };
  }
  auto found = FindPointColumns(this->Columns);
  if (found.empty())
  {
    throw Error(Fault::Usage,
      "{} has no columns called x and y (and z), or coordinates: name those to take as the "
      "points' coordinates, or show it as a table",
      this->Name);
  }
  return found;
}

void PlainDescriber::AsWhatItIs()
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
  if (this->IsNamed() && !this->Columns.empty())
  {
    this->AsPoints(this->ChosenAxes(), "columns for the coordinates were chosen");
    return;
  }
  const std::string which = fmt::format("the largest datasets of numbers have {} {}",
    ShapeText(this->ShapeOf(*largest)), largest->Elements() == 1 ? "element" : "elements");
  const bool free = this->Choice.Order.empty();
  if (free && IsColumn(*largest))
  {
    const auto all = FindPointColumns(this->Columns);
    const auto axes = std::find_if(all.begin(), all.end(),
      [&](const PointColumns& one) { return one.front().Shape[0] == largest->Shape[0]; });
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

void PlainDescriber::AsPoints(const std::vector<PointColumns>& all, const std::string& rule)
{
  this->Result.SetFormat("points", rule);
  for (const PointColumns& axes : all)
  {
    const hsize_t rows = axes.front().Shape[0];
    Vertices on{ rows };
    for (const Object& axis : axes)
    {
      on.At.push_back(ColumnSource(axis));
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
  PlainGrid grid =
    PlainGeometry(this->File, this->Name, this->Objects, this->Result).Of(shape, datasets);
  Part part{ name, std::move(grid.Placed.On) };
  for (const Object& object : datasets)
  {
    // Dimensions that the grid does not have are components.
    std::vector<Role> all(object.Shape.size(), Role::Component);
    const auto places = PlacesOf(object, this->Choice.Order);
    for (std::size_t axis = 0, next = 0; axis < all.size(); ++axis)
    {
      all[axis] = places[axis] ? grid.Roles.at(next++) : Role::Component;
    }
    if (object.Shape.size() == 4 && this->Choice.Order.empty())
    {
      this->Result.Assume(
        Setting::AxisOrder, "that the last of four dimensions counts components of vectors");
    }
    Source source = SourceOf(object, all);
    for (Dimension& dimension : source.Dimensions)
    {
      dimension.Reversed =
        dimension.Is != Role::Component && grid.Placed.Reversed.at(AxisOf(dimension.Is));
    }
    this->AddArray(part, this->NameOf(object), grid.On, object, source);
  }
  this->Result.AddPart(std::move(part));
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
    this->AddArray(part, name, Centring::Point, object, ColumnSource(object));
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
