// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/Carpet.h"

#include "Base/Error.h"
#include "Describe/Covered.h"
#include "Describe/DescriptionBuilder.h"
#include "Describe/ObjectSources.h"
#include "Describe/Text.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

namespace dsm::describe
{

using hdf5::Object;

namespace
{
constexpr std::size_t MostMembers = std::size_t(1) << 22;

// The fields in a dataset's name.
struct Named
{
  std::string Name;
  std::string Variable = {}; ///< "ADMBASE::alp"
  unsigned long long Iteration = 0, TimeLevel = 0, Map = 0, Level = 0, Component = 0;
};

// Parses "ADMBASE::alp it=8 tl=0 rl=1 c=3". A word that is missing counts as 0.
std::optional<Named> NameOf(const std::string& name)
{
  const auto words = Split(name, " ");
  if (words.size() < 3 || words[0].find("::") == std::string::npos)
  {
    return std::nullopt;
  }
  Named named{ name };
  named.Variable = words[0];
  std::set<std::string> seen;
  for (std::size_t index = 1; index < words.size(); ++index)
  {
    const auto equals = words[index].find('=');
    const std::string key = words[index].substr(0, equals);
    const auto value = equals == std::string::npos ? std::optional<unsigned long long>()
                                                   : AsCount(words[index].substr(equals + 1));
    if (!value || !seen.insert(key).second)
    {
      return std::nullopt;
    }
    auto* const place = key == "it" ? &named.Iteration
      : key == "tl"                 ? &named.TimeLevel
      : key == "m"                  ? &named.Map
      : key == "rl"                 ? &named.Level
      : key == "c"                  ? &named.Component
                                    : nullptr;
    if (place)
    {
      *place = *value;
    }
    else if (key != "ml")
    {
      return std::nullopt;
    }
  }
  return seen.count("it") > 0 && seen.count("tl") > 0 ? std::optional(named) : std::nullopt;
}

// One component of a level, with all variables on the same points.
struct Piece
{
  Named First; ///< of the first variable
  PerAxis Points{ 1, 1, 1 };
  Position Origin{ 0, 0, 0 };
  Position Spacing{ 1, 1, 1 };
  std::vector<std::pair<std::string, Object>> Variables = {};
};

class CarpetFile
{
public:
  explicit CarpetFile(const Asked& asked);
  std::optional<Description> Describe();

private:
  template <typename Iterations>
  void SetTime(const Iterations& iterations);

  // Adds a dataset to its piece. Creates the piece if the dataset is its first.
  void Place(const Named& named, const Object& object);
  static std::string ShortName(const std::string& variable);

  // Returns the name without the thorn, unless two thorns have a variable of that name.
  std::string ArrayName(const std::string& variable) const;

  // Returns the cells of a piece, or of another that covers it, in the first piece's spacing.
  static CellBox CellsIn(const Piece& here, const Piece& other, bool whole);
  void AddParts();

  // Returns the cells that finer levels of the map cover, or components of the same level that
  // came before, whose ghost zones overlap. Pieces with other variables cover nothing.
  std::vector<CellRange> CoveredIn(std::size_t index) const;
  static bool SameVariables(const Piece& one, const Piece& other);
  void AddArray(Part& part, const std::string& variable, const Object& object);

  const FileFacts& File;
  std::vector<Piece> Pieces;
  std::map<std::string, std::set<std::string>> Short; ///< the variables of each short name
  DescriptionBuilder Result;
};

CarpetFile::CarpetFile(const Asked& asked)
  : File(asked.File)
  , Result(asked)
{
}

std::optional<Description> CarpetFile::Describe()
{
  // Read the names first. Of many thousand datasets, open those of one iteration only.
  std::map<unsigned long long, std::vector<Named>> iterations;
  std::vector<std::string> others;
  for (const std::string& name : this->File.MembersOf("/", MostMembers))
  {
    if (const auto named = NameOf(name))
    {
      iterations[named->Iteration].push_back(*named);
    }
    else
    {
      others.push_back("/" + name);
    }
  }
  if (iterations.empty())
  {
    return std::nullopt;
  }
  this->Result.SetFormat(
    "Carpet", "the names of the file's datasets are those of Cactus with Carpet");
  this->SetTime(iterations);
  auto step = iterations.begin();
  std::advance(step, static_cast<std::ptrdiff_t>(this->Result.Step()));
  for (const Named& named : step->second)
  {
    const auto object = this->File.ObjectAt("/" + named.Name);
    if (object && object->Dataset)
    {
      this->Place(named, *object);
    }
  }
  for (const std::string& path : others)
  {
    this->Result.LeaveOut(path, "it is no variable of an iteration");
  }
  if (!this->Pieces.empty())
  {
    this->AddParts();
  }
  this->Result.RequireParts(
    "is a file of Carpet, and cannot be shown", "it has no variables", Fault::Refused);
  return this->Result.Finish();
}

template <typename Iterations>
void CarpetFile::SetTime(const Iterations& iterations)
{
  this->Result.ChooseStep(iterations.size());
  std::vector<double> times;
  for (const auto& [number, datasets] : iterations)
  {
    const auto time = this->File.Number("/" + datasets.front().Name, "time");
    times.push_back(time.value_or(static_cast<double>(number)));
  }
  this->Result.SetTime(times[this->Result.Step()]);
  if (times.size() > 1)
  {
    this->Result.ListTimes(std::move(times));
  }
}

void CarpetFile::Place(const Named& named, const Object& object)
{
  if (named.TimeLevel != 0)
  {
    this->Result.LeaveOut(object.Path, "it is of an older time level");
    return;
  }
  const std::size_t axes = object.Shape.size();
  const auto origin = this->File.Numbers(object.Path, "origin", 3);
  const auto delta = this->File.Numbers(object.Path, "delta", 3);
  if (!object.Numbers || object.Elements() == 0 || axes == 0)
  {
    this->Result.LeaveOut(object.Path, fmt::format("it has no numbers ({})", object.Type));
    return;
  }
  if (axes > 3 || origin.size() != axes || delta.size() != axes)
  {
    this->Result.LeaveOut(object.Path,
      fmt::format("its attributes origin and delta have {} and {} numbers, and it {} dimensions",
        origin.size(), delta.size(), axes));
    return;
  }
  Piece piece;
  piece.First = named;
  for (std::size_t axis = 0; axis < axes; ++axis)
  {
    if (!std::isfinite(origin[axis]) || !(delta[axis] > 0) || !std::isfinite(delta[axis]))
    {
      this->Result.LeaveOut(object.Path,
        fmt::format("its origin {} and delta {} are no place", origin[axis], delta[axis]));
      return;
    }
    piece.Points[axis] = object.Shape[axes - 1 - axis];
    piece.Origin[axis] = origin[axis];
    piece.Spacing[axis] = delta[axis];
  }
  auto found = std::find_if(this->Pieces.begin(), this->Pieces.end(),
    [&](const Piece& one)
    {
      return one.First.Map == named.Map && one.First.Level == named.Level &&
        one.First.Component == named.Component && one.Points == piece.Points &&
        one.Origin == piece.Origin && one.Spacing == piece.Spacing;
    });
  if (found == this->Pieces.end())
  {
    found = this->Pieces.insert(this->Pieces.end(), std::move(piece));
  }
  found->Variables.emplace_back(named.Variable, object);
  const std::string name = this->ShortName(named.Variable);
  this->Short[name].insert(named.Variable);
}

std::string CarpetFile::ShortName(const std::string& variable)
{
  return variable.substr(variable.find("::") + 2);
}

std::string CarpetFile::ArrayName(const std::string& variable) const
{
  const std::string name = ShortName(variable);
  return name.empty() || this->Short.at(name).size() > 1 ? variable : name;
}

CellBox CarpetFile::CellsIn(const Piece& here, const Piece& other, bool whole)
{
  CellBox box;
  for (std::size_t axis = 0; axis < 3; ++axis)
  {
    const double points = static_cast<double>(other.Points[axis] - 1);
    const double low = (other.Origin[axis] - here.Origin[axis]) / here.Spacing[axis];
    const double high = low + points * other.Spacing[axis] / here.Spacing[axis];
    const double most = 1e9;
    if (here.Points[axis] == 1)
    {
      box.High[axis] = whole ? 0 : (low <= 0.5 && high >= -0.5 ? 0 : -1);
      continue;
    }
    box.Low[axis] = static_cast<std::int64_t>(std::clamp(std::ceil(low - 1e-3), -most, most));
    box.High[axis] =
      static_cast<std::int64_t>(std::clamp(std::floor(high + 1e-3), -most, most)) - 1;
  }
  return box;
}

void CarpetFile::AddParts()
{
  std::stable_sort(this->Pieces.begin(), this->Pieces.end(),
    [](const Piece& a, const Piece& b)
    {
      return std::tuple(a.First.Map, a.First.Level, a.First.Component) <
        std::tuple(b.First.Map, b.First.Level, b.First.Component);
    });
  const bool maps = this->Pieces.back().First.Map > 0;
  std::set<std::string> taken;
  for (std::size_t index = 0; index < this->Pieces.size(); ++index)
  {
    const Piece& piece = this->Pieces[index];
    std::string name =
      fmt::format("{}level {} component {}", maps ? fmt::format("map {} ", piece.First.Map) : "",
        piece.First.Level, piece.First.Component);
    while (!taken.insert(name).second)
    {
      name += " more";
    }
    Part part{ name, Uniform{ piece.Points, piece.Origin, piece.Spacing } };
    part.Level = static_cast<int>(std::min<unsigned long long>(piece.First.Level, 1000));
    part.Covered = this->CoveredIn(index);
    for (const auto& [variable, object] : piece.Variables)
    {
      this->AddArray(part, variable, object);
    }
    this->Result.AddPart(std::move(part));
  }
}

std::vector<CellRange> CarpetFile::CoveredIn(std::size_t index) const
{
  const Piece& piece = this->Pieces[index];
  std::vector<CellBox> others;
  for (std::size_t other = 0; other < this->Pieces.size(); ++other)
  {
    const Piece& one = this->Pieces[other];
    const bool finer = one.First.Level > piece.First.Level;
    const bool before = one.First.Level == piece.First.Level && other < index;
    if (one.First.Map == piece.First.Map && (finer || before) && SameVariables(one, piece))
    {
      others.push_back(CellsIn(piece, one, false));
    }
  }
  return CoveredCells({ CellsIn(piece, piece, true) }, std::move(others)).front();
}

bool CarpetFile::SameVariables(const Piece& one, const Piece& other)
{
  return std::equal(one.Variables.begin(), one.Variables.end(), other.Variables.begin(),
    other.Variables.end(), [](const auto& a, const auto& b) { return a.first == b.first; });
}

void CarpetFile::AddArray(Part& part, const std::string& variable, const Object& object)
{
  const std::string name = this->ArrayName(variable);
  if (HasArray(part, name))
  {
    this->Result.LeaveOut(object.Path, "another dataset is the same variable");
    return;
  }
  part.Arrays.push_back({ name, Centring::Point, { GridSource(object) } });
}
}

std::optional<Description> RecogniseCarpet(const Asked& asked)
{
  return CarpetFile(asked).Describe();
}

}
