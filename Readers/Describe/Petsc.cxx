// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/Petsc.h"

#include "Describe/AxisValues.h"
#include "Describe/DescriptionBuilder.h"
#include "Describe/ObjectSources.h"

#include <algorithm>
#include <map>

namespace dsm::describe
{

using hdf5::Object;

namespace
{
// Returns VTK's number of a cell with so many dimensions and corners, or 0.
int CellType(std::uint64_t dimensions, std::uint64_t corners)
{
  static const std::map<std::pair<std::uint64_t, std::uint64_t>, int> types = { { { 1, 2 }, 3 },
    { { 2, 3 }, 5 }, { { 2, 4 }, 9 }, { { 3, 4 }, 10 }, { { 3, 5 }, 14 }, { { 3, 6 }, 13 },
    { { 3, 8 }, 12 } };
  const auto found = types.find({ dimensions, corners });
  return found == types.end() ? 0 : found->second;
}

// The shape of a dataset without its steps.
struct Stepped
{
  const Object* Dataset = nullptr;
  bool HasSteps = false;
  std::vector<hsize_t> Shape;
};

class PetscFile
{
public:
  explicit PetscFile(const Asked& asked);
  std::optional<Description> Describe();

private:
  // Returns the dataset if it has numbers in so many dimensions, or nullptr.
  const Object* Find(const std::string& path, std::size_t rank) const;

  // The first dimension is of steps if the attribute "timestepping" says so.
  Stepped Split(const Object& object) const;

  // Returns a source with these roles for the dimensions behind that of the steps.
  Source SourceOf(const Stepped& field, const std::vector<Role>& roles);
  void AddMesh(const Object& vertices);
  void AddCells(const Object& vertices, const std::string& group, const std::string& name);
  void AddFields(Part& part, const std::string& folder, std::optional<Centring> on);
  void AddVectors();

  // Returns the points of a grid for a vector of this shape.
  Geometry GridOf(const std::vector<hsize_t>& shape);
  void SetTimes();

  const FileFacts& File;
  std::size_t Steps = 0;
  DescriptionBuilder Result;
};

PetscFile::PetscFile(const Asked& asked)
  : File(asked.File)
  , Result(asked)
{
}

std::optional<Description> PetscFile::Describe()
{
  const auto& objects = this->File.Objects();
  const Object* vertices = this->Find("/viz/geometry/vertices", 2);
  vertices = vertices ? vertices : this->Find("/geometry/vertices", 2);
  const bool isMesh = vertices &&
    (this->File.Find("/topology/cones") || this->File.Has("/topology/cells", "cell_dim") ||
      this->File.Has("/viz/topology/cells", "cell_dim"));
  const bool hasVectors = std::any_of(objects.begin(), objects.end(),
    [&](const Object& one) { return one.Folder() == "/" && this->Split(one).HasSteps; });
  if (!isMesh && !hasVectors)
  {
    return std::nullopt;
  }
  this->Result.SetFormat("PETSc",
    isMesh ? "the file has the mesh of a DMPlex of PETSc"
           : "the file has vectors of PETSc in time");
  for (const Object& object : objects)
  {
    if (const Stepped one = this->Split(object); one.HasSteps)
    {
      this->Steps = std::max<std::size_t>(this->Steps, one.Dataset->Shape[0]);
    }
  }
  this->Result.ChooseStep(this->Steps);
  if (isMesh)
  {
    this->AddMesh(*vertices);
  }
  else
  {
    this->AddVectors();
  }
  this->SetTimes();
  this->Result.LeaveOutOthers(objects,
    [&](const Object& object) -> std::string
    {
      const bool known = object.Path.starts_with("/topology/") ||
        object.Path.starts_with("/viz/") || object.Path.starts_with("/labels/") ||
        object.Path.starts_with("/geometry/");
      return isMesh && known ? std::string()
                             : fmt::format("size {} does not match the mesh", object.ShapeText());
    });
  return this->Result.Finish();
}

const Object* PetscFile::Find(const std::string& path, std::size_t rank) const
{
  const Object* object = this->File.Find(path);
  return object && object->Numbers && object->Shape.size() == rank && object->Elements() > 0
    ? object
    : nullptr;
}

Stepped PetscFile::Split(const Object& object) const
{
  Stepped made{ &object, false, object.Shape };
  made.HasSteps = object.Numbers && object.Shape.size() > 1 && object.Elements() > 0 &&
    this->File.NumberOr(object.Path, "timestepping", 0) == 1;
  if (made.HasSteps)
  {
    made.Shape.erase(made.Shape.begin());
  }
  return made;
}

Source PetscFile::SourceOf(const Stepped& field, const std::vector<Role>& roles)
{
  this->Result.Use(field.Dataset->Path);
  Source source{ Stored{ field.Dataset->Path } };
  if (field.HasSteps)
  {
    const std::uint64_t last = field.Dataset->Shape[0] - 1;
    source.Dimensions.push_back({ Role::Time, std::min<std::uint64_t>(this->Result.Step(), last) });
  }
  for (std::size_t axis = 0; axis < roles.size(); ++axis)
  {
    source.Dimensions.push_back({ roles[axis], 0, field.Shape[axis] });
  }
  return source;
}

void PetscFile::AddMesh(const Object& vertices)
{
  if (vertices.Shape[1] > 3)
  {
    this->Result.Refuse("{} has {} elements", vertices.Path, vertices.ShapeText());
  }
  this->Result.Use(vertices.Path);
  this->AddCells(vertices, "/viz/topology", "mesh");
  this->AddCells(vertices, "/viz/hybrid_topology", "hybrid cells");
  if (this->Result.Parts().empty())
  {
    this->AddCells(vertices, "/topology", "mesh");
  }
  if (this->Result.Parts().empty())
  {
    this->Result.LeaveOut("/topology",
      "it has no cells by their vertices, only cones: view the mesh with the format HDF5_VIZ");
    Part part{ "vertices",
      Vertices{
        vertices.Shape[0], { describe::SourceOf(vertices, { Role::Index, Role::Component }) } } };
    this->AddFields(part, "/vertex_fields/", Centring::Point);
    this->Result.AddPart(std::move(part));
  }
}

void PetscFile::AddCells(const Object& vertices, const std::string& group, const std::string& name)
{
  const Object* const cells = this->Find(group + "/cells", 2);
  const double dimensions = cells ? this->File.NumberOr(cells->Path, "cell_dim", 0) : 0;
  const int type = cells && dimensions >= 1 && dimensions <= 3
    ? CellType(static_cast<std::uint64_t>(dimensions), cells->Shape[1])
    : 0;
  if (type == 0)
  {
    if (cells && cells->Shape[1] > 1)
    {
      this->Result.Explain(cells->Path,
        fmt::format(
          "cells of {} dimensions with {} corners are not supported", dimensions, cells->Shape[1]));
    }
    return;
  }
  this->Result.Use(cells->Path);
  const SameCells by{ type, cells->Shape[1],
    describe::SourceOf(*cells, { Role::Index, Role::Component }), {} };
  Part part{ name,
    Unstructured{ vertices.Shape[0], cells->Shape[0],
      { describe::SourceOf(vertices, { Role::Index, Role::Component }) }, by } };
  this->AddFields(part, "/vertex_fields/", Centring::Point);
  if (group == "/viz/hybrid_topology")
  {
    this->Result.AddPart(std::move(part));
    return;
  }
  this->AddFields(part, "/cell_fields/", Centring::Cell);
  this->AddFields(part, "/fields/", std::nullopt);
  this->Result.AddPart(std::move(part));
}

void PetscFile::AddFields(Part& part, const std::string& folder, std::optional<Centring> on)
{
  const auto* const mesh = std::get_if<Unstructured>(&part.On);
  const std::uint64_t points = mesh ? mesh->Points : std::get<Vertices>(part.On).Count;
  for (const Object& object : this->File.Objects())
  {
    const Stepped field = this->Split(object);
    const bool fits = object.Numbers && object.Folder() == folder && !field.Shape.empty() &&
      field.Shape.size() <= 3;
    if (!fits)
    {
      continue;
    }
    const bool ofPoints = field.Shape[0] == points, ofCells = mesh && field.Shape[0] == mesh->Cells;
    const auto centring = on ? on
      : ofPoints             ? std::optional(Centring::Point)
      : ofCells              ? std::optional(Centring::Cell)
                             : std::nullopt;
    if (!centring || !(*centring == Centring::Point ? ofPoints : ofCells))
    {
      this->Result.Explain(object.Path,
        fmt::format("it has {} values, and the mesh has {} vertices and {} cells", field.Shape[0],
          points, mesh ? mesh->Cells : 0));
      continue;
    }
    if (!on)
    {
      this->Result.Guess(fmt::format("{} = {} data (the counts match)", object.Path,
        *centring == Centring::Point ? "point" : "cell"));
    }
    std::vector<Role> roles(field.Shape.size(), Role::Component);
    roles.front() = Role::Index;
    const bool taken = HasArray(part, object.Name(), centring);
    part.Arrays.push_back({ taken ? object.Path.substr(1) : object.Name(), *centring,
      { this->SourceOf(field, roles) } });
  }
}

void PetscFile::AddVectors()
{
  for (const Object& object : this->File.Objects())
  {
    const Stepped field = this->Split(object);
    if (object.Folder() != "/" || !field.HasSteps || field.Shape.size() > 4)
    {
      continue;
    }
    // Coordinates tell how many of the dimensions are those of the grid.
    const Object* const at = this->File.Find("/coordinates");
    const bool placed = at && at->Numbers && at->Shape.size() > 1 &&
      at->Shape.size() - 1 <= field.Shape.size() &&
      std::equal(at->Shape.begin(), at->Shape.end() - 1, field.Shape.begin());
    const std::size_t axes =
      placed ? at->Shape.size() - 1 : std::min<std::size_t>(3, field.Shape.size());
    const std::vector<hsize_t> shape(
      field.Shape.begin(), field.Shape.begin() + static_cast<std::ptrdiff_t>(axes));
    Part part{ "grid", this->GridOf(shape) };
    std::vector<Role> roles(field.Shape.size(), Role::Component);
    for (std::size_t axis = 0; axis < axes; ++axis)
    {
      roles[axis] = SpatialRoles.at(axes - 1 - axis);
    }
    Array array{ object.Name(), Centring::Point, { this->SourceOf(field, roles) } };
    auto& parts = this->Result.Parts();
    const auto known =
      std::find_if(parts.begin(), parts.end(), [&](const Part& one) { return one.On == part.On; });
    if (known != parts.end())
    {
      known->Arrays.push_back(std::move(array));
      continue;
    }
    part.Name = parts.empty() ? part.Name : fmt::format("grid {}", parts.size() + 1);
    part.Arrays.push_back(std::move(array));
    this->Result.AddPart(std::move(part));
  }
}

Geometry PetscFile::GridOf(const std::vector<hsize_t>& shape)
{
  PerAxis points{ 1, 1, 1 };
  std::copy(shape.rbegin(), shape.rend(), points.begin());
  const Object* const at = this->Find("/coordinates", shape.size() + 1);
  if (at && at->Shape.back() <= 3 && std::equal(shape.begin(), shape.end(), at->Shape.begin()))
  {
    std::vector<Role> roles(shape.size() + 1, Role::Component);
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
    {
      roles[axis] = SpatialRoles.at(shape.size() - 1 - axis);
    }
    this->Result.Use(at->Path);
    return Curvilinear{ points, { describe::SourceOf(*at, roles) } };
  }
  this->Result.Assume(Setting::Origin, "Origin 0 0 0");
  this->Result.Assume(Setting::Spacing, "Spacing 1 1 1");
  this->Result.Assume(Setting::AxisOrder, "Last dimension = x");
  return Uniform{ points };
}

void PetscFile::SetTimes()
{
  if (this->Steps == 0)
  {
    this->Result.SetTimeOfFile();
    return;
  }
  const Object* const time = this->File.Find("/time");
  std::vector<double> times;
  if (time && time->Numbers && time->Elements() >= this->Steps)
  {
    times = this->File.AllValues(*time);
    this->Result.Use(time->Path);
  }
  else
  {
    this->Result.Assume(Setting::Time, "Time = step number");
    times = EquallySpaced(this->Steps);
  }
  times.resize(this->Steps);
  this->Result.SetTimes(std::move(times));
}
}

std::optional<Description> RecognisePetsc(const Asked& asked)
{
  return PetscFile(asked).Describe();
}

}
