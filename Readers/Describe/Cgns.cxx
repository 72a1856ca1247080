// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/Cgns.h"

#include "Base/Error.h"
#include "Describe/DescriptionBuilder.h"
#include "Describe/ElementOrder.h"
#include "Describe/ObjectSources.h"
#include "Describe/RecipeValues.h"
#include "Describe/Text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace dsm::describe
{

namespace
{
using Shape = std::vector<hsize_t>;

/// A type of elements, by CGNS' number of it.
struct ElementType
{
  int Vtk = 0;
  std::uint64_t Points = 0;
  std::uint64_t Dimensions = 0;
};

const std::map<std::uint64_t, ElementType>& ElementTypes()
{
  static const std::map<std::uint64_t, ElementType> types = { { 2, { 1, 1, 0 } },
    { 3, { 3, 2, 1 } }, { 4, { 21, 3, 1 } }, { 5, { 5, 3, 2 } }, { 6, { 22, 6, 2 } },
    { 7, { 9, 4, 2 } }, { 8, { 23, 8, 2 } }, { 9, { 28, 9, 2 } }, { 10, { 10, 4, 3 } },
    { 11, { 24, 10, 3 } }, { 12, { 14, 5, 3 } }, { 14, { 13, 6, 3 } }, { 15, { 26, 15, 3 } },
    { 16, { 32, 18, 3 } }, { 17, { 12, 8, 3 } }, { 18, { 25, 20, 3 } }, { 19, { 29, 27, 3 } },
    { 21, { 27, 13, 3 } } };
  return types;
}

std::vector<int> OrderOf(int type)
{
  if (type == 29)
  {
    // Then the middles of the bottom, the front and so on around, the top, and the cell.
    auto order = FromBottomUp(25);
    order.insert(order.end(), { 24, 22, 21, 23, 20, 25, 26 });
    return order;
  }
  return FromBottomUp(type);
}

/// A group of the file, which CGNS calls a node.
struct Node
{
  std::string Path;
  std::string Name;
  std::string Label;

  std::string Data() const;
};

std::string Node::Data() const
{
  return this->Path + "/ data";
}

/// A section of the elements of a zone.
struct Section
{
  Node At;
  std::uint64_t Type = 0;
  std::uint64_t First = 0; ///< number of the first element, counted from 1
  std::uint64_t Count = 0;
};

class CgnsFile
{
public:
  explicit CgnsFile(const Asked& asked);
  Description Describe();

private:
  std::vector<Node> Members(const std::string& path, const std::string& label) const;
  std::optional<Node> Member(const std::string& path, const std::string& label) const;

  // Returns the text of a node. The file stores its letters as small numbers.
  std::string Text(const Node& node) const;

  template <typename Action>
  void Try(const Node& node, const Action& action);
  void SetTime(const Node& base);

  // Returns the name for the chosen step from a list with one for each (FlowSolutionPointers).
  std::optional<std::string> PointedTo(const Node& zone, const std::string& list) const;
  void AddZone(const Node& zone);
  std::vector<hdf5::Object> Coordinates(const Node& zone) const;
  void AddStructured(const Node& zone, const std::vector<hdf5::Object>& coordinates);
  std::optional<Section> SectionOf(const Node& node);
  void AddSections(
    const Node& zone, const std::vector<hdf5::Object>& coordinates, std::uint64_t cellsOfZone);

  // Adds the solutions of a zone: those of the step, if the zone names them, or else all.
  template <typename Fit>
  void AddSolutions(Part& part, const Node& zone, const Fit& fit);

  template <typename Fit>
  void AddArrays(Part& part, const Node& solution, Centring on, const Fit& fit);

  const FileFacts& File;
  RecipeValues Values;
  std::uint64_t CellDimensions = 3;
  DescriptionBuilder Result;
};

CgnsFile::CgnsFile(const Asked& asked)
  : File(asked.File)
  , Values(asked.File)
  , Result(asked)
{
}

Description CgnsFile::Describe()
{
  this->Result.SetFormat("CGNS", "the file says which version of CGNS it is of");
  for (const Node& base : this->Members("", "CGNSBase_t"))
  {
    const auto dimensions = this->Values.Numbers(base.Data());
    this->CellDimensions = dimensions.empty() ? 3 : CountFrom(dimensions[0]);
    this->SetTime(base);
    for (const Node& zone : this->Members(base.Path, "Zone_t"))
    {
      this->Try(zone, [&] { this->AddZone(zone); });
    }
  }
  this->Result.RequireParts("is a CGNS file, and none of its zones can be shown", "it has none");
  return this->Result.Finish();
}

std::vector<Node> CgnsFile::Members(const std::string& path, const std::string& label) const
{
  std::vector<Node> found;
  for (const std::string& name : this->File.MembersOf(path.empty() ? "/" : path))
  {
    Node node{ fmt::format("{}/{}", path, name), name, {} };
    if (this->File.WhatIs(node.Path) == hdf5::Thing::Group)
    {
      node.Label = Trimmed(this->File.Text(node.Path, "label"));
      if (node.Label == label)
      {
        found.push_back(std::move(node));
      }
    }
  }
  return found;
}

std::optional<Node> CgnsFile::Member(const std::string& path, const std::string& label) const
{
  auto found = this->Members(path, label);
  return found.empty() ? std::nullopt : std::optional(std::move(found.front()));
}

std::string CgnsFile::Text(const Node& node) const
{
  std::string text;
  for (const double letter : this->Values.Numbers(node.Data()))
  {
    text += letter >= 0 && letter < 128 ? static_cast<char>(letter) : '?';
  }
  return Trimmed(text);
}

template <typename Action>
void CgnsFile::Try(const Node& node, const Action& action)
{
  try
  {
    action();
  }
  catch (const Error& error)
  {
    this->Result.LeaveOut(node.Path, error.what());
  }
}

void CgnsFile::SetTime(const Node& base)
{
  const auto iterative = this->Member(base.Path, "BaseIterativeData_t");
  auto times =
    iterative ? this->Values.Numbers(iterative->Path + "/TimeValues/ data") : std::vector<double>();
  if (!times.empty() && !this->Result.Time())
  {
    this->Result.ChooseStep(times.size());
    this->Result.SetTimes(std::move(times));
  }
}

std::optional<std::string> CgnsFile::PointedTo(const Node& zone, const std::string& list) const
{
  constexpr std::size_t length = 32;
  const auto iterative = this->Member(zone.Path, "ZoneIterativeData_t");
  if (!iterative)
  {
    return std::nullopt;
  }
  std::string all;
  for (const double letter : this->Values.Numbers(iterative->Path + "/" + list + "/ data"))
  {
    all += letter >= 0 && letter < 128 ? static_cast<char>(letter) : '?';
  }
  const std::size_t begin = this->Result.Step() * length;
  return begin + length <= all.size() ? std::optional(Trimmed(all.substr(begin, length)))
                                      : std::nullopt;
}

void CgnsFile::AddZone(const Node& zone)
{
  const auto size = this->Values.Numbers(zone.Data());
  const auto kind = this->Member(zone.Path, "ZoneType_t");
  const auto coordinates = this->Coordinates(zone);
  if (kind && this->Text(*kind) == "Unstructured")
  {
    if (size.size() < 2)
    {
      throw Error(Fault::Unsupported, "it does not say how many vertices and cells it has");
    }
    this->AddSections(zone, coordinates, CountFrom(size[1]));
  }
  else
  {
    this->AddStructured(zone, coordinates);
  }
}

std::vector<hdf5::Object> CgnsFile::Coordinates(const Node& zone) const
{
  const auto named = this->PointedTo(zone, "GridCoordinatesPointers");
  auto grids = this->Members(zone.Path, "GridCoordinates_t");
  const auto chosen = std::find_if(grids.begin(), grids.end(),
    [&](const Node& grid) { return grid.Name == named.value_or("GridCoordinates"); });
  if (grids.empty())
  {
    throw Error(Fault::Unsupported, "it has no coordinates");
  }
  const Node& grid = chosen == grids.end() ? grids.front() : *chosen;
  std::vector<hdf5::Object> found;
  for (const char* name : { "CoordinateX", "CoordinateY", "CoordinateZ" })
  {
    auto data = this->File.ObjectAt(grid.Path + "/" + name + "/ data");
    if (data && data->Numbers && (found.empty() || data->Shape == found.front().Shape))
    {
      found.push_back(std::move(*data));
    }
  }
  if (found.empty() || !found.front().Path.ends_with("CoordinateX/ data"))
  {
    throw Error(Fault::Unsupported, "its coordinates are not x, y and z");
  }
  return found;
}

void CgnsFile::AddStructured(const Node& zone, const std::vector<hdf5::Object>& coordinates)
{
  const Shape& points = coordinates.front().Shape;
  if (points.empty() || points.size() > 3)
  {
    throw Error(Fault::Unsupported, "its coordinates have {} dimensions", points.size());
  }
  Part part;
  part.Name = zone.Name;
  Curvilinear on;
  Shape cells = points;
  for (std::size_t axis = 0; axis < points.size(); ++axis)
  {
    on.Points[points.size() - 1 - axis] = points[axis];
    cells[axis] = std::max<hsize_t>(1, points[axis] - 1);
  }
  for (const hdf5::Object& axis : coordinates)
  {
    on.At.push_back(GridSource(axis));
  }
  part.On = std::move(on);
  this->AddSolutions(part, zone,
    [&](const hdf5::Object& data, Centring on) -> std::optional<Source>
    {
      return data.Shape == (on == Centring::Cell ? cells : points) ? std::optional(GridSource(data))
                                                                   : std::nullopt;
    });
  this->Result.AddPart(std::move(part));
}

std::optional<Section> CgnsFile::SectionOf(const Node& node)
{
  const auto about = this->Values.Numbers(node.Data());
  const auto range = this->Values.Numbers(node.Path + "/ElementRange/ data");
  const auto first = range.size() == 2 ? CountFrom(range[0]) : 0;
  const auto last = range.size() == 2 ? CountFrom(range[1]) : 0;
  if (about.empty() || first == 0 || last < first)
  {
    this->Result.LeaveOut(node.Path, "it does not say which elements it has");
    return std::nullopt;
  }
  Section section{ node, CountFrom(about[0]), first, last - first + 1 };
  const auto type = ElementTypes().find(section.Type);
  if (type == ElementTypes().end())
  {
    this->Result.LeaveOut(node.Path,
      section.Type == 20
        ? "elements of several types in one section are not supported"
        : fmt::format("elements of CGNS' type {} are not supported", section.Type));
    return std::nullopt;
  }
  if (type->second.Dimensions < this->CellDimensions)
  {
    this->Result.LeaveOut(node.Path, "its elements are of the boundary");
    return std::nullopt;
  }
  return section;
}

void CgnsFile::AddSections(
  const Node& zone, const std::vector<hdf5::Object>& coordinates, std::uint64_t cellsOfZone)
{
  std::vector<Section> sections;
  for (const Node& node : this->Members(zone.Path, "Elements_t"))
  {
    if (auto section = this->SectionOf(node))
    {
      sections.push_back(std::move(*section));
    }
  }
  const std::uint64_t points = coordinates.front().Elements();
  for (const Section& section : sections)
  {
    const ElementType& type = ElementTypes().at(section.Type);
    const auto list = this->File.ObjectAt(section.At.Path + "/ElementConnectivity/ data");
    if (!list || !list->Numbers || list->Elements() / type.Points != section.Count)
    {
      this->Result.LeaveOut(section.At.Path, "its list of points has another length");
      continue;
    }
    Part part;
    part.Name = sections.size() == 1 ? zone.Name : zone.Name + " " + section.At.Name;
    Unstructured on{ points, section.Count, {}, {}, 1, true };
    for (const hdf5::Object& axis : coordinates)
    {
      on.At.push_back({ Stored{ axis.Path, {}, {}, 0 }, { { Role::Index, 0, points } } });
    }
    on.By = SameCells{ type.Vtk, type.Points,
      { Stored{ list->Path, {}, {}, 0 },
        { { Role::Index, 0, section.Count }, { Role::Component, 0, type.Points } } },
      OrderOf(type.Vtk) };
    part.On = std::move(on);
    // A dataset on cells has the values of all sections, in the order of the cells' numbers.
    this->AddSolutions(part, zone,
      [&](const hdf5::Object& data, Centring on) -> std::optional<Source>
      {
        const bool fits = data.Shape.size() == 1 &&
          (on == Centring::Cell
              ? data.Shape[0] == cellsOfZone && section.First - 1 + section.Count <= cellsOfZone
              : data.Shape[0] == points);
        const Dimension dimension = on == Centring::Cell
          ? Dimension{ Role::Index, section.First - 1, section.Count }
          : Dimension{ Role::Index, 0, points };
        return fits ? std::optional(Source{ Stored{ data.Path }, { dimension } }) : std::nullopt;
      });
    this->Result.AddPart(std::move(part));
  }
}

template <typename Fit>
void CgnsFile::AddSolutions(Part& part, const Node& zone, const Fit& fit)
{
  std::set<std::string> named;
  for (const char* list :
    { "FlowSolutionPointers", "FlowSolutionVertexPointers", "FlowSolutionCellPointers" })
  {
    named.insert(this->PointedTo(zone, list).value_or(""));
  }
  const auto solutions = this->Members(zone.Path, "FlowSolution_t");
  const bool isThere = std::any_of(solutions.begin(), solutions.end(),
    [&](const Node& solution) { return named.count(solution.Name) > 0; });
  for (const Node& solution : solutions)
  {
    const auto location = this->Member(solution.Path, "GridLocation_t");
    const std::string where = location ? this->Text(*location) : "Vertex";
    const Centring on = where == "CellCenter" ? Centring::Cell : Centring::Point;
    if (isThere && named.count(solution.Name) == 0)
    {
      continue;
    }
    if (where != "CellCenter" && where != "Vertex")
    {
      this->Result.LeaveOut(solution.Path, fmt::format("it lies on {}", where));
      continue;
    }
    this->AddArrays(part, solution, on, fit);
  }
}

template <typename Fit>
void CgnsFile::AddArrays(Part& part, const Node& solution, Centring on, const Fit& fit)
{
  std::vector<std::pair<std::string, Source>> named;
  for (const Node& array : this->Members(solution.Path, "DataArray_t"))
  {
    const auto data = this->File.ObjectAt(array.Data());
    const auto source = data && data->Numbers ? fit(*data, on) : std::nullopt;
    if (!source)
    {
      this->Result.LeaveOut(array.Path,
        data ? fmt::format("it has {} values, which do not fit {}", data->ShapeText(), part.Name)
             : "it has no values");
      continue;
    }
    named.emplace_back(array.Name, *source);
  }
  for (const std::string& taken : AddJoined(part, on, named))
  {
    this->Result.LeaveOut(
      solution.Path, fmt::format("{} is there already, of another solution", taken));
  }
}
}

std::optional<Description> RecogniseCgns(const Asked& asked)
{
  const bool isCgns =
    Trimmed(asked.File.Text("/CGNSLibraryVersion", "label")) == "CGNSLibraryVersion_t";
  if (!isCgns)
  {
    return std::nullopt;
  }
  return CgnsFile(asked).Describe();
}

}
