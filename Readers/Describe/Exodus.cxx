// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/Exodus.h"

#include "Describe/DescriptionBuilder.h"
#include "Describe/ElementOrder.h"
#include "Describe/ObjectSources.h"
#include "Describe/RecipeValues.h"
#include "Describe/Text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace dsm::describe
{

using hdf5::Object;

namespace
{
/// The dataset of a variable, and which part of it.
using Place = std::pair<std::string, std::vector<Dimension>>;

// Returns VTK's number of an element type with so many nodes, or 0. Three letters decide: codes
// write HEX, HEX8 or HEXAHEDRON.
int TypeOf(const std::string& name, std::uint64_t nodes)
{
  static const std::map<std::pair<std::string, std::uint64_t>, int> types = { { { "sph", 1 }, 1 },
    { { "cir", 1 }, 1 }, { { "bar", 2 }, 3 }, { { "bea", 2 }, 3 }, { { "tru", 2 }, 3 },
    { { "edg", 2 }, 3 }, { { "rod", 2 }, 3 }, { { "bar", 3 }, 21 }, { { "bea", 3 }, 21 },
    { { "tru", 3 }, 21 }, { { "edg", 3 }, 21 }, { { "tri", 3 }, 5 }, { { "tri", 6 }, 22 },
    { { "she", 3 }, 5 }, { { "she", 6 }, 22 }, { { "she", 4 }, 9 }, { { "she", 8 }, 23 },
    { { "she", 9 }, 28 }, { { "qua", 4 }, 9 }, { { "qua", 8 }, 23 }, { { "qua", 9 }, 28 },
    { { "tet", 4 }, 10 }, { { "tet", 10 }, 24 }, { { "pyr", 5 }, 14 }, { { "pyr", 13 }, 27 },
    { { "wed", 6 }, 13 }, { { "wed", 15 }, 26 }, { { "wed", 18 }, 32 }, { { "hex", 8 }, 12 },
    { { "hex", 20 }, 25 }, { { "hex", 27 }, 29 } };
  const auto found = types.find({ LowerCase(name).substr(0, 3), nodes });
  return found == types.end() ? 0 : found->second;
}

std::vector<int> OrderOf(int type)
{
  if (type == 29)
  {
    // Then the middles of the cell, the bottom, top, left, right, front and back.
    auto order = FromBottomUp(25);
    order.insert(order.end(), { 23, 24, 25, 26, 21, 22, 20 });
    return order;
  }
  return FromBottomUp(type);
}

class ExodusFile
{
public:
  explicit ExodusFile(const Asked& asked);
  Description Describe();

private:
  // Returns the dataset if it has numbers and so many dimensions, or nullptr.
  const Object* Find(const std::string& path, std::size_t rank) const;

  // Returns the lists of elements by the numbers of their blocks, without empty ones.
  std::map<unsigned long long, const Object*> Blocks() const;
  void SetTime();
  void FindPoints();
  void AddBlock(std::uint64_t number, const Object& connect);

  // Each variable has a dataset of its own, or all share one.
  Place NodeVariable(std::size_t variable) const;

  template <typename Where>
  void AddVariables(
    Part& part, Centring on, const std::string& list, std::uint64_t count, const Where& where);
  std::string NameOf(std::uint64_t number) const;

  void LeaveOut();

  const FileFacts& File;
  RecipeValues Values;
  std::uint64_t Points = 0;
  Coordinates At;
  DescriptionBuilder Result;
};

ExodusFile::ExodusFile(const Asked& asked)
  : File(asked.File)
  , Values(asked.File)
  , Result(asked)
{
}

Description ExodusFile::Describe()
{
  this->Result.SetFormat("Exodus", "the file has Exodus' attributes and coordinates");
  this->SetTime();
  this->FindPoints();
  for (const auto& [block, connect] : this->Blocks())
  {
    this->AddBlock(block, *connect);
  }
  this->Result.RequireParts("is an Exodus file, and none of its blocks of elements can be shown");
  this->LeaveOut();
  return this->Result.Finish();
}

const Object* ExodusFile::Find(const std::string& path, std::size_t rank) const
{
  const Object* found = this->File.Find(path);
  return found && found->Numbers && found->Shape.size() == rank ? found : nullptr;
}

std::map<unsigned long long, const Object*> ExodusFile::Blocks() const
{
  const std::string begin = "/connect";
  std::map<unsigned long long, const Object*> blocks;
  for (const Object& object : this->File.Objects())
  {
    const auto number = object.Path.starts_with(begin) && this->Find(object.Path, 2)
      ? AsCount(object.Path.substr(begin.size()))
      : std::nullopt;
    if (number && *number > 0 && object.Elements() > 0)
    {
      blocks.emplace(*number, &object);
    }
  }
  return blocks;
}

void ExodusFile::SetTime()
{
  auto times = this->Values.Numbers("/time_whole");
  if (!times.empty())
  {
    this->Result.ChooseStep(times.size());
    this->Result.SetTimes(std::move(times));
  }
}

void ExodusFile::FindPoints()
{
  if (const Object* all = this->Find("/coord", 2); all && all->Shape[0] >= 1 && all->Shape[0] <= 3)
  {
    this->Points = all->Shape[1];
    for (std::uint64_t axis = 0; axis < all->Shape[0]; ++axis)
    {
      this->At.push_back(
        { Stored{ all->Path }, { { Role::Fixed, axis }, { Role::Index, 0, this->Points } } });
    }
    return;
  }
  for (const char* path : { "/coordx", "/coordy", "/coordz" })
  {
    const Object* axis = this->Find(path, 1);
    if (!axis || (!this->At.empty() && axis->Shape[0] != this->Points))
    {
      break;
    }
    this->Points = axis->Shape[0];
    this->At.push_back(ListSource(path, this->Points));
  }
  if (this->At.empty())
  {
    this->Result.RequireParts("is an Exodus file without coordinates");
  }
}

void ExodusFile::AddBlock(std::uint64_t number, const Object& connect)
{
  const std::string kind = this->File.Text(connect.Path, "elem_type");
  const int type = TypeOf(kind, connect.Shape[1]);
  if (type == 0)
  {
    this->Result.LeaveOut(connect.Path,
      fmt::format("elements \"{}\" with {} nodes are not supported", kind, connect.Shape[1]));
    return;
  }
  const std::uint64_t count = connect.Shape[0];
  Part part;
  part.Name = this->NameOf(number);
  SameCells cells{ type, connect.Shape[1],
    { Stored{ connect.Path },
      { { Role::Index, 0, count }, { Role::Component, 0, connect.Shape[1] } } },
    OrderOf(type) };
  part.On = Unstructured{ this->Points, count, this->At, std::move(cells), 1, true };
  this->AddVariables(part, Centring::Point, "/name_nod_var", this->Points,
    [&](std::size_t variable) { return this->NodeVariable(variable); });
  this->AddVariables(part, Centring::Cell, "/name_elem_var", count, [&](std::size_t variable)
    { return Place{ fmt::format("/vals_elem_var{}eb{}", variable + 1, number), {} }; });
  this->Result.AddPart(std::move(part));
}

Place ExodusFile::NodeVariable(std::size_t variable) const
{
  return this->Find("/vals_nod_var", 3) ? Place{ "/vals_nod_var", { { Role::Fixed, variable } } }
                                        : Place{ fmt::format("/vals_nod_var{}", variable + 1), {} };
}

template <typename Where>
void ExodusFile::AddVariables(
  Part& part, Centring on, const std::string& list, std::uint64_t count, const Where& where)
{
  std::vector<std::pair<std::string, Source>> variables;
  std::size_t index = 0;
  for (const std::string& name : this->File.TextRows(list))
  {
    const auto [path, fixed] = where(index++);
    const Object* values = this->Find(path, 2 + fixed.size());
    // A block may lack a variable, and a variable the step.
    if (values && values->Shape[0] > this->Result.Step() && values->Shape.back() == count &&
      (fixed.empty() || fixed[0].Start < values->Shape[1]))
    {
      Source source{ Stored{ path }, { { Role::Time, this->Result.Step() } } };
      source.Dimensions.insert(source.Dimensions.end(), fixed.begin(), fixed.end());
      source.Dimensions.push_back({ Role::Index, 0, count });
      variables.emplace_back(name, std::move(source));
    }
  }
  for (const std::string& taken : AddJoined(part, on, variables))
  {
    this->Result.LeaveOut(list, fmt::format("two variables are named {}", taken));
  }
}

std::string ExodusFile::NameOf(std::uint64_t number) const
{
  const auto names = this->File.TextRows("/eb_names");
  if (number <= names.size() && !names[number - 1].empty())
  {
    return names[number - 1];
  }
  const auto numbers = this->Values.Numbers("/eb_prop1");
  return number <= numbers.size() ? fmt::format("block {}", numbers[number - 1])
                                  : fmt::format("block {}", number);
}

void ExodusFile::LeaveOut()
{
  static const std::map<std::string, std::string> reasons = { { "/vals_glo_var",
                                                                "it is of the whole mesh" },
    { "/node_ns", "sets of nodes are not shown" }, { "/elem_ss", "sets of sides are not shown" },
    { "/vals_sset_var", "sets of sides are not shown" },
    { "/vals_nset_var", "sets of nodes are not shown" } };
  for (const Object& object : this->File.Objects())
  {
    for (const auto& [begin, reason] : reasons)
    {
      if (object.Dataset && object.Path.compare(0, begin.size(), begin) == 0)
      {
        this->Result.LeaveOut(object.Path, reason);
      }
    }
  }
}
}

std::optional<Description> RecogniseExodus(const Asked& asked)
{
  const auto has = [&](const char* name) { return asked.File.Has("/", name); };
  const bool hasPoints = asked.File.ObjectAt("/coordx") || asked.File.ObjectAt("/coord");
  if (!has("api_version") || !has("floating_point_word_size") || !hasPoints)
  {
    return std::nullopt;
  }
  return ExodusFile(asked).Describe();
}

}
