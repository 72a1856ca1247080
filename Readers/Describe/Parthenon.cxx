// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/Parthenon.h"

#include "Describe/DescriptionBuilder.h"
#include "Describe/ObjectSources.h"
#include "Describe/Text.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace dsm::describe
{

using hdf5::Object;

namespace
{
constexpr std::uint64_t MostBlocks = std::uint64_t(1) << 24;
constexpr std::uint64_t MostComponents = 1024;

class ParthenonFile
{
public:
  explicit ParthenonFile(const Asked& asked);
  Description Describe();

private:
  void ReadBlocks();

  // Returns the level of each block. The coarsest in the file is 0.
  std::vector<int> Levels();
  void AddVariables();

  // Returns whether three dimensions from `from` on are of points or cells; nothing: neither.
  std::optional<Centring> CentringOf(
    const std::vector<hsize_t>& shape, std::size_t from, const std::string& location) const;
  void AddVariable(
    const std::string& name, const Object& object, const std::vector<std::string>& names);

  // Adds one array with all components if they are numbered, or else one for each name.
  void AddArrays(const Array& like, const Object& object, std::size_t from,
    std::uint64_t components, const std::vector<std::string>& names);
  Source SourceOf(const Object& object, std::size_t from, Centring on,
    std::optional<std::uint64_t> component) const;
  void AddSwarm(const std::string& folder);
  void Say();

  const FileFacts& File;
  std::uint64_t Blocks = 0;
  PerAxis Cells{ 1, 1, 1 }; ///< of a block in the file
  PerAxis Ghosts{ 0, 0, 0 };
  Part Mesh;
  DescriptionBuilder Result;
};

ParthenonFile::ParthenonFile(const Asked& asked)
  : File(asked.File)
  , Result(asked)
{
}

Description ParthenonFile::Describe()
{
  this->Result.SetFormat(
    "Parthenon", "the file has /Info and /Locations, as Parthenon writes them");
  this->Result.SetTime(this->File.Number("/Info", "Time"));
  this->ReadBlocks();
  this->AddVariables();
  this->Result.AddPart(std::move(this->Mesh));
  for (const Object& object : this->File.Objects())
  {
    if (!object.Dataset && object.Name() == "SwarmVars")
    {
      this->AddSwarm(object.Path);
    }
  }
  this->Say();
  return this->Result.Finish();
}

void ParthenonFile::ReadBlocks()
{
  const double ghosts = this->File.NumberOr("/Info", "IncludesGhost", 0) != 0
    ? this->File.NumberOr("/Info", "NGhost", 0)
    : 0;
  if (!(ghosts >= 0 && ghosts <= 64))
  {
    this->Result.Refuse("NGhost of /Info is {}", ghosts);
  }
  Rectilinear on;
  for (std::size_t axis = 0; axis < 3; ++axis)
  {
    const std::string path = fmt::format("/Locations/{}", "xyz"[axis]);
    const Object* at = this->File.Find(path);
    if (!at || !at->Numbers || at->Shape.size() != 2 || at->Shape[0] == 0 || at->Shape[1] < 2)
    {
      this->Result.Refuse("{} is no list of coordinates for each block", path);
    }
    if (axis > 0 && at->Shape[0] != this->Blocks)
    {
      this->Result.Refuse(
        "{} is of {} blocks, and /Locations/x of {}", path, at->Shape[0], this->Blocks);
    }
    this->Blocks = at->Shape[0];
    if (this->Blocks > MostBlocks)
    {
      this->Result.Refuse("it has {} blocks, more than {}", this->Blocks, MostBlocks);
    }
    const std::uint64_t cells = at->Shape[1] - 1;
    // An axis with one cell has no ghost cells.
    this->Ghosts[axis] = cells > 1 ? static_cast<std::uint64_t>(ghosts) : 0;
    if (cells <= 2 * this->Ghosts[axis])
    {
      this->Result.Refuse("{} has {} cells in a block, and {} ghost cells at both ends", path,
        cells, this->Ghosts[axis]);
    }
    this->Cells[axis] = cells;
    const std::uint64_t points = cells - 2 * this->Ghosts[axis] + 1;
    on.Points[axis] = points;
    on.Axes[axis] = { Stored{ path },
      { { Role::Block, 0, this->Blocks }, { SpatialRoles.at(axis), this->Ghosts[axis], points } } };
    this->Result.Use(path);
  }
  this->Mesh = { "mesh", std::move(on) };
  const auto levels = this->Levels();
  for (std::uint64_t index = 0; index < this->Blocks; ++index)
  {
    this->Mesh.Blocks.push_back({ index, levels.empty() ? 0 : levels[index] });
  }
}

std::vector<int> ParthenonFile::Levels()
{
  std::vector<int> levels;
  const Object* stored = this->File.Find("/Levels");
  if (!stored || !stored->Numbers || stored->Shape != std::vector<hsize_t>{ this->Blocks })
  {
    return levels;
  }
  this->Result.Use(stored->Path);
  const auto values = this->File.AllValues(*stored);
  const double least = *std::min_element(values.begin(), values.end());
  levels.reserve(values.size());
  for (const double value : values)
  {
    levels.push_back(static_cast<int>(std::clamp(value - least, 0.0, 1000.0)));
  }
  return levels;
}

void ParthenonFile::AddVariables()
{
  const auto datasets = this->File.Texts("/Info", "OutputDatasetNames", 100000);
  const auto counts = this->File.Numbers("/Info", "NumComponents", 100000);
  const auto names = this->File.Texts("/Info", "ComponentNames", 1000000);
  std::size_t first = 0;
  for (std::size_t index = 0; index < datasets.size(); ++index)
  {
    const double count = index < counts.size() ? counts[index] : 1;
    const auto components =
      static_cast<std::size_t>(std::clamp(count, 0.0, static_cast<double>(MostComponents)));
    std::vector<std::string> own;
    if (first + components <= names.size())
    {
      own.assign(names.begin() + static_cast<std::ptrdiff_t>(first),
        names.begin() + static_cast<std::ptrdiff_t>(first + components));
    }
    first += components;
    const Object* object = this->File.Find("/" + datasets[index]);
    if (object && object->Dataset && !this->Result.IsUsed(object->Path))
    {
      this->Result.Use(object->Path);
      this->AddVariable(datasets[index], *object, own);
    }
    else if (!object)
    {
      this->Result.LeaveOut("/" + datasets[index], "/Info names it, and it is not there");
    }
  }
}

std::optional<Centring> ParthenonFile::CentringOf(
  const std::vector<hsize_t>& shape, std::size_t from, const std::string& location) const
{
  bool cells = location != "Node", points = location == "Node" || location.empty();
  for (std::size_t axis = 0; axis < 3; ++axis)
  {
    const hsize_t here = shape[from + 2 - axis];
    cells = cells && here == this->Cells[axis];
    // An axis with one cell may have one layer of points.
    points = points && (here == this->Cells[axis] + 1 || (here == 1 && this->Cells[axis] == 1));
  }
  return cells ? std::optional(Centring::Cell)
    : points   ? std::optional(Centring::Point)
               : std::nullopt;
}

void ParthenonFile::AddVariable(
  const std::string& name, const Object& object, const std::vector<std::string>& names)
{
  const std::string location = this->File.Text(object.Path, "TopologicalLocation");
  const std::size_t rank = object.Shape.size();
  const auto leave = [&](const std::string& why) { this->Result.LeaveOut(object.Path, why); };
  if (location != "" && location != "Cell" && location != "Node")
  {
    leave(location == "None" ? std::string("it is of no place in the blocks")
                             : fmt::format("it is on {}s, and is not of cells or points",
                                 location == "Face" ? "face" : "edge"));
    return;
  }
  if (!object.Numbers || rank < 4 || object.Shape[0] != this->Blocks)
  {
    leave(fmt::format("size {} does not match the {} blocks", object.ShapeText(), this->Blocks));
    return;
  }
  // Components come before z, y and x. In old files they come after them.
  std::size_t from = rank - 3;
  auto centring = this->CentringOf(object.Shape, from, location);
  if (!centring && rank == 5)
  {
    from = 1;
    centring = this->CentringOf(object.Shape, from, location);
  }
  std::uint64_t components = 1;
  for (std::size_t dimension = 1; dimension < rank; ++dimension)
  {
    const bool spatial = dimension >= from && dimension < from + 3;
    components *= spatial ? 1 : std::min<hsize_t>(object.Shape[dimension], MostComponents + 1);
    if (components == 0 || components > MostComponents)
    {
      centring.reset();
      break;
    }
  }
  if (!centring)
  {
    leave(fmt::format("size {} does not match a block ({} x {} x {} cells)", object.ShapeText(),
      this->Cells[2], this->Cells[1], this->Cells[0]));
    return;
  }
  this->AddArrays({ name, *centring }, object, from, components, names);
}

void ParthenonFile::AddArrays(const Array& like, const Object& object, std::size_t from,
  std::uint64_t components, const std::vector<std::string>& names)
{
  bool numbered = names.size() != components;
  if (!numbered && components > 1)
  {
    numbered = true;
    for (std::uint64_t index = 0; index < components; ++index)
    {
      numbered = numbered && names[index] == fmt::format("{}_{}", like.Name, index);
    }
  }
  const bool apart = components > 1 && !numbered;
  for (std::uint64_t component = 0; component < (apart ? components : 1); ++component)
  {
    Array array = like;
    array.Name = apart || (components == 1 && !numbered) ? names[component] : like.Name;
    if (array.Name.empty() || HasArray(this->Mesh, array.Name, array.On))
    {
      array.Name = fmt::format("{} [{}]", like.Name, component);
    }
    array.Sources = { this->SourceOf(
      object, from, like.On, apart ? std::optional(component) : std::nullopt) };
    this->Mesh.Arrays.push_back(std::move(array));
  }
}

Source ParthenonFile::SourceOf(
  const Object& object, std::size_t from, Centring on, std::optional<std::uint64_t> component) const
{
  Source source{ Stored{ object.Path } };
  std::uint64_t rest = component.value_or(0);
  for (std::size_t dimension = object.Shape.size(); dimension-- > 0;)
  {
    const hsize_t count = object.Shape[dimension];
    Dimension made{ Role::Component, 0, count };
    if (dimension == 0)
    {
      made = { Role::Block, 0, this->Blocks };
    }
    else if (dimension >= from && dimension < from + 3)
    {
      const std::size_t axis = from + 2 - dimension;
      const bool layer = on == Centring::Point && count == 1;
      const std::uint64_t points = this->Cells[axis] - 2 * this->Ghosts[axis];
      made = layer ? Dimension{ Role::Fixed, 0 }
                   : Dimension{ SpatialRoles.at(axis), this->Ghosts[axis],
                       points + (on == Centring::Point ? 1 : 0) };
    }
    else if (component)
    {
      made = { Role::Fixed, rest % count };
      rest /= count;
    }
    source.Dimensions.insert(source.Dimensions.begin(), made);
  }
  return source;
}

void ParthenonFile::AddSwarm(const std::string& folder)
{
  const std::string group = folder.substr(0, folder.rfind('/'));
  Part part{ LastName(group), Vertices{} };
  Vertices on;
  for (const char letter : { 'x', 'y', 'z' })
  {
    const Object* at = this->File.Find(fmt::format("{}/swarm.{}", folder, letter));
    at = at ? at : this->File.Find(fmt::format("{}/{}", folder, letter));
    if (!at || !at->Numbers || at->Shape.size() != 1 || at->Shape[0] == 0 ||
      (!on.At.empty() && at->Shape[0] != on.Count))
    {
      this->Result.LeaveOut(
        group, fmt::format("its particles have no coordinates along {}", letter));
      return;
    }
    on.Count = at->Shape[0];
    on.At.push_back(ListSource(at->Path, on.Count));
    this->Result.Use(at->Path);
  }
  for (const Object& object : this->File.Objects())
  {
    const std::size_t rank = object.Shape.size();
    if (object.Folder() != folder + "/" || !object.Numbers || rank == 0 || rank > 3 ||
      object.Shape.back() != on.Count || this->Result.IsUsed(object.Path))
    {
      continue;
    }
    Source source{ Stored{ object.Path } };
    std::uint64_t components = 1;
    for (std::size_t dimension = 0; dimension < rank; ++dimension)
    {
      const bool last = dimension + 1 == rank;
      components *= last ? 1 : std::min<hsize_t>(object.Shape[dimension], MostComponents + 1);
      source.Dimensions.push_back(
        { last ? Role::Index : Role::Component, 0, object.Shape[dimension] });
    }
    if (components == 0 || components > MostComponents)
    {
      continue;
    }
    this->Result.Use(object.Path);
    part.Arrays.push_back({ object.Name(), Centring::Point, { source } });
  }
  part.On = std::move(on);
  this->Result.AddPart(std::move(part));
}

void ParthenonFile::Say()
{
  const std::string coordinates = this->File.Text("/Info", "Coordinates");
  if (!coordinates.empty() && coordinates.find("Cartesian") == std::string::npos)
  {
    this->Result.Guess(
      fmt::format("Coordinates ({}) are shown as if they were Cartesian", coordinates));
  }
  if (this->File.Find("/SparseInfo"))
  {
    this->Result.Guess("Sparse variables = 0 or NaN, as the file has it, in blocks without them");
  }
  // These describe the tree of blocks.
  const std::set<std::string> known = { "/Blocks/", "/VolumeLocations/", "/Locations/" };
  const std::set<std::string> own = { "/Levels", "/LogicalLocations", "/SparseInfo",
    "/SparseDeallocCount" };
  const std::set<std::string> names = { "counts", "offsets", "swarm_positions" };
  this->Result.LeaveOutOthers(this->File.Objects(),
    [&](const Object& object) -> std::string
    {
      return known.count(object.Folder()) + own.count(object.Path) + names.count(object.Name()) > 0
        ? ""
        : "/Info does not name it";
    });
}
}

std::optional<Description> RecogniseParthenon(const Asked& asked)
{
  const bool is = asked.File.Has("/Info", "NumMeshBlocks") &&
    asked.File.Has("/Info", "OutputDatasetNames") &&
    asked.File.WhatIs("/Locations") != hdf5::Thing::Nothing;
  return is ? std::optional(ParthenonFile(asked).Describe()) : std::nullopt;
}

}
