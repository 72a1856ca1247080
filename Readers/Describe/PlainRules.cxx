// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/PlainRules.h"

#include "Base/Error.h"
#include "Describe/AxisLabels.h"
#include "Describe/AxisValues.h"
#include "Describe/DescriptionBuilder.h"
#include "Describe/NumberedGroups.h"
#include "Describe/ObjectSources.h"
#include "Describe/PlainGeometry.h"
#include "Describe/PlainShapes.h"
#include "Describe/PlainTime.h"
#include "Describe/PointColumns.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
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

constexpr hsize_t MostComponents = 9; // of a tensor

// The properties' names of kinds.
const Alternative AsTableInstead{ Setting::Kind, "4", "table" };
const Alternative AsImageInstead{ Setting::Kind, "3", "image" };

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
  void ChooseGroup();

  // Likewise along a dimension of datasets.
  void ChooseIndex();
  void SetTimesAlong(std::size_t step);
  void AssumeTimeDimension();

  void ReadLabels();

  // Returns what labels say of a dataset's dimensions, without that of steps; empty: they do not
  // say it of each.
  AxisOrder LabelledOrder(const Object& object) const;

  // Returns what the dimensions of a dataset are, without that of steps: as the user or labels say
  // it, or as follows from that of steps. Empty: by the shape.
  AxisOrder OrderOf(const Object& object) const;

  // Returns an axis order for all dimensions of a dataset: "tzyx".
  std::string OrderText(const Object& object, const std::vector<Role>& roles) const;
  std::vector<Alternative> OtherOrders(const Object& object, const std::string& order) const;

  // Returns other places of the components than the last one of a dataset's dimensions.
  std::vector<Alternative> OtherComponents(const Object& object) const;
  PlainAxes AxesOf(const Shape& shape, const Object& object) const;
  std::vector<Role> RolesOf(const Object& object, const std::vector<Role>& along) const;
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
  LabelsByPath Labels; ///< of datasets, as they are in the file
  AxisOrder Order;     ///< that the user sets, without the steps
  NumberedGroups Steps;
  PlainTime Time; ///< the dimension of steps
  DescriptionBuilder Result;
  std::string Why; ///< others are left out
};

PlainDescriber::PlainDescriber(const Asked& asked, const PlainChoice& choice)
  : File(asked.File)
  , Name(asked.Name)
  , Choice(choice)
  , Objects(asked.File.Objects())
  , Order(choice.Order)
  , Result(asked)
{
  if (asked.File.Has("/", "PYTABLES_FORMAT_VERSION"))
  {
    std::erase_if(this->Objects, IsHiddenByPyTables);
  }
  this->Result.SetTimeOfFile();
  this->ChooseGroup();
  this->ReadLabels();
  if (this->Steps.Paths.empty())
  {
    this->ChooseIndex();
  }
  this->Grids = Those(
    this->Objects, [&](const Object& object) { return IsGrid(object, this->OrderOf(object)); });
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

void PlainDescriber::ChooseGroup()
{
  this->Steps = FindSteps(this->Objects);
  if (this->Steps.Paths.empty())
  {
    return;
  }
  if (!this->Choice.StepGroups)
  {
    this->Steps = {};
    this->Result.SetBy(Setting::StepGroups, "Numbered groups are not steps");
    return;
  }
  const std::size_t step = this->Result.ChooseStep(this->Steps.Paths.size());
  this->Objects = OfStep(this->Objects, this->Steps, step);
  // Their times, if all of them have one.
  std::vector<double> times;
  for (const std::string& path : this->Steps.Paths)
  {
    std::string dataset;
    if (const auto time = this->File.TimeIn(path, dataset))
    {
      times.push_back(*time);
      this->Result.Use(dataset);
    }
  }
  const bool timed = times.size() == this->Steps.Paths.size();
  if (!timed)
  {
    times = this->Steps.Numbers;
  }
  const bool named = this->Steps.Paths.front().find("/Time:") == 0;
  this->Result.Assume(Setting::StepGroups,
    fmt::format("Steps = {}{}", this->Steps.Paths.back(),
      this->Steps.Paths.size() == 1 ? "" : " and the groups beside it"),
    { { Setting::StepGroups, "1", "not steps" } });
  if (!timed && !named)
  {
    this->Result.Assume(Setting::Time, "Time = step number");
  }
  if (timed || named)
  {
    this->Result.SetTime(times[step]);
  }
  this->Result.ListTimes(std::move(times));
}

void PlainDescriber::ChooseIndex()
{
  this->Time = FindPlainTime(this->Objects, this->Labels, this->Order);
  if (this->Time.Steps > 0)
  {
    std::erase_if(this->Order, [](const auto& letter) { return letter.Is == 't'; });
    const std::size_t step = this->Result.ChooseStep(this->Time.Steps);
    this->AssumeTimeDimension();
    this->SetTimesAlong(step);
    this->Objects = AtOneStep(std::move(this->Objects), this->Time);
  }
  else if (const Object* const times = this->File.Find(this->File.TimeDataset());
    times && times->Elements() > 1)
  {
    this->Result.Assume(Setting::Time,
      fmt::format("Time {} (the last value of {})", this->Result.Time().value_or(0), times->Path));
  }
}

void PlainDescriber::SetTimesAlong(std::size_t step)
{
  if (this->Time.Times.empty())
  {
    this->Result.ListTimes(EquallySpaced(this->Time.Steps));
    this->Result.Assume(Setting::Time, "Time = step number");
    return;
  }
  this->Result.Use(this->Time.Times);
  auto times = this->File.Values(
    { Stored{ this->Time.Times, {}, {}, 0 }, { { Role::Index, 0, this->Time.Steps } } });
  this->Result.SetTime(times.at(step));
  if (!this->Result.ListTimes(std::move(times)))
  {
    this->Result.Assume(Setting::Time,
      fmt::format("Last step only (the times in {} do not ascend)", this->Time.Times));
  }
}

void PlainDescriber::AssumeTimeDimension()
{
  using Reason = PlainTime::Reason;
  if (this->Time.Because == Reason::Order || this->Time.Because == Reason::Labels)
  {
    return;
  }
  const Object* const shown = this->File.Find(this->Time.Shown);
  const std::size_t rank = shown->Shape.size();
  const std::size_t place = this->Time.Dimensions.at(this->Time.Shown);
  std::vector<Alternative> others;
  if (rank <= 3 || (rank == 4 && shown->Shape.back() <= MostComponents))
  {
    const std::string order = rank == 4 ? "zyxc" : std::string("zyx").substr(3 - rank);
    others.push_back({ Setting::AxisOrder, order, order });
  }
  this->Result.Assume(Setting::AxisOrder,
    fmt::format("{} dimension = time ({} steps{})",
      place == 0            ? "First"
        : place + 1 == rank ? "Last"
                            : fmt::format("{}.", place + 1),
      this->Time.Steps,
      this->Time.Times.empty() ? "" : fmt::format(", times from {}", this->Time.Times)),
    std::move(others));
}

void PlainDescriber::ReadLabels()
{
  for (const Object& object : this->Objects)
  {
    if (object.Dataset && object.Shape.size() > 1)
    {
      if (auto letters = AxisLabels(this->File, object); !letters.empty())
      {
        this->Labels.emplace(object.Path, std::move(letters));
      }
    }
  }
}

AxisOrder PlainDescriber::LabelledOrder(const Object& object) const
{
  const auto found = this->Labels.find(object.Path);
  AxisOrder order = found == this->Labels.end() ? AxisOrder() : found->second;
  if (this->Time.Has(object.Path))
  {
    std::erase_if(order, [](const auto& one) { return one.Is == 't'; });
  }
  const bool hasPlace = std::any_of(
    order.begin(), order.end(), [](const auto& one) { return IsSpatial(RoleOf(one.Is)); });
  const bool isWhole = std::none_of(
    order.begin(), order.end(), [](const auto& one) { return one.Is == 0 || one.Is == 't'; });
  return hasPlace && isWhole ? order : AxisOrder();
}

AxisOrder PlainDescriber::OrderOf(const Object& object) const
{
  if (!this->Choice.Order.empty())
  {
    return this->Order;
  }
  if (AxisOrder labels = this->LabelledOrder(object); !labels.empty())
  {
    return labels;
  }
  // A step has three dimensions. If the last one is short, vectors are likelier than a thin block.
  const auto& shape = object.Shape;
  const bool isVector = this->Time.Has(object.Path) && shape.size() == 3 &&
    shape[2] <= MostComponents && 2 * shape[2] <= std::min(shape[0], shape[1]);
  return isVector ? AxisOrder{ { 'y' }, { 'x' }, { 'c' } } : AxisOrder();
}

std::string PlainDescriber::OrderText(const Object& object, const std::vector<Role>& roles) const
{
  std::string text;
  for (const Role role : roles)
  {
    text += IsSpatial(role) ? "xyz"[AxisOf(role)] : 'c';
  }
  if (this->Time.Has(object.Path))
  {
    text.insert(this->Time.Dimensions.at(object.Path), "t");
  }
  return text;
}

std::vector<Alternative> PlainDescriber::OtherOrders(
  const Object& object, const std::string& order) const
{
  const Object* const stored = this->File.Find(object.Path);
  const Shape& shape = stored->Shape;
  std::vector<std::string> orders;
  // x, y and z the other way round.
  std::string reversed = order, spatial;
  std::copy_if(order.begin(), order.end(), std::back_inserter(spatial),
    [](char letter) { return letter != 'c' && letter != 't'; });
  for (char& letter : reversed)
  {
    if (letter != 'c' && letter != 't')
    {
      letter = spatial.back();
      spatial.pop_back();
    }
  }
  orders.push_back(reversed);
  const bool isPlain = order.find_first_of("ct") == std::string::npos;
  const std::string fewer = isPlain ? order.substr(1) : "";
  if (!fewer.empty() && shape.back() <= MostComponents)
  {
    orders.push_back(fewer + "c");
  }
  if (fewer.size() > 1 && shape.front() <= MostComponents)
  {
    orders.push_back("c" + fewer);
  }
  const bool grows = !stored->Most.empty() && stored->Most[0] == H5S_UNLIMITED;
  if (!fewer.empty() && (grows || !TimesAlongFirst(this->File.Objects(), *stored).empty()))
  {
    orders.push_back("t" + fewer);
  }
  std::vector<Alternative> others;
  for (const std::string& other : orders)
  {
    if (other != order)
    {
      others.push_back({ Setting::AxisOrder, other, other });
    }
  }
  return others;
}

std::vector<Alternative> PlainDescriber::OtherComponents(const Object& object) const
{
  const std::string steps = this->Time.Has(object.Path) ? "t" : "";
  std::vector<Alternative> others;
  if (steps.size() + object.Shape.size() == 4)
  {
    others.push_back({ Setting::AxisOrder, "tzyx", "tzyx" });
  }
  if (object.Shape.size() == 4 && object.Shape.front() <= MostComponents)
  {
    others.push_back({ Setting::AxisOrder, steps + "czyx", steps + "czyx" });
  }
  return others;
}

PlainAxes PlainDescriber::AxesOf(const Shape& shape, const Object& object) const
{
  PlainAxes axes;
  axes.Are = { SpatialRoles.rend() - static_cast<std::ptrdiff_t>(shape.size()),
    SpatialRoles.rend() };
  const AxisOrder order = this->OrderOf(object);
  std::vector<Role> said;
  for (const auto& letter : order)
  {
    if (IsSpatial(RoleOf(letter.Is)))
    {
      said.push_back(RoleOf(letter.Is));
    }
  }
  axes.Known = this->Choice.Order.empty() && !this->LabelledOrder(object).empty();
  axes.Are = axes.Known ? said : axes.Are;
  axes.Wanted = said.empty() ? axes.Are : said;
  axes.Others = this->OtherOrders(object, this->OrderText(object, this->RolesOf(object, axes.Are)));
  return axes;
}

std::vector<Role> PlainDescriber::RolesOf(
  const Object& object, const std::vector<Role>& along) const
{
  // Dimensions that the grid does not have are components.
  std::vector<Role> all(object.Shape.size(), Role::Component);
  const auto places = PlacesOf(object, this->OrderOf(object));
  for (std::size_t axis = 0, next = 0; axis < all.size(); ++axis)
  {
    all[axis] = places[axis] ? along.at(next++) : Role::Component;
  }
  return all;
}

Shape PlainDescriber::ShapeOf(const Object& object) const
{
  return GridShape(object, this->OrderOf(object));
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
  const std::string shape = ShapeText(this->ShapeOf(*largest));
  const std::string values = fmt::format(
    "its largest dataset has {} {}", shape, largest->Elements() == 1 ? "value" : "values");
  const bool free = this->Choice.Order.empty();
  if (free && IsColumn(*largest))
  {
    const auto all = FindPointColumns(this->Columns);
    const auto axes = std::find_if(all.begin(), all.end(),
      [&](const PointColumns& one) { return one.front().Shape[0] == largest->Shape[0]; });
    if (axes != all.end())
    {
      this->AsPoints(all, fmt::format("{}, and {} gives coordinates", values, axes->front().Path));
      return;
    }
  }
  if (free && largest->Shape.size() == 1)
  {
    this->Result.Assume(Setting::Kind, "Table (datasets with one dimension)", { AsImageInstead });
    this->AsTable(fmt::format("{} in one dimension", values));
    return;
  }
  if (free && IsColumn(*largest) && largest->Shape[0] > largest->Shape[1])
  {
    this->Result.Assume(Setting::Kind,
      fmt::format("Image ({} may be columns of a table)", largest->Path), { AsTableInstead });
  }
  this->AsImages(fmt::format("its largest dataset is a {} grid", shape));
}

void PlainDescriber::AsTable(const std::string& rule)
{
  this->Result.SetFormat("table", rule);
  const auto columns = this->LongColumns();
  Part part{ "table", Rows{ columns.front().Shape[0] } };
  this->AddColumns(part, columns, "/");
  this->Why = fmt::format("the columns ({} rows)", columns.front().Shape[0]);
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
      InsertStep(on.At.back(), this->Time, this->Result.Step());
      this->Result.Use(axis.Path);
    }
    // If there are several columns, each gives one coordinate.
    for (Source& source : on.At)
    {
      if (on.At.size() > 1 && source.Dimensions.back().Is == Role::Component)
      {
        source.Dimensions.back() = { Role::Fixed, 0 };
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
    const std::string which = fmt::format("Point coordinates = {}", fmt::join(NamesOf(axes), ", "));
    if (this->IsNamed())
    {
      this->Result.SetBy(Setting::Columns, which);
    }
    else
    {
      this->Result.Assume(Setting::Columns, which, { AsTableInstead });
    }
  }
  this->Why = "the points";
}

void PlainDescriber::AsImages(const std::string& rule)
{
  this->Result.SetFormat("image", rule);
  if (!this->Choice.GridCoordinates)
  {
    this->Result.SetBy(Setting::GridCoordinates, "Grid coordinates are indices");
  }
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
  this->Why = fmt::format("the grid ({})", ShapeText(shapes.front()));
}

void PlainDescriber::AddGrid(
  const std::string& name, const Shape& shape, const std::vector<Object>& datasets)
{
  PlainGrid grid =
    PlainGeometry(this->File, this->Name, this->Objects, this->Choice.GridCoordinates, this->Result)
      .Of(shape, datasets, this->AxesOf(shape, datasets.front()));
  Part part{ name, std::move(grid.Placed.On) };
  for (const Object& object : datasets)
  {
    const auto all = this->RolesOf(object, grid.Roles);
    const bool isGuess = this->Choice.Order.empty() && this->LabelledOrder(object).empty();
    const bool isVector = object.Shape.size() > shape.size();
    if (isGuess && isVector && object.Shape.size() == 4)
    {
      this->Result.Assume(
        Setting::AxisOrder, "Last dimension = vector components", this->OtherComponents(object));
    }
    else if (isGuess && isVector)
    {
      this->Result.Assume(Setting::AxisOrder,
        fmt::format("Last dimension of {} = components", object.Path),
        this->OtherComponents(object));
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
  Source stored = source;
  InsertStep(stored, this->Time, this->Result.Step());
  for (Array& array : ArraysOf(*this->File.Find(object.Path), name, on, stored))
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
        ? fmt::format("its type is not numeric ({})", object.Type)
        : object.Elements() == 0 ? "it is empty"
        : object.Shape.empty()   ? "it is a single value"
        : this->Time.Steps > 0 && object.Shape == Shape{ this->Time.Steps }
        ? "it has one value per step, not per point"
        : fmt::format("size {} does not match {}", ShapeText(object.Shape), this->Why);
    });
}
}

Description DescribePlain(const Asked& asked, const PlainChoice& choice)
{
  return PlainDescriber(asked, choice).Describe();
}

}
