// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/XdmfGrid.h"

#include "Base/Error.h"
#include "Describe/Text.h"
#include "Describe/XdmfItem.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace dsm::describe
{

namespace
{
/// A type of cells: VTK's number, and points per cell (0: the text says).
struct CellType
{
  int Vtk = 0;
  std::uint64_t Points = 0;
};

const std::map<std::string, CellType>& CellTypes()
{
  // As XDMF names them, and short forms that people write.
  static const std::map<std::string, CellType> types = { { "polyvertex", { 1, 1 } },
    { "polyline", { 4, 0 } }, { "polygon", { 7, 0 } }, { "triangle", { 5, 3 } },
    { "quadrilateral", { 9, 4 } }, { "tetrahedron", { 10, 4 } }, { "pyramid", { 14, 5 } },
    { "wedge", { 13, 6 } }, { "hexahedron", { 12, 8 } }, { "edge_3", { 21, 3 } },
    { "triangle_6", { 22, 6 } }, { "quadrilateral_8", { 23, 8 } }, { "quadrilateral_9", { 28, 9 } },
    { "tetrahedron_10", { 24, 10 } }, { "pyramid_13", { 27, 13 } }, { "wedge_15", { 26, 15 } },
    { "wedge_18", { 32, 18 } }, { "hexahedron_20", { 25, 20 } }, { "hexahedron_24", { 33, 24 } },
    { "hexahedron_27", { 29, 27 } } };
  return types;
}

std::string WithoutShortForm(std::string type)
{
  const std::array<std::array<const char*, 2>, 5> forms = { { { "tri", "triangle" },
    { "quad", "quadrilateral" }, { "tet", "tetrahedron" }, { "hex", "hexahedron" },
    { "edge", "edge" } } };
  const auto end = std::min(type.find('_'), type.size());
  for (const auto& [brief, full] : forms)
  {
    if (type.substr(0, end) == brief)
    {
      return full + type.substr(end);
    }
  }
  return type;
}

// "3DCoRectMesh" and the others: 3, 2, or 0 for all else.
std::size_t StructuredRank(const std::string& type)
{
  const bool mesh = type.size() > 6 && type.substr(1) != "dmesh" &&
    (type.substr(1) == "dsmesh" || type.substr(1) == "drectmesh" ||
      type.substr(1) == "dcorectmesh");
  return mesh && (type[0] == '2' || type[0] == '3') ? static_cast<std::size_t>(type[0] - '0') : 0;
}

/// Makes a part of one Grid.
class PartMaker
{
public:
  PartMaker(
    const XmlElement& grid, const XdmfNames& names, const NamedData& data, Description& about);
  Part Make();

private:
  const XmlElement& Only(const std::string& name) const;

  // "TopologyType" or just "Type".
  static const std::string& Either(const XmlElement& element, const std::string& name);
  XdmfItem Item(const XmlElement& element) const;

  // The DataItems of an element, which has to have that many.
  std::vector<XdmfItem> Items(const XmlElement& element, std::size_t count) const;
  std::vector<std::uint64_t> TopologyCounts() const;
  void MakeStructured(std::size_t rank);
  void MakeUniform(const PerAxis& points, std::size_t rank);
  void MakeRectilinear(const PerAxis& points, std::size_t rank);

  // Coordinates for each point.
  Coordinates Points(const std::string& type, const XdmfLayout& layout) const;

  // How many points the geometry of an unstructured grid has.
  std::uint64_t CountPoints(const std::string& type) const;
  void MakeUnstructured();
  void MakeSameCells(CellType type, const XdmfItem& list, const std::vector<std::uint64_t>& counts,
    Unstructured& grid) const;
  std::vector<int> Order(std::uint64_t points) const;
  void AddAttribute(const XmlElement& attribute);
  Array ArrayOf(const XmlElement& attribute) const;
  void Lay(const XdmfItem& item, const std::string& type, Array& made) const;

  // Reverses arrays on axes whose coordinates descend.
  void TurnDescending();
  static void Turn(Source& source, Role role);

  const XmlElement& Grid;
  const XdmfNames& Names;
  const NamedData& Data;
  Description& About;
  const XmlElement* Topology = nullptr;
  const XmlElement* Geometry = nullptr;
  std::string Type;
  XdmfLayout PointLayout, CellLayout;
  std::array<bool, 3> Descends{};
  Part Made;
};

PartMaker::PartMaker(
  const XmlElement& grid, const XdmfNames& names, const NamedData& data, Description& about)
  : Grid(grid)
  , Names(names)
  , Data(data)
  , About(about)
{
}

Part PartMaker::Make()
{
  this->Made.Name = this->Grid["name"];
  this->Topology = &this->Only("topology");
  this->Type = WithoutShortForm(LowerCase(this->Either(*this->Topology, "topologytype")));
  const auto geometries = XdmfChildren(this->Grid, "geometry");
  if (geometries.size() > 1)
  {
    throw Error(Fault::Usage, "{} has {} Geometries", this->Grid.Told(), geometries.size());
  }
  this->Geometry = geometries.empty() ? nullptr : geometries.front();
  if (const auto rank = StructuredRank(this->Type))
  {
    this->MakeStructured(rank);
  }
  else
  {
    this->MakeUnstructured();
  }
  for (const XmlElement* attribute : XdmfChildren(this->Grid, "attribute"))
  {
    this->AddAttribute(*attribute);
  }
  for (const XmlElement* set : XdmfChildren(this->Grid, "set"))
  {
    this->About.Left.push_back({ set->Told(), "sets of cells or points are not shown" });
  }
  this->TurnDescending();
  return std::move(this->Made);
}

const XmlElement& PartMaker::Only(const std::string& name) const
{
  const auto found = XdmfChildren(this->Grid, name);
  if (found.size() != 1)
  {
    throw Error(
      Fault::Usage, "{} has {} elements {}, and needs one", this->Grid.Told(), found.size(), name);
  }
  return *found.front();
}

const std::string& PartMaker::Either(const XmlElement& element, const std::string& name)
{
  return element[name].empty() ? element["type"] : element[name];
}

XdmfItem PartMaker::Item(const XmlElement& element) const
{
  return { element, this->Names, this->Data };
}

std::vector<XdmfItem> PartMaker::Items(const XmlElement& element, std::size_t count) const
{
  const auto found = XdmfChildren(element, "dataitem");
  if (found.size() != count)
  {
    throw Error(Fault::Usage, "{}: {} has {} DataItems, and needs {}", this->Grid.Told(),
      element.Told(), found.size(), count);
  }
  std::vector<XdmfItem> items;
  items.reserve(count);
  for (const XmlElement* one : found)
  {
    items.push_back(this->Item(*one));
  }
  return items;
}

std::vector<std::uint64_t> PartMaker::TopologyCounts() const
{
  const XmlElement& topology = *this->Topology;
  return XdmfCounts(topology,
    topology["dimensions"].empty() ? topology["numberofelements"] : topology["dimensions"]);
}

void PartMaker::MakeStructured(std::size_t rank)
{
  auto counts = this->TopologyCounts();
  while (counts.size() > rank && counts.front() == 1)
  {
    counts.erase(counts.begin());
  }
  if (counts.size() != rank || XdmfProduct(*this->Topology, counts) == 0)
  {
    throw Error(Fault::Usage, "{}: a {} needs {} Dimensions, which are not 0", this->Grid.Told(),
      Either(*this->Topology, "topologytype"), rank);
  }
  PerAxis points{ 1, 1, 1 };
  for (std::size_t axis = 0; axis < rank; ++axis)
  {
    points[axis] = counts[rank - 1 - axis];
  }
  for (std::size_t axis = 3; axis-- > 0;)
  {
    const auto role = SpatialRoles.at(axis);
    this->PointLayout.emplace_back(role, points[axis]);
    this->CellLayout.emplace_back(role, std::max<std::uint64_t>(points[axis], 2) - 1);
  }
  const std::string type =
    this->Geometry ? LowerCase(Either(*this->Geometry, "geometrytype")) : std::string("none");
  if (type == "origin_dxdydz" || type == "origin_dxdy")
  {
    this->MakeUniform(points, type == "origin_dxdy" ? 2 : 3);
  }
  else if (type == "none" && this->Type.find("corect") != std::string::npos)
  {
    this->Made.On = Uniform{ points };
    this->About.Guessed.push_back(
      fmt::format("{}: the points begin at 0 and have the distance 1", this->Grid.Told()));
  }
  else if (type == "vxvyvz" || type == "vxvy")
  {
    this->MakeRectilinear(points, type == "vxvy" ? 2 : 3);
  }
  else
  {
    this->Made.On = Curvilinear{ points, this->Points(type, this->PointLayout) };
  }
}

void PartMaker::MakeUniform(const PerAxis& points, std::size_t rank)
{
  Uniform grid{ points };
  const auto items = this->Items(*this->Geometry, 2);
  const auto origin = items[0].Numbers(this->Data), spacing = items[1].Numbers(this->Data);
  if (origin.size() != rank || spacing.size() != rank)
  {
    throw Error(Fault::Usage, "{}: {} needs {} numbers for the origin and {} for the spacing",
      this->Grid.Told(), this->Geometry->Told(), rank, rank);
  }
  for (std::size_t axis = 0; axis < rank; ++axis)
  {
    // z first, as all of XDMF's dimensions.
    grid.Origin[axis] = origin[rank - 1 - axis];
    grid.Spacing[axis] = spacing[rank - 1 - axis];
  }
  this->Made.On = grid;
}

void PartMaker::MakeRectilinear(const PerAxis& points, std::size_t rank)
{
  Rectilinear grid{ points, {} };
  const auto items = this->Items(*this->Geometry, rank);
  for (std::size_t axis = 0; axis < 3; ++axis)
  {
    if (axis >= rank)
    {
      grid.Axes[axis] = Source{ Constant{ 0 } };
      continue;
    }
    const auto role = SpatialRoles.at(axis);
    const XdmfLayout layout{ { role, points[axis] } };
    if (items[axis].ComponentsOn(layout) != 1)
    {
      throw Error(Fault::Usage, "{}: {} has {} coordinates along {}, and the topology {}",
        this->Grid.Told(), this->Geometry->Told(), items[axis].Count(), "xyz"[axis], points[axis]);
    }
    grid.Axes[axis] = items[axis].On(layout, 1, this->About.Guessed).front();
    const auto numbers = items[axis].Numbers(this->Data);
    this->Descends[axis] = numbers.size() > 1 && numbers.back() < numbers.front();
  }
  this->Made.On = grid;
}

Coordinates PartMaker::Points(const std::string& type, const XdmfLayout& layout) const
{
  Coordinates points;
  const bool separate = type == "x_y_z" || type == "x_y";
  if (!separate && !type.empty() && type != "xyz" && type != "xy")
  {
    throw Error(this->Geometry ? Fault::Unsupported : Fault::Usage,
      "{}: points that are given by the Geometry {} on the Topology {} are not supported",
      this->Grid.Told(),
      this->Geometry ? Either(*this->Geometry, "geometrytype") : "that is missing",
      Either(*this->Topology, "topologytype"));
  }
  const std::uint64_t axes = type == "xy" || type == "x_y" ? 2 : 3;
  for (const XdmfItem& item : this->Items(*this->Geometry, separate ? axes : 1))
  {
    const std::uint64_t components = separate ? 1 : axes;
    if (item.ComponentsOn(layout) != components)
    {
      throw Error(Fault::Usage, "{}: {} has {} numbers, which are not {} for each point",
        this->Grid.Told(), this->Geometry->Told(), item.Count(), components);
    }
    for (Source& source : item.On(layout, components, this->About.Guessed))
    {
      points.push_back(std::move(source));
    }
  }
  return points;
}

std::uint64_t PartMaker::CountPoints(const std::string& type) const
{
  const auto items =
    this->Geometry ? XdmfChildren(*this->Geometry, "dataitem") : std::vector<const XmlElement*>();
  if (items.empty())
  {
    throw Error(Fault::Usage, "{} has no Geometry with DataItems", this->Grid.Told());
  }
  const auto count = this->Item(*items.front()).Count();
  const std::uint64_t axes = type == "x_y_z" || type == "x_y" ? 1 : type == "xy" ? 2 : 3;
  if (count % axes != 0)
  {
    throw Error(Fault::Usage, "{}: {} has {} numbers, which are not {} for each point",
      this->Grid.Told(), this->Geometry->Told(), count, axes);
  }
  return count / axes;
}

void PartMaker::MakeUnstructured()
{
  const XmlElement& topology = *this->Topology;
  const std::string geometry =
    this->Geometry ? LowerCase(Either(*this->Geometry, "geometrytype")) : std::string("none");
  const std::uint64_t points = this->CountPoints(geometry);
  this->PointLayout = { { Role::Index, points } };
  Coordinates at = this->Points(geometry, this->PointLayout);
  const auto found = CellTypes().find(this->Type);
  const bool mixed = this->Type == "mixed";
  if (found == CellTypes().end() && !mixed)
  {
    throw Error(Fault::Unsupported, "{}: cells of the type \"{}\" are not supported",
      this->Grid.Told(), Either(topology, "topologytype"));
  }
  const auto items = XdmfChildren(topology, "dataitem");
  if (items.empty() && this->Type == "polyvertex")
  {
    this->Made.On = Vertices{ points, std::move(at) };
    this->CellLayout = this->PointLayout;
    return;
  }
  Unstructured grid;
  grid.Points = points;
  grid.At = std::move(at);
  const auto counts = this->TopologyCounts();
  const XdmfItem list = this->Items(topology, 1).front();
  if (mixed)
  {
    if (counts.empty())
    {
      throw Error(Fault::Usage, "{} does not say the NumberOfElements", topology.Told());
    }
    grid.Cells = XdmfProduct(topology, counts);
    const XdmfLayout layout{ { Role::Index, list.Count() } };
    grid.By = MixedCells{ list.Count(), list.On(layout, 1, this->About.Guessed).front() };
    if (grid.Cells > list.Count())
    {
      throw Error(Fault::Usage, "{} says {} cells, and has {} numbers for them", topology.Told(),
        grid.Cells, list.Count());
    }
  }
  else
  {
    this->MakeSameCells(found->second, list, counts, grid);
  }
  if (const std::string& base = topology["baseoffset"]; !base.empty())
  {
    const auto first = AsNumber(base);
    if (!first || *first < -1e9 || *first > 1e9)
    {
      throw Error(Fault::Usage, "{} has the BaseOffset \"{}\"", topology.Told(), base);
    }
    grid.FirstPoint += static_cast<std::int64_t>(*first);
  }
  this->CellLayout = { { Role::Index, grid.Cells } };
  this->Made.On = std::move(grid);
}

void PartMaker::MakeSameCells(CellType type, const XdmfItem& list,
  const std::vector<std::uint64_t>& counts, Unstructured& grid) const
{
  const XmlElement& topology = *this->Topology;
  if (type.Points <= 1)
  {
    // The text says how many, or the shape of the list does.
    const auto said = XdmfCounts(topology, topology["nodesperelement"]);
    const auto& shape = list.Shape();
    const std::uint64_t fromShape = shape.size() == 2 ? shape[1] : type.Points;
    type.Points = said.empty() ? fromShape : said.front();
    type.Vtk = this->Type == "polyline" && type.Points == 2 ? 3 : type.Vtk;
    type.Vtk = this->Type == "polyvertex" && type.Points > 1 ? 2 : type.Vtk;
  }
  if (type.Points == 0 || list.Count() % type.Points != 0)
  {
    throw Error(Fault::Usage, "{} has {} numbers for cells of {} points", topology.Told(),
      list.Count(), type.Points);
  }
  grid.Cells = list.Count() / type.Points;
  if (!counts.empty() && XdmfProduct(topology, counts) != grid.Cells)
  {
    // Some write the list's dimensions.
    if (XdmfProduct(topology, counts) != list.Count())
    {
      throw Error(Fault::Usage, "{} says {} cells, and has {} numbers for cells of {} points",
        topology.Told(), XdmfProduct(topology, counts), list.Count(), type.Points);
    }
  }
  // "$0 - 1" says the same as a BaseOffset.
  SameCells cells{ type.Vtk, type.Points, {}, this->Order(type.Points) };
  cells.Connectivity =
    list.On({ { Role::Index, grid.Cells } }, type.Points, this->About.Guessed).front();
  Source& numbers = cells.Connectivity;
  if (numbers.Scale == 1 && std::floor(numbers.Offset) == numbers.Offset &&
    std::abs(numbers.Offset) < 1e9)
  {
    grid.FirstPoint = -static_cast<std::int64_t>(numbers.Offset);
    numbers.Offset = 0;
  }
  grid.By = std::move(cells);
}

std::vector<int> PartMaker::Order(std::uint64_t points) const
{
  const auto said = XdmfCounts(*this->Topology, (*this->Topology)["order"]);
  std::vector<int> order;
  std::vector<bool> seen(said.size(), false);
  for (const std::uint64_t one : said)
  {
    if (said.size() != points || one >= points || seen[one])
    {
      throw Error(Fault::Usage, "{} has the Order \"{}\", which is no order of {} points",
        this->Topology->Told(), (*this->Topology)["order"], points);
    }
    seen[one] = true;
    order.push_back(static_cast<int>(one));
  }
  return std::is_sorted(order.begin(), order.end()) ? std::vector<int>() : order;
}

void PartMaker::AddAttribute(const XmlElement& attribute)
{
  try
  {
    this->Made.Arrays.push_back(this->ArrayOf(attribute));
  }
  catch (const Error& error)
  {
    if (error.GetFault() != Fault::Unsupported)
    {
      throw Error(error.GetFault(), "{}: {}", this->Grid.Told(), error.what());
    }
    this->About.Left.push_back({ attribute.Told(), error.what() });
  }
}

Array PartMaker::ArrayOf(const XmlElement& attribute) const
{
  const std::string type = LowerCase(Either(attribute, "attributetype"));
  const std::string centre = LowerCase(attribute["center"]);
  if (!attribute["itemtype"].empty())
  {
    throw Error(
      Fault::Unsupported, "attributes of the ItemType {} are not supported", attribute["itemtype"]);
  }
  Array made;
  made.Name = attribute["name"];
  if (centre == "cell" && !std::holds_alternative<Vertices>(this->Made.On))
  {
    made.On = Centring::Cell;
  }
  else if (centre == "grid")
  {
    made.On = Centring::Field;
  }
  else if (!centre.empty() && centre != "node" && centre != "cell")
  {
    throw Error(Fault::Unsupported, "attributes at each {} are not supported", attribute["center"]);
  }
  const auto item = this->Items(attribute, 1).front();
  made.Name = made.Name.empty() ? "unnamed" : made.Name;
  if (std::any_of(this->Made.Arrays.begin(), this->Made.Arrays.end(),
        [&](const Array& one) { return one.Name == made.Name && one.On == made.On; }))
  {
    throw Error(Fault::Unsupported, "an attribute before it has the same name");
  }
  this->Lay(item, type, made);
  made.Units = attribute["units"].empty() ? attribute["unit"] : attribute["units"];
  return made;
}

void PartMaker::Lay(const XdmfItem& item, const std::string& type, Array& made) const
{
  static const std::map<std::string, std::vector<std::uint64_t>> usual = { { "", { 1 } },
    { "scalar", { 1 } }, { "globalid", { 1 } }, { "id", { 1 } }, { "vector", { 3, 2 } },
    { "tensor", { 9, 4 } }, { "tensor6", { 6 } } };
  const auto expected = usual.find(type);
  XdmfLayout layout = made.On == Centring::Cell ? this->CellLayout : this->PointLayout;
  if (made.On == Centring::Field)
  {
    const auto count = item.Count();
    const std::uint64_t components =
      expected != usual.end() && count % expected->second.front() == 0 ? expected->second.front()
                                                                       : 1;
    layout = { { Role::Index, count / components } };
  }
  const auto components = item.ComponentsOn(layout);
  if (expected != usual.end() &&
    std::find(expected->second.begin(), expected->second.end(), components) ==
      expected->second.end())
  {
    this->About.Guessed.push_back(fmt::format("{}: {} has {} components, which is not usual for {}",
      this->Grid.Told(), made.Name, components, type.empty() ? "scalar" : type));
  }
  made.Sources = item.On(layout, components, this->About.Guessed);
  if (type == "tensor6" && components == 6)
  {
    made.ComponentNames = { "XX", "XY", "XZ", "YY", "YZ", "ZZ" };
  }
}

void PartMaker::TurnDescending()
{
  auto* grid = std::get_if<Rectilinear>(&this->Made.On);
  for (std::size_t axis = 0; grid && axis < 3; ++axis)
  {
    if (!this->Descends[axis])
    {
      continue;
    }
    const auto role = SpatialRoles.at(axis);
    Turn(grid->Axes[axis], role);
    for (Array& array : this->Made.Arrays)
    {
      for (Source& source : array.Sources)
      {
        Turn(source, role);
      }
    }
  }
}

void PartMaker::Turn(Source& source, Role role)
{
  for (Dimension& dimension : source.Dimensions)
  {
    dimension.Reversed = dimension.Reversed != (dimension.Is == role);
  }
  for (Source& added : source.Added)
  {
    Turn(added, role);
  }
}
}

Part XdmfPart(
  const XmlElement& grid, const XdmfNames& names, const NamedData& data, Description& about)
{
  return PartMaker(grid, names, data, about).Make();
}

}
