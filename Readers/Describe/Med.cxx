// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/Med.h"

#include "Describe/DescriptionBuilder.h"
#include "Describe/RecipeValues.h"
#include "Describe/Text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace dsm::describe
{

namespace
{
/// A type of cells.
struct CellType
{
  int Vtk = 0;
  std::uint64_t Points = 0;
  int Dimensions = 0;
};

// Types whose points VTK has in the same order, by MED's short names.
const std::map<std::string, CellType>& CellTypes()
{
  static const std::map<std::string, CellType> types = { { "PO1", { 1, 1, 0 } },
    { "SE2", { 3, 2, 1 } }, { "SE3", { 21, 3, 1 } }, { "TR3", { 5, 3, 2 } },
    { "TR6", { 22, 6, 2 } }, { "QU4", { 9, 4, 2 } }, { "QU8", { 23, 8, 2 } },
    { "TE4", { 10, 4, 3 } }, { "PY5", { 14, 5, 3 } }, { "PE6", { 13, 6, 3 } },
    { "HE8", { 12, 8, 3 } }, { "T10", { 24, 10, 3 } }, { "TE10", { 24, 10, 3 } } };
  return types;
}

class MedFile
{
public:
  explicit MedFile(const Asked& asked);
  Description Describe();

private:
  // Lists the steps of all fields together. A field without steps is the same at each.
  void SetTime();

  // Returns the last step of a field that is not later than the time shown. Each field has its
  // own steps.
  std::string StepOf(const std::string& field) const;

  // Returns the source of one component. The file has all x, then all y.
  static Source ComponentOf(const std::string& path, std::uint64_t component, std::uint64_t count);
  bool AddMesh(const std::string& name, const std::string& path);
  bool AddCells(Part part, const std::string& mesh, const std::string& path,
    const std::pair<const std::string, CellType>& named);
  bool AddField(Part& part, const std::string& field, const std::string& on, Centring centring,
    std::uint64_t count);

  const FileFacts& File;
  std::uint64_t Count = 0; ///< of the mesh's points
  Coordinates At;
  DescriptionBuilder Result;
};

MedFile::MedFile(const Asked& asked)
  : File(asked.File)
  , Result(asked)
{
}

Description MedFile::Describe()
{
  this->Result.SetFormat("MED", "the file has MED's meshes");
  this->SetTime();
  for (const std::string& mesh : this->File.MembersOf("/ENS_MAA"))
  {
    this->AddMesh(mesh, "/ENS_MAA/" + mesh);
  }
  this->Result.RequireParts("is a MED file, and none of its meshes can be shown", "it has none");
  return this->Result.Finish();
}

void MedFile::SetTime()
{
  std::set<double> times;
  for (const std::string& field : this->File.MembersOf("/CHA"))
  {
    const auto steps = this->File.MembersOf("/CHA/" + field);
    for (const std::string& step : steps)
    {
      const std::string path = fmt::format("/CHA/{}/{}", field, step);
      // A field without steps has -1 for both numbers.
      if (this->File.NumberOr(path, "NDT", -1) >= 0 || this->File.NumberOr(path, "NOR", -1) >= 0)
      {
        const double time = this->File.NumberOr(path, "PDT", 0);
        times.insert(std::isfinite(time) ? time : 0);
      }
    }
  }
  if (!times.empty())
  {
    this->Result.ChooseStep(times.size());
    this->Result.SetTimes({ times.begin(), times.end() });
  }
}

std::string MedFile::StepOf(const std::string& field) const
{
  std::string found;
  double latest = 0;
  for (const std::string& step : this->File.MembersOf("/CHA/" + field))
  {
    const double time = this->File.NumberOr(fmt::format("/CHA/{}/{}", field, step), "PDT", 0);
    if (time <= this->Result.Time().value_or(time) && (found.empty() || time >= latest))
    {
      found = step;
      latest = time;
    }
  }
  return found;
}

Source MedFile::ComponentOf(const std::string& path, std::uint64_t component, std::uint64_t count)
{
  return { Stored{ path, {}, {}, component * count }, { { Role::Index, 0, count } } };
}

bool MedFile::AddMesh(const std::string& name, const std::string& path)
{
  const auto steps = this->File.MembersOf(path);
  if (steps.empty() || this->File.NumberOr(path, "TYP", 0) != 0)
  {
    return this->Result.LeaveOut(path, "only meshes of cells that are listed are supported");
  }
  // If a mesh moves, show its last step.
  const std::string at = path + "/" + steps.back();
  const auto points = this->File.ObjectAt(at + "/NOE/COO");
  const auto axes = CountFrom(this->File.NumberOr(path, "ESP", 3));
  if (!points || !points->Numbers || axes == 0 || axes > 3 || points->Elements() % axes != 0)
  {
    return this->Result.LeaveOut(at, "it has no coordinates of one to three dimensions");
  }
  this->Count = points->Elements() / axes;
  this->At.clear();
  for (std::uint64_t axis = 0; axis < axes; ++axis)
  {
    this->At.push_back(ComponentOf(points->Path, axis, this->Count));
  }
  const auto types = this->File.MembersOf(at + "/MAI");
  int most = 0;
  for (const std::string& type : types)
  {
    const auto known = CellTypes().find(type);
    most = std::max(most, known == CellTypes().end() ? 0 : known->second.Dimensions);
  }
  for (const std::string& type : types)
  {
    const auto known = CellTypes().find(type);
    const std::string cells = fmt::format("{}/MAI/{}", at, type);
    if (known == CellTypes().end())
    {
      this->Result.LeaveOut(cells, fmt::format("cells of MED's type {} are not supported", type));
    }
    else if (known->second.Dimensions < most)
    {
      this->Result.LeaveOut(cells, "its cells are of the boundary");
    }
    else
    {
      Part part;
      part.Name = types.size() == 1 ? name : fmt::format("{} {}", name, type);
      this->AddCells(std::move(part), name, cells, *known);
    }
  }
  return true;
}

bool MedFile::AddCells(Part part, const std::string& mesh, const std::string& path,
  const std::pair<const std::string, CellType>& named)
{
  const auto& [typeName, type] = named;
  const auto list = this->File.ObjectAt(path + "/NOD");
  if (!list || !list->Numbers || list->Elements() == 0 || list->Elements() % type.Points != 0)
  {
    return this->Result.LeaveOut(path, "it has no list of cells");
  }
  const std::uint64_t count = list->Elements() / type.Points;
  // The list has the first points of all cells, then the second ones.
  SameCells cells{ type.Vtk, type.Points,
    { Stored{ list->Path, {}, {}, 0 },
      { { Role::Component, 0, type.Points }, { Role::Index, 0, count } } } };
  part.On = Unstructured{ this->Count, count, this->At, std::move(cells), 1, true };
  for (const std::string& field : this->File.MembersOf("/CHA"))
  {
    if (Trimmed(this->File.Text("/CHA/" + field, "MAI")) == mesh)
    {
      this->AddField(part, field, "NOE", Centring::Point, this->Count);
      this->AddField(part, field, "MAI." + typeName, Centring::Cell, count);
    }
  }
  this->Result.AddPart(std::move(part));
  return true;
}

bool MedFile::AddField(Part& part, const std::string& field, const std::string& on,
  Centring centring, std::uint64_t count)
{
  const std::string path = fmt::format("/CHA/{}/{}/{}", field, this->StepOf(field), on);
  const auto profiles = this->File.MembersOf(path);
  if (profiles.empty())
  {
    return false;
  }
  const std::string& profile = profiles.front();
  const std::string values = path + "/" + profile;
  const auto components = CountFrom(this->File.NumberOr("/CHA/" + field, "NCO", 1));
  const auto data = this->File.ObjectAt(values + "/CO");
  if (profiles.size() > 1 || profile != "MED_NO_PROFILE_INTERNAL")
  {
    return this->Result.LeaveOut(path, "fields on some of the nodes or cells are not supported");
  }
  if (!data || !data->Numbers || components == 0 || components > 100 ||
    data->Elements() != components * count)
  {
    return this->Result.LeaveOut(values, "it has not one value for each node or cell");
  }
  Array array{ Trimmed(field), centring };
  if (HasArray(part, array.Name, centring))
  {
    return this->Result.LeaveOut(values, "another field has its name");
  }
  for (std::uint64_t component = 0; component < components; ++component)
  {
    array.Sources.push_back(ComponentOf(data->Path, component, count));
  }
  part.Arrays.push_back(std::move(array));
  return true;
}
}

std::optional<Description> RecogniseMed(const Asked& asked)
{
  if (asked.File.WhatIs("/INFOS_GENERALES") != hdf5::Thing::Group ||
    asked.File.WhatIs("/ENS_MAA") != hdf5::Thing::Group)
  {
    return std::nullopt;
  }
  return MedFile(asked).Describe();
}

}
