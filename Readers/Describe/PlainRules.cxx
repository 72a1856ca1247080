// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/PlainRules.h"

#include "Base/Error.h"
#include "Describe/Hdf5Contents.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
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

std::string Lower(std::string text)
{
  std::transform(text.begin(), text.end(), text.begin(),
    [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return text;
}

// Names of arrays are paths without the leading '/'.
std::string NameOf(const Object& object)
{
  return object.Path.substr(1);
}

// The shape of the grid of a dataset: in four dimensions the last one counts components.
Shape GridShape(const Object& object)
{
  auto shape = object.Shape;
  if (shape.size() == 4)
  {
    shape.pop_back();
  }
  return shape;
}

std::string ShapeText(const Shape& shape)
{
  return fmt::format("{}", fmt::join(shape, " x "));
}

bool IsGrid(const Object& object)
{
  const std::size_t rank = object.Shape.size();
  return object.Numbers && object.Elements() > 0 &&
    ((rank >= 1 && rank <= 3) || (rank == 4 && object.Shape[3] <= MostPerRow));
}

bool IsColumn(const Object& object)
{
  return object.Numbers && object.Elements() > 0 &&
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

// By their usual names: x, y and z, alone or after "pos_" and the like, in one group; or a column
// of two or three components called coordinates, positions or points. One for each group and
// length, in the order of paths.
std::vector<Axes> FindAxes(const std::vector<Object>& columns)
{
  // By length, and the path before the axis: "/atoms/pos_" -> x, y, z.
  std::map<std::pair<std::string, hsize_t>, std::array<const Object*, 3>> byPlace;
  for (const Object& column : columns)
  {
    const std::string name = Lower(column.Name());
    const auto axis = std::string("xyz").find(name.back());
    const std::string before = name.substr(0, name.size() - 1);
    constexpr std::array prefixes = { "", "pos_", "position_", "coord_", "r" };
    if (column.Shape.size() == 1 && axis != std::string::npos &&
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
    if (column.Shape.size() == 2 && (column.Shape[1] == 2 || column.Shape[1] == 3) &&
      std::find(names.begin(), names.end(), Lower(column.Name())) != names.end() &&
      folders.insert({ column.Folder(), column.Shape[0] }).second)
    {
      found.push_back({ column });
    }
  }
  return found;
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
      std::transform(columns.begin(), columns.end(), std::back_inserter(list), NameOf);
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
        NameOf(axes.front()), NameOf(*found), file, axes.front().Shape[0], found->Shape[0]);
    }
    axes.push_back(*found);
  }
  return axes;
}

// A column, or a grid, the last dimension the fastest.
Source SourceOf(const Object& object, const std::vector<Role>& roles)
{
  Source source{ Stored{ object.Path } };
  for (std::size_t axis = 0; axis < roles.size(); ++axis)
  {
    source.Dimensions.push_back({ roles[axis], 0, object.Shape[axis] });
  }
  return source;
}

Source ColumnOf(const Object& column)
{
  return column.Shape.size() == 2 ? SourceOf(column, { Role::Index, Role::Component })
                                  : SourceOf(column, { Role::Index });
}

Source GridOf(const Object& object)
{
  switch (object.Shape.size())
  {
    case 1:
      return SourceOf(object, { Role::X });
    case 2:
      return SourceOf(object, { Role::Y, Role::X });
    case 3:
      return SourceOf(object, { Role::Z, Role::Y, Role::X });
    default:
      return SourceOf(object, { Role::Z, Role::Y, Role::X, Role::Component });
  }
}

// What is described, step by step.
class Plain
{
public:
  Plain(const Asked& asked, const PlainChoice& choice)
    : Name(asked.Name)
    , Choice(choice)
    , Objects(hdf5::ListObjects(asked.File))
    , Grids(Those(Objects, IsGrid))
    , Columns(Those(Objects, IsColumn))
  {
    this->Made.Time = hdf5::TimeInFile(asked.File);
  }

  Description Describe()
  {
    const bool named = std::any_of(this->Choice.Columns.begin(), this->Choice.Columns.end(),
      [](const std::string& name) { return !name.empty(); });
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
    return std::move(this->Made);
  }

private:
  void RequireGrids() const
  {
    if (this->Grids.empty())
    {
      throw Error(Fault::Unsupported,
        "{} holds no dataset of numbers with one to three dimensions that could be an image: there "
        "is nothing to show",
        this->Name);
    }
  }

  void RequireColumns() const
  {
    if (this->Columns.empty())
    {
      throw Error(Fault::Unsupported,
        "{} holds no datasets of numbers with one dimension (or two, with at most 9 numbers per "
        "row) that could be columns: there is nothing to show",
        this->Name);
    }
  }

  // The columns as long as the one with the most elements.
  std::vector<Object> LongColumns() const
  {
    const hsize_t rows = Largest(this->Columns)->Shape[0];
    return Those(this->Columns, [&](const Object& column) { return column.Shape[0] == rows; });
  }

  std::vector<Axes> ChosenAxes() const
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

  void AsWhatItIs(bool named)
  {
    const Object* const largest = Largest(this->Grids);
    if (!largest)
    {
      throw Error(Fault::Unsupported,
        "{} holds neither a VTKHDF group nor a dataset of numbers with one to three dimensions (or "
        "four, the last with at most 9 components): {}, so there is nothing to show",
        this->Name, hdf5::Summary(this->Objects));
    }
    if (named && !this->Columns.empty())
    {
      this->AsPoints(this->ChosenAxes());
      this->Made.Rule = "columns for the coordinates were chosen";
      return;
    }
    const std::string which = fmt::format("the largest datasets of numbers have {} {}",
      ShapeText(GridShape(*largest)), largest->Elements() == 1 ? "element" : "elements");
    if (IsColumn(*largest))
    {
      const auto all = FindAxes(this->Columns);
      const auto axes = std::find_if(all.begin(), all.end(),
        [&](const Axes& one) { return one.front().Shape[0] == largest->Shape[0]; });
      if (axes != all.end())
      {
        this->AsPoints(all);
        this->Made.Rule = fmt::format("{}, and {} gives coordinates", which, axes->front().Path);
        return;
      }
    }
    if (largest->Shape.size() == 1)
    {
      this->AsTable();
      this->Made.Rule = fmt::format("{}, in one dimension", which);
      return;
    }
    this->AsImages();
    this->Made.Rule = fmt::format("{} on a grid", which);
  }

  void AsTable()
  {
    this->Begin("table");
    const auto columns = this->LongColumns();
    Part part{ "table", Rows{ columns.front().Shape[0] } };
    this->AddArrays(part, columns, ColumnOf, {});
    this->Why = fmt::format("other columns have {} rows", columns.front().Shape[0]);
    this->Made.Parts.push_back(std::move(part));
  }

  // One part for each set of coordinates: all columns of the same length, if it is the only set,
  // else those in its group.
  void AsPoints(const std::vector<Axes>& all)
  {
    this->Begin("points");
    for (const Axes& axes : all)
    {
      const hsize_t rows = axes.front().Shape[0];
      Vertices on{ rows };
      for (const Object& axis : axes)
      {
        on.At.push_back(ColumnOf(axis));
        this->Used.insert(axis.Path);
      }
      // Of several columns each gives one coordinate.
      for (Source& source : on.At)
      {
        if (on.At.size() > 1 && source.Dimensions.size() == 2)
        {
          source.Dimensions[1] = { Role::Fixed, 0 };
        }
      }
      const std::string folder = all.size() > 1 ? axes.front().Folder() : "/";
      Part part{ folder == "/" ? "points" : folder.substr(1, folder.size() - 2), on };
      const auto columns = Those(this->Columns, [&](const Object& column)
        { return column.Shape[0] == rows && column.Path.rfind(folder, 0) == 0; });
      this->AddArrays(part, columns, ColumnOf, folder);
      this->Made.Parts.push_back(std::move(part));
      this->Made.Guessed.push_back(fmt::format("that {} {} the coordinates of points",
        fmt::join(NamesOf(axes), ", "), axes.size() > 1 ? "are" : "is"));
    }
    this->Why = "it has no row for each of the points";
  }

  // One part for each shape with as many dimensions as the largest has.
  void AsImages()
  {
    this->Begin("image");
    const Object& largest = *Largest(this->Grids);
    std::vector<Shape> shapes{ GridShape(largest) };
    for (const Object& object : this->Grids)
    {
      const Shape shape = GridShape(object);
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
      Uniform on;
      for (std::size_t axis = 0; axis < shape.size(); ++axis)
      {
        on.Points[axis] = shape[shape.size() - 1 - axis];
        if (on.Points[axis] > static_cast<std::uint64_t>(std::numeric_limits<int>::max()))
        {
          throw Error(Fault::Unsupported,
            "a dataset in {} has {} elements along one dimension, more than VTK can count",
            this->Name, on.Points[axis]);
        }
      }
      Part part{ shapes.size() == 1 ? "image" : ShapeText(shape), on };
      const auto datasets =
        Those(this->Grids, [&](const Object& object) { return GridShape(object) == shape; });
      this->AddArrays(part, datasets, GridOf, {});
      this->Made.Parts.push_back(std::move(part));
    }
    this->Made.Guessed.emplace_back(
      "origin 0 and spacing 1, and that the last dimension runs along x");
    this->Why = fmt::format("what is shown has {} elements", ShapeText(shapes.front()));
  }

  // A table of numbers beside fields, such as a matrix or a list of vectors.
  bool IsSmall(const Object& object) const
  {
    return IsColumn(object) || 64 * object.Elements() < Largest(this->Grids)->Elements();
  }

  void Begin(const char* format)
  {
    this->Made.Format = format;
    this->Made.Rule = "as was asked for";
  }

  static std::vector<std::string> NamesOf(const std::vector<Object>& objects)
  {
    std::vector<std::string> names;
    names.reserve(objects.size());
    std::transform(objects.begin(), objects.end(), std::back_inserter(names),
      [](const Object& object) { return object.Path; });
    return names;
  }

  // With their names in a folder.
  void AddArrays(Part& part, const std::vector<Object>& objects, Source (*sourceOf)(const Object&),
    const std::string& folder)
  {
    for (const Object& object : objects)
    {
      const std::size_t length = folder.empty() ? 1 : folder.size();
      part.Arrays.push_back({ object.Path.substr(length), Centring::Point, { sourceOf(object) } });
      this->Used.insert(object.Path);
    }
  }

  void LeaveOut()
  {
    for (const Object& object : this->Objects)
    {
      if (object.Dataset && this->Used.count(object.Path) == 0)
      {
        this->Made.Left.push_back({ object.Path,
          !object.Numbers            ? fmt::format("its elements are no numbers ({})", object.Type)
            : object.Elements() == 0 ? "it is empty"
            : object.Shape.empty()
            ? "it is a single value"
            : fmt::format("it has {} elements, and {}", ShapeText(object.Shape), this->Why) });
      }
    }
  }

  std::string Name;
  const PlainChoice& Choice;
  std::vector<Object> Objects, Grids, Columns;
  Description Made;
  std::set<std::string> Used; ///< paths
  std::string Why;            ///< others are left out
};
}

Description DescribePlain(const Asked& asked, const PlainChoice& choice)
{
  return Plain(asked, choice).Describe();
}

}
