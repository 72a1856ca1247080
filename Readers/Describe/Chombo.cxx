// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/Chombo.h"

#include "Describe/Covered.h"
#include "Describe/DescriptionBuilder.h"
#include "Describe/NothingYet.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>

namespace dsm::describe
{

using hdf5::Object;

namespace
{
constexpr std::array Letters = { 'i', 'j', 'k' };
constexpr std::uint64_t MostBoxes = std::uint64_t(1) << 24;
constexpr int MostLevels = 64;

struct Level
{
  int Number = 0;
  std::string Group;
  std::vector<CellBox> Boxes = {};
  std::vector<std::uint64_t> Offsets = {}; ///< of each box, in elements
  std::array<std::int64_t, 3> Ratio{};     ///< how much finer the next is
  std::array<std::uint64_t, 3> Ghosts{};
  Position Origin{};
  Position Spacing{ 1, 1, 1 };
  std::vector<std::string> Data = {}; ///< one dataset, or one for each component
};

class ChomboFile
{
public:
  explicit ChomboFile(const Asked& asked);
  std::optional<Description> Describe();

private:
  void ReadNames();

  // Reads the first of these attributes that has one number for all axes, or one for each.
  std::array<double, 3> PerAxisAttribute(const std::string& object,
    const std::vector<std::string>& names, const std::array<double, 3>& otherwise) const;

  // Throws unless all values are whole numbers of `least` or more.
  template <typename T>
  std::array<T, 3> Whole(
    const std::array<double, 3>& values, double least, const std::string& what) const;
  void ReadLevel(int number, const std::string& group);
  void ReadBoxes(Level& level, const Object& boxes);
  void ReadPlace(Level& level);
  double NumberOr(const std::string& object, const std::string& name, double otherwise) const;
  void FindData(Level& level);
  void ReadOffsets(Level& level, const std::vector<std::uint64_t>& sizes);
  void AddPart(std::size_t index);

  // AMReX's "coordinate_system" is 0 for Cartesian coordinates, PLUTO's "geometry" is 1.
  void SayGeometry();

  const FileFacts& File;
  std::size_t Axes = 3;
  std::vector<std::string> Names;
  std::vector<Level> Levels;
  DescriptionBuilder Result;
};

ChomboFile::ChomboFile(const Asked& asked)
  : File(asked.File)
  , Result(asked)
{
}

std::optional<Description> ChomboFile::Describe()
{
  if (!this->File.Number("/Chombo_global", "SpaceDim") || !this->File.Find("/level_0") ||
    !this->File.Has("/", "num_components"))
  {
    return std::nullopt;
  }
  const bool amrex = !this->File.Text("/", "plotfile_type").empty();
  this->Result.SetFormat(
    amrex ? "AMReX" : "Chombo", "the file has levels of boxes, as Chombo and AMReX write them");
  this->Axes = SpaceDimensions(this->File, this->Result);
  this->ReadNames();
  for (int number = 0; number < MostLevels; ++number)
  {
    const std::string group = fmt::format("/level_{}", number);
    if (!this->File.Find(group))
    {
      break;
    }
    this->ReadLevel(number, group);
  }
  for (std::size_t index = 0; index < this->Levels.size(); ++index)
  {
    this->AddPart(index);
  }
  if (this->Result.Parts().empty())
  {
    throw NothingYet("Chombo", "none of its levels has boxes");
  }
  const auto time = this->File.Number("/", "time");
  this->Result.SetTime(time ? time : this->File.Number("/level_0", "time"));
  this->SayGeometry();
  const std::set<std::string> known = { "boxes", "boxcenter", "Processors" };
  this->Result.LeaveOutOthers(this->File.Objects(), [&](const Object& object) -> std::string
    { return known.count(object.Name()) > 0 ? "" : "it is not of the levels' arrays"; });
  return this->Result.Finish();
}

void ChomboFile::ReadNames()
{
  const double count = this->File.NumberOr("/", "num_components", 0);
  if (!(count >= 1 && count <= 100000))
  {
    this->Result.Refuse("its attribute num_components is no number of arrays");
  }
  std::set<std::string> taken;
  for (int component = 0; component < static_cast<int>(count); ++component)
  {
    const std::string attribute = fmt::format("component_{}", component);
    std::string name = this->File.Text("/", attribute);
    name = name.empty() ? attribute : name;
    this->Names.push_back(
      taken.insert(name).second ? name : fmt::format("{} ({})", name, attribute));
  }
}

std::array<double, 3> ChomboFile::PerAxisAttribute(const std::string& object,
  const std::vector<std::string>& names, const std::array<double, 3>& otherwise) const
{
  for (const std::string& name : names)
  {
    auto values = this->File.Numbers(object, name, 3);
    if (values.empty())
    {
      values = this->File.CompoundNumbers(object, name);
    }
    if (values.size() == 1 || values.size() >= this->Axes)
    {
      std::array<double, 3> found = otherwise;
      for (std::size_t axis = 0; axis < this->Axes; ++axis)
      {
        found[axis] = values[values.size() == 1 ? 0 : axis];
      }
      return found;
    }
  }
  return otherwise;
}

template <typename T>
std::array<T, 3> ChomboFile::Whole(
  const std::array<double, 3>& values, double least, const std::string& what) const
{
  std::array<T, 3> whole{};
  for (std::size_t axis = 0; axis < 3; ++axis)
  {
    const double value = values[axis];
    if (!(value >= least && value <= 1e6) || value != std::floor(value))
    {
      this->Result.Refuse("{} is {}", what, value);
    }
    whole[axis] = static_cast<T>(value);
  }
  return whole;
}

void ChomboFile::ReadLevel(int number, const std::string& group)
{
  Level level{ number, group };
  const Object* boxes = this->File.Find(group + "/boxes");
  if (!boxes || !boxes->Dataset || boxes->Shape.size() != 1)
  {
    this->Result.Refuse("{} has no list of boxes", group);
  }
  if (boxes->Shape[0] == 0)
  {
    return;
  }
  this->ReadBoxes(level, *boxes);
  this->ReadPlace(level);
  this->FindData(level);
  this->Levels.push_back(std::move(level));
}

void ChomboFile::ReadBoxes(Level& level, const Object& boxes)
{
  const std::uint64_t count = boxes.Shape[0];
  if (count > MostBoxes)
  {
    this->Result.Refuse("{} has {} boxes, more than {}", level.Group, count, MostBoxes);
  }
  level.Boxes.resize(count);
  for (std::size_t axis = 0; axis < this->Axes; ++axis)
  {
    for (const bool high : { false, true })
    {
      const std::string member = fmt::format("{}_{}", high ? "hi" : "lo", Letters.at(axis));
      if (std::count(boxes.Members.begin(), boxes.Members.end(), member) == 0)
      {
        this->Result.Refuse("the elements of {} have no member {}", boxes.Path, member);
      }
      const auto values = this->File.AllValues(boxes, member);
      for (std::size_t index = 0; index < count; ++index)
      {
        const double value = values[index];
        if (!(std::abs(value) <= std::numeric_limits<std::int32_t>::max()))
        {
          this->Result.Refuse("{} of box {} in {} is {}", member, index, boxes.Path, value);
        }
        (high ? level.Boxes[index].High : level.Boxes[index].Low)[axis] =
          static_cast<std::int64_t>(value);
      }
    }
  }
  for (std::size_t index = 0; index < count; ++index)
  {
    const CellBox& box = level.Boxes[index];
    for (std::size_t axis = 0; axis < this->Axes; ++axis)
    {
      if (box.High[axis] < box.Low[axis])
      {
        this->Result.Refuse("box {} of {} goes from {} to {} along {}", index, level.Group,
          box.Low[axis], box.High[axis], Letters.at(axis));
      }
    }
  }
}

void ChomboFile::ReadPlace(Level& level)
{
  const std::string& group = level.Group;
  level.Spacing = this->PerAxisAttribute(group, { "Vec_dx", "vec_dx", "dx" }, { 0, 0, 0 });
  for (std::size_t axis = 0; axis < 3; ++axis)
  {
    if (axis >= this->Axes)
    {
      level.Spacing[axis] = 1;
    }
    else if (!(level.Spacing[axis] > 0) || !std::isfinite(level.Spacing[axis]))
    {
      this->Result.Refuse("dx of {} is no distance", group);
    }
  }
  // The domain's first cell counts only if the domain has a place.
  const auto low = this->PerAxisAttribute(group, { "prob_lo" },
    this->PerAxisAttribute("/", { "origin" },
      { this->NumberOr(group, "domBeg1", 0), this->NumberOr(group, "domBeg2", 0),
        this->NumberOr(group, "domBeg3", 0) }));
  const auto domain = this->File.CompoundNumbers(group, "prob_domain");
  const bool begins = this->File.Has(group, "prob_lo");
  for (std::size_t axis = 0; axis < this->Axes; ++axis)
  {
    if (axis > 0)
    {
      level.Spacing[axis] *= this->NumberOr(group, fmt::format("g_x{}stretch", axis + 1), 1);
    }
    level.Origin[axis] = low[axis] -
      (begins && domain.size() == 2 * this->Axes ? domain[axis] * level.Spacing[axis] : 0);
  }
  level.Ratio = this->Whole<std::int64_t>(
    this->PerAxisAttribute(group, { "vec_ref_ratio", "ref_ratio" }, { 2, 2, 2 }), 1,
    "ref_ratio of " + group);
  for (std::size_t axis = this->Axes; axis < 3; ++axis)
  {
    level.Ratio[axis] = 1;
  }
  level.Ghosts = this->Whole<std::uint64_t>(
    this->PerAxisAttribute(group + "/data_attributes", { "outputGhost" }, { 0, 0, 0 }), 0,
    "outputGhost of " + group);
  for (std::size_t axis = this->Axes; axis < 3; ++axis)
  {
    level.Ghosts[axis] = 0;
  }
}

double ChomboFile::NumberOr(
  const std::string& object, const std::string& name, double otherwise) const
{
  const double value = this->File.NumberOr(object, name, otherwise);
  return std::isfinite(value) ? value : otherwise;
}

void ChomboFile::FindData(Level& level)
{
  for (std::size_t component = 0; component < this->Names.size(); ++component)
  {
    const Object* data =
      this->File.Find(fmt::format("{}/data:datatype={}", level.Group, component));
    if (!data || !data->Numbers || data->Shape.size() != 1)
    {
      break;
    }
    level.Data.push_back(data->Path);
    this->Result.Use(data->Path);
  }
  if (level.Data.size() > 1 && level.Data.size() < this->Names.size())
  {
    level.Data.resize(1);
  }
  if (level.Data.empty())
  {
    this->Result.Refuse("{} has no list of numbers data:datatype=0", level.Group);
  }
  const std::string type = this->File.Text(level.Group + "/data_attributes", "objectType");
  if (type.find("Node") != std::string::npos || type.find("Flux") != std::string::npos)
  {
    this->Result.Refuse("its values are of {}, and only those of cells are supported", type);
  }
  // Count the elements of each box in a dataset.
  std::vector<std::uint64_t> sizes;
  sizes.reserve(level.Boxes.size());
  for (const CellBox& box : level.Boxes)
  {
    std::uint64_t size = level.Data.size() > 1 ? 1 : this->Names.size();
    for (std::size_t axis = 0; axis < 3; ++axis)
    {
      const auto along =
        static_cast<std::uint64_t>(box.High[axis] - box.Low[axis] + 1) + 2 * level.Ghosts[axis];
      if (size > (std::uint64_t(1) << 44) / along)
      {
        this->Result.Refuse("a box of {} has too many cells", level.Group);
      }
      size *= along;
    }
    sizes.push_back(size);
  }
  this->ReadOffsets(level, sizes);
  const std::uint64_t elements = this->File.Find(level.Data.front())->Elements();
  for (const std::string& path : level.Data)
  {
    const std::uint64_t here = this->File.Find(path)->Elements();
    for (std::size_t index = 0; index < sizes.size(); ++index)
    {
      if (sizes[index] > here || level.Offsets[index] > here - sizes[index])
      {
        this->Result.Refuse("box {} of {} has {} numbers from element {} on, and {} has {}", index,
          level.Group, sizes[index], level.Offsets[index], path, std::min(here, elements));
      }
    }
  }
}

void ChomboFile::ReadOffsets(Level& level, const std::vector<std::uint64_t>& sizes)
{
  const Object* offsets = this->File.Find(level.Group + "/data:offsets=0");
  if (!offsets)
  {
    // Old files have no offsets: the boxes follow one another.
    std::uint64_t next = 0;
    for (const std::uint64_t size : sizes)
    {
      level.Offsets.push_back(next);
      next += size;
    }
    return;
  }
  this->Result.Use(offsets->Path);
  if (!offsets->Numbers || offsets->Shape.size() != 1 || offsets->Shape[0] < sizes.size() ||
    offsets->Shape[0] > MostBoxes + 1)
  {
    this->Result.Refuse("{} has {} elements, and there are {} boxes", offsets->Path,
      offsets->ShapeText(), sizes.size());
  }
  const auto values = this->File.AllValues(*offsets);
  for (std::size_t index = 0; index < values.size(); ++index)
  {
    const double value = values[index];
    if (!(value >= 0 && value <= 1e15))
    {
      this->Result.Refuse("element {} of {} is {}", index, offsets->Path, value);
    }
    if (index < sizes.size())
    {
      level.Offsets.push_back(static_cast<std::uint64_t>(value));
    }
    if (index > 0 && index <= sizes.size() && value - values[index - 1] != double(sizes[index - 1]))
    {
      this->Result.Refuse("box {} of {} has {} numbers by its size and ghost cells, and {} by {}",
        index - 1, level.Group, sizes[index - 1], value - values[index - 1], offsets->Path);
    }
  }
}

void ChomboFile::AddPart(std::size_t index)
{
  const Level& level = this->Levels[index];
  std::vector<std::vector<CellRange>> covered(level.Boxes.size());
  if (index + 1 < this->Levels.size() && this->Levels[index + 1].Number == level.Number + 1)
  {
    std::vector<CellBox> finer;
    for (const CellBox& box : this->Levels[index + 1].Boxes)
    {
      finer.push_back(Coarsened(box, level.Ratio));
    }
    covered = CoveredCells(level.Boxes, std::move(finer));
  }
  Part part{ fmt::format("level {}", level.Number), Uniform{} };
  PerAxis first{ 1, 1, 1 };
  for (std::size_t number = 0; number < level.Boxes.size(); ++number)
  {
    Block block{ number, level.Number };
    PerAxis points{ 1, 1, 1 };
    for (std::size_t axis = 0; axis < this->Axes; ++axis)
    {
      const CellBox& box = level.Boxes[number];
      points[axis] = static_cast<std::uint64_t>(box.High[axis] - box.Low[axis] + 2);
      block.Origin[axis] =
        level.Origin[axis] + static_cast<double>(box.Low[axis]) * level.Spacing[axis];
    }
    first = number == 0 ? points : first;
    block.Spacing = level.Spacing;
    block.Points = points;
    block.FirstElement = level.Offsets[number];
    block.Covered = std::move(covered[number]);
    part.Blocks.push_back(std::move(block));
  }
  part.On = Uniform{ first, part.Blocks.front().Origin, level.Spacing };
  for (std::size_t component = 0; component < this->Names.size(); ++component)
  {
    const bool apart = level.Data.size() > 1;
    Stored from{ level.Data[apart ? component : 0], {}, {}, 0 };
    from.Plane = apart ? 0 : component;
    Source source{ from };
    for (const std::size_t axis : { std::size_t(2), std::size_t(1), std::size_t(0) })
    {
      if (axis < this->Axes)
      {
        const std::uint64_t count = first[axis] - 1;
        Dimension dimension{ SpatialRoles.at(axis), level.Ghosts[axis], count };
        dimension.Of = level.Ghosts[axis] == 0 ? 0 : count + 2 * level.Ghosts[axis];
        source.Dimensions.push_back(dimension);
      }
    }
    part.Arrays.push_back({ this->Names[component], Centring::Cell, { source } });
  }
  this->Result.AddPart(std::move(part));
}

void ChomboFile::SayGeometry()
{
  const bool curved = this->NumberOr("/", "coordinate_system", 0) != 0 ||
    this->NumberOr("/level_0", "geometry", 1) > 2 || this->NumberOr("/level_0", "logr", 0) != 0;
  if (curved)
  {
    this->Result.Guess("Coordinates are shown as if they were Cartesian");
  }
}
}

std::size_t SpaceDimensions(const FileFacts& file, const DescriptionBuilder& result)
{
  const double axes = file.NumberOr("/Chombo_global", "SpaceDim", 0);
  if (axes != 1 && axes != 2 && axes != 3)
  {
    result.Refuse("SpaceDim of /Chombo_global is {}, and 1, 2 or 3 are supported", axes);
  }
  return static_cast<std::size_t>(axes);
}

std::optional<Description> RecogniseChombo(const Asked& asked)
{
  return asked.File.Number("/Chombo_global", "SpaceDim") ? ChomboFile(asked).Describe()
                                                         : std::nullopt;
}

}
