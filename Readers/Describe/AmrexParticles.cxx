// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/AmrexParticles.h"

#include "Describe/Chombo.h"
#include "Describe/DescriptionBuilder.h"
#include "Describe/NothingYet.h"

namespace dsm::describe
{

using hdf5::Object;

namespace
{
constexpr double MostComponents = 10000;

class ParticleFile
{
public:
  explicit ParticleFile(const Asked& asked);
  std::optional<Description> Describe();

private:
  std::uint64_t CountOf(const std::string& attribute) const;

  // Returns the components' names: first those that have none in the file.
  std::vector<std::string> NamesOf(std::vector<std::string> first, const std::string& kind) const;

  // Returns a level's list, or nullptr.
  const Object* ListOf(const std::string& group, int kind) const;

  // Returns a component of each particle, or several.
  static Source ComponentsOf(const Object& list, std::uint64_t particles, std::uint64_t of,
    std::uint64_t first, std::uint64_t count = 1);
  void AddLevel(const std::string& group);

  const FileFacts& File;
  std::uint64_t Axes = 3;
  std::vector<std::string> Reals, Integers;
  DescriptionBuilder Result;
};

ParticleFile::ParticleFile(const Asked& asked)
  : File(asked.File)
  , Result(asked)
{
}

std::optional<Description> ParticleFile::Describe()
{
  if (!this->File.Number("/Chombo_global", "SpaceDim") || !this->File.Has("/", "nparticles") ||
    !this->File.Has("/", "num_component_real"))
  {
    return std::nullopt;
  }
  this->Result.SetFormat(
    "AMReX particles", "the file has levels of particles, as AMReX writes them");
  this->Axes = SpaceDimensions(this->File, this->Result);
  this->Reals = this->NamesOf(std::vector<std::string>(this->Axes), "real");
  this->Integers = this->NamesOf({ "id", "cpu" }, "int");
  for (int level = 0; this->File.Find(fmt::format("/level_{}", level)); ++level)
  {
    this->AddLevel(fmt::format("/level_{}", level));
  }
  if (this->Result.Parts().empty())
  {
    throw NothingYet("AMReX particles", "it has no particles");
  }
  this->Result.SetTime(this->File.Number("/", "time"));
  this->Result.LeaveOutOthers(this->File.Objects(), [](const Object&) { return std::string(); });
  return this->Result.Finish();
}

std::uint64_t ParticleFile::CountOf(const std::string& attribute) const
{
  const double count = this->File.NumberOr("/", attribute, 0);
  if (!(count >= 0 && count <= MostComponents))
  {
    this->Result.Refuse("its attribute {} is {}", attribute, count);
  }
  return static_cast<std::uint64_t>(count);
}

std::vector<std::string> ParticleFile::NamesOf(
  std::vector<std::string> first, const std::string& kind) const
{
  const std::uint64_t count = first.size() + this->CountOf("num_component_" + kind);
  // The numbers of the names begin with 0, or behind what is always there.
  for (std::uint64_t number = 0; number < count && first.size() < count; ++number)
  {
    const auto name = this->File.Text("/", fmt::format("{}_component_{}", kind, number));
    if (!name.empty())
    {
      first.push_back(name);
    }
  }
  while (first.size() < count)
  {
    first.push_back(fmt::format("{}_{}", kind, first.size()));
  }
  return first;
}

const Object* ParticleFile::ListOf(const std::string& group, int kind) const
{
  const Object* list = this->File.Find(fmt::format("{}/data:datatype={}", group, kind));
  return list && list->Numbers && list->Shape.size() == 1 ? list : nullptr;
}

Source ParticleFile::ComponentsOf(const Object& list, std::uint64_t particles, std::uint64_t of,
  std::uint64_t first, std::uint64_t count)
{
  const Role role = count > 1 ? Role::Component : Role::Fixed;
  return { Stored{ list.Path, {}, {}, 0 },
    { { Role::Index, 0, particles }, { role, first, count, 1, false, of } } };
}

void ParticleFile::AddLevel(const std::string& group)
{
  const Object* const reals = this->ListOf(group, 1);
  if (!reals)
  {
    this->Result.LeaveOut(group, "it has no list of real numbers data:datatype=1");
    return;
  }
  this->Result.Use(reals->Path);
  const std::uint64_t particles = reals->Shape[0] / this->Reals.size();
  if (particles * this->Reals.size() != reals->Shape[0])
  {
    this->Result.Refuse("{} has {} numbers, and each particle has {}", reals->Path, reals->Shape[0],
      this->Reals.size());
  }
  if (particles == 0)
  {
    return;
  }
  Part part{ group.substr(1),
    Vertices{ particles, { ComponentsOf(*reals, particles, this->Reals.size(), 0, this->Axes) } } };
  const auto add = [&](const Object& list, const std::vector<std::string>& names, std::size_t first)
  {
    std::vector<std::pair<std::string, Source>> named;
    for (std::size_t index = first; index < names.size(); ++index)
    {
      named.emplace_back(names[index], ComponentsOf(list, particles, names.size(), index));
    }
    for (const std::string& taken : AddJoined(part, Centring::Point, named))
    {
      this->Result.LeaveOut(fmt::format("{} {}", list.Path, taken), "another has the same name");
    }
  };
  add(*reals, this->Reals, this->Axes);
  const Object* const integers = this->ListOf(group, 0);
  if (integers && integers->Shape[0] == particles * this->Integers.size())
  {
    this->Result.Use(integers->Path);
    add(*integers, this->Integers, 0);
  }
  else if (integers)
  {
    this->Result.LeaveOut(integers->Path,
      fmt::format("it has {} numbers, and {} particles have {} each", integers->Shape[0], particles,
        this->Integers.size()));
  }
  this->Result.AddPart(std::move(part));
}
}

std::optional<Description> RecogniseAmrexParticles(const Asked& asked)
{
  return ParticleFile(asked).Describe();
}

}
