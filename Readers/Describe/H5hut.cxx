// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/H5hut.h"

#include "Base/Error.h"
#include "Describe/DescriptionBuilder.h"
#include "Describe/NumberedGroups.h"
#include "Describe/ObjectSources.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace dsm::describe
{

using hdf5::Object;

namespace
{
class H5hutFile
{
public:
  explicit H5hutFile(const Asked& asked);
  std::optional<Description> Describe();

private:
  // Adds the members of a group, and of groups in it, to Objects.
  void List(const std::string& group, int depth);
  std::optional<double> TimeOf(const std::string& group) const;
  void SetTimes(const NumberedGroups& steps);
  void AddParticles();

  // Adds the fields /Step#n/Block/NAME/0; a vector has 1 and 2 beside it.
  void AddFields();
  Source FieldSource(const Object& object);
  Uniform PlaceOf(const std::string& group, const std::vector<hsize_t>& shape);

  // Returns the part for fields on this grid.
  Part& PartFor(const Uniform& on);

  const Asked& Input;
  std::vector<Object> Objects; ///< of the step, sorted by path
  std::string Group;
  DescriptionBuilder Result;
};

H5hutFile::H5hutFile(const Asked& asked)
  : Input(asked)
  , Result(asked)
{
}

std::optional<Description> H5hutFile::Describe()
{
  std::vector<Object> groups;
  for (const std::string& name : this->Input.File.MembersOf("/"))
  {
    if (name.rfind("Step#", 0) == 0)
    {
      groups.emplace_back().Path = "/" + name;
    }
  }
  const NumberedGroups steps = FindSteps(groups);
  if (steps.Paths.empty())
  {
    return std::nullopt;
  }
  this->Group = steps.Paths[this->Result.ChooseStep(steps.Paths.size())];
  // List the objects of this step only: the file may have many.
  this->List(this->Group, 3);
  std::sort(this->Objects.begin(), this->Objects.end(),
    [](const Object& a, const Object& b) { return a.Path < b.Path; });
  this->Result.SetFormat("H5hut", "the file has steps /Step#n, as H5hut writes them");
  this->AddParticles();
  this->AddFields();
  if (this->Result.Parts().empty())
  {
    // Other codes name their steps in the same way.
    return std::nullopt;
  }
  this->SetTimes(steps);
  this->Result.LeaveOutOthers(
    this->Objects, [](const Object&) { return "it is of no particles and no field"; });
  return this->Result.Finish();
}

void H5hutFile::List(const std::string& group, int depth)
{
  for (const std::string& name : this->Input.File.MembersOf(group))
  {
    const std::string path = fmt::format("{}/{}", group, name);
    const auto object = this->Input.File.ObjectAt(path);
    if (!object)
    {
      continue;
    }
    this->Objects.push_back(*object);
    if (!object->Dataset && depth > 1)
    {
      this->List(path, depth - 1);
    }
  }
}

std::optional<double> H5hutFile::TimeOf(const std::string& group) const
{
  for (const char* name : { "TimeValue", "TIME", "time", "Time" })
  {
    if (const auto time = this->Input.File.Number(group, name))
    {
      return time;
    }
  }
  return std::nullopt;
}

void H5hutFile::SetTimes(const NumberedGroups& steps)
{
  std::vector<double> times;
  times.reserve(steps.Paths.size());
  for (std::size_t index = 0; index < steps.Paths.size(); ++index)
  {
    times.push_back(this->TimeOf(steps.Paths[index]).value_or(steps.Numbers[index]));
  }
  this->Result.SetTime(times[this->Result.Step()]);
  if (times.size() > 1)
  {
    this->Result.ListTimes(std::move(times));
  }
}

void H5hutFile::AddParticles()
{
  Vertices on;
  for (const char letter : { 'x', 'y', 'z' })
  {
    const Object* at = hdf5::Find(this->Objects, fmt::format("{}/{}", this->Group, letter));
    if (!at || !at->Numbers || at->Shape.size() != 1 || at->Shape[0] == 0)
    {
      return;
    }
    if (!on.At.empty() && at->Shape[0] != on.Count)
    {
      throw Error(Fault::Refused, "{} is a file of H5hut, and {} has {} elements, x {}",
        this->Input.Name, at->Path, at->Shape[0], on.Count);
    }
    on.Count = at->Shape[0];
    on.At.push_back(ListSource(at->Path, on.Count));
    this->Result.Use(at->Path);
  }
  Part part{ "particles", on };
  std::map<std::string, const Object*> columns;
  for (const Object& object : this->Objects)
  {
    if (object.Folder() == this->Group + "/" && object.Numbers &&
      object.Shape == std::vector<hsize_t>{ on.Count } && !this->Result.IsUsed(object.Path))
    {
      columns[object.Name()] = &object;
      this->Result.Use(object.Path);
    }
  }
  const auto source = [&](const Object& object) { return ListSource(object.Path, on.Count); };
  for (const auto& [name, object] : columns)
  {
    // px, py and pz are one vector.
    const std::string stem = name.substr(0, name.size() - 1);
    const auto has = [&](char letter) { return columns.count(stem + letter) > 0; };
    if (!stem.empty() && has('x') && has('y') && has('z') &&
      std::string("xyz").find(name.back()) != std::string::npos)
    {
      if (name.back() == 'x')
      {
        part.Arrays.push_back({ columns.count(stem) > 0 ? stem + "xyz" : stem, Centring::Point,
          { source(*object), source(*columns.at(stem + "y")), source(*columns.at(stem + "z")) } });
      }
      continue;
    }
    part.Arrays.push_back({ name, Centring::Point, { source(*object) } });
  }
  this->Result.AddPart(std::move(part));
}

void H5hutFile::AddFields()
{
  const std::string folder = this->Group + "/Block/";
  for (const Object& group : this->Objects)
  {
    if (group.Dataset || group.Folder() != folder)
    {
      continue;
    }
    const Object* first = hdf5::Find(this->Objects, group.Path + "/0");
    if (!first || !first->Numbers || first->Shape.size() != 3 || first->Elements() == 0)
    {
      this->Result.LeaveOut(group.Path, "it has no field of three dimensions");
      continue;
    }
    Array array{ group.Name(), Centring::Point, { this->FieldSource(*first) } };
    const Object* second = hdf5::Find(this->Objects, group.Path + "/1");
    const Object* third = hdf5::Find(this->Objects, group.Path + "/2");
    if (second && third && second->Numbers && third->Numbers && second->Shape == first->Shape &&
      third->Shape == first->Shape)
    {
      array.Sources.push_back(this->FieldSource(*second));
      array.Sources.push_back(this->FieldSource(*third));
    }
    this->PartFor(this->PlaceOf(group.Path, first->Shape)).Arrays.push_back(std::move(array));
  }
}

Source H5hutFile::FieldSource(const Object& object)
{
  this->Result.Use(object.Path);
  return GridSource(object);
}

Uniform H5hutFile::PlaceOf(const std::string& group, const std::vector<hsize_t>& shape)
{
  Uniform on{ { shape[2], shape[1], shape[0] } };
  const auto origin = this->Input.File.Numbers(group, "__Origin__", 3);
  const auto spacing = this->Input.File.Numbers(group, "__Spacing__", 3);
  const bool placed = origin.size() == 3 && spacing.size() == 3 &&
    std::all_of(spacing.begin(), spacing.end(), [](double one) { return one > 0; }) &&
    std::all_of(origin.begin(), origin.end(), [](double one) { return std::isfinite(one); });
  if (placed)
  {
    std::copy(origin.begin(), origin.end(), on.Origin.begin());
    std::copy(spacing.begin(), spacing.end(), on.Spacing.begin());
  }
  else
  {
    this->Result.Assume(Setting::Origin, "Origin 0 0 0 of fields");
    this->Result.Assume(Setting::Spacing, "Spacing 1 1 1 of fields");
  }
  return on;
}

Part& H5hutFile::PartFor(const Uniform& on)
{
  std::size_t fields = 0;
  for (Part& part : this->Result.Parts())
  {
    if (part.On == Geometry(on))
    {
      return part;
    }
    fields += std::holds_alternative<Uniform>(part.On) ? 1 : 0;
  }
  this->Result.AddPart({ fields == 0 ? "fields" : fmt::format("fields {}", fields + 1), on });
  return this->Result.Parts().back();
}
}

std::optional<Description> RecogniseH5hut(const Asked& asked)
{
  return H5hutFile(asked).Describe();
}

}
