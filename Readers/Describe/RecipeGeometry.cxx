// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/RecipeGeometry.h"

#include "Describe/AxisValues.h"
#include "Describe/OnAxes.h"
#include "Describe/Text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

namespace dsm::describe
{

RecipeGeometry::RecipeGeometry(const Recipe& rules, const RecipeValues& values,
  RecipeDatasets& datasets, DescriptionBuilder& result)
  : Rules(rules)
  , Values(values)
  , Datasets(datasets)
  , Result(result)
{
}

bool RecipeGeometry::Place(
  Part& part, const std::vector<MeantDataset>& fields, const PartGroup& group)
{
  if (!this->Rules.Points.empty())
  {
    return this->PlacePoints(part, group);
  }
  if (fields.empty())
  {
    return this->Result.LeaveOut(group.Folder(), "it has none of the recipe's fields");
  }
  return this->PlaceGrid(part, fields.front(), group);
}

bool RecipeGeometry::PlacePoints(Part& part, const PartGroup& group)
{
  Coordinates at;
  std::optional<std::uint64_t> count;
  PerAxis points{ 1, 1, 1 };
  bool onGrid = false;
  for (std::string pattern : this->Rules.Points)
  {
    if (const auto number = AsNumber(pattern))
    {
      at.push_back({ Constant{ *number } });
      continue;
    }
    const bool optional = pattern.ends_with('?');
    if (optional)
    {
      pattern.pop_back();
    }
    const auto found = this->Datasets.Find(pattern, group);
    if (found.empty() && optional)
    {
      continue;
    }
    if (found.empty())
    {
      return this->Result.LeaveOut(group.Folder(), fmt::format("it has no {}", pattern));
    }
    const MeantDataset& first = found.front();
    const std::uint64_t own = first.CountOf('i');
    if (count && own != *count)
    {
      return this->Result.LeaveOut(first.Dataset->Path,
        fmt::format("size {} does not match the other coordinates ({})", own, *count));
    }
    count = own;
    const PerAxis counts = first.Counts();
    for (std::size_t axis = 0; axis < points.size(); ++axis)
    {
      points[axis] = std::max(points[axis], counts[axis]);
      onGrid = onGrid || first.CountOf("xyz"[axis]) > 0;
    }
    at.push_back(this->Datasets.SourceOf(first));
  }
  if (onGrid)
  {
    part.On = Curvilinear{ points, std::move(at) };
  }
  else
  {
    part.On = Vertices{ count.value_or(0), std::move(at) };
  }
  return true;
}

bool RecipeGeometry::PlaceGrid(Part& part, const MeantDataset& first, const PartGroup& group)
{
  const PerAxis counts = first.Counts();
  const std::uint64_t blocks = first.CountOf('b');
  if (!this->Rules.Axes.empty())
  {
    if (!this->PlaceAxes(part, blocks > 0, group))
    {
      return false;
    }
  }
  else if (const std::uint64_t rows = first.CountOf('i'); rows > 0)
  {
    part.On = Rows{ rows };
    return true;
  }
  else
  {
    Uniform on = this->UniformOf(counts, group);
    if (!this->Rules.Ends.empty() && !this->SetEnds(on, counts, group))
    {
      return false;
    }
    part.On = on;
  }
  return blocks == 0 || this->PlaceBlocks(part, counts, blocks);
}

bool RecipeGeometry::PlaceAxes(Part& part, bool isBlocks, const PartGroup& group)
{
  Rectilinear on;
  on.Axes.fill(Source{ Constant{ 0 } });
  for (std::size_t axis = 0; axis < std::min<std::size_t>(3, this->Rules.Axes.size()); ++axis)
  {
    const std::string& pattern = this->Rules.Axes[axis];
    if (pattern.empty())
    {
      continue;
    }
    const auto found = this->Datasets.Find(pattern, group);
    if (found.empty())
    {
      return this->Result.LeaveOut(group.Folder(), fmt::format("it has no {}", pattern));
    }
    on.Points[axis] = found.front().CountOf("xyz"[axis]);
    on.Axes[axis] = this->Datasets.SourceOf(found.front());
  }
  part.On = isBlocks ? Geometry(std::move(on)) : this->Simplest(std::move(on));
  return true;
}

Geometry RecipeGeometry::Simplest(Rectilinear on) const
{
  std::array<AxisValues, 3> values;
  for (std::size_t axis = 0; axis < 3; ++axis)
  {
    const auto* stored = std::get_if<Stored>(&on.Axes[axis].From);
    values[axis] = Examine(stored ? this->Values.Numbers(stored->Path) : std::vector{ 0.0 });
    if (values[axis].Is != AxisValues::Order::Ascending)
    {
      return on;
    }
  }
  return PutOnAxes(on.Points, on.Axes, values).On;
}

Uniform RecipeGeometry::UniformOf(const PerAxis& counts, const PartGroup& group) const
{
  Uniform on;
  const bool ofCells = this->Rules.On == "cell" || !this->Rules.Boxes.empty();
  const auto origin = this->Values.Numbers(this->Rules.Origin, group.Words);
  const auto spacing = this->Values.Numbers(this->Rules.Spacing, group.Words);
  for (std::size_t axis = 0; axis < counts.size(); ++axis)
  {
    on.Points[axis] = counts[axis] + (ofCells && counts[axis] > 1 ? 1 : 0);
    if (axis < origin.size())
    {
      on.Origin[axis] = origin[axis];
    }
    if (axis < spacing.size() || spacing.size() == 1)
    {
      on.Spacing[axis] = spacing[std::min(axis, spacing.size() - 1)];
    }
  }
  return on;
}

bool RecipeGeometry::SetEnds(Uniform& on, const PerAxis& counts, const PartGroup& group)
{
  for (std::size_t axis = 0; axis < 3; ++axis)
  {
    const std::string path =
      axis < this->Rules.Ends.size() ? Bound(this->Rules.Ends[axis], group.Words) : std::string();
    const auto ends = this->Values.Numbers(path, group.Words);
    this->Result.Use(path);
    if (ends.empty() && counts[axis] == 1)
    {
      continue;
    }
    const double length = ends.size() < 2 ? 0 : ends.back() - ends.front();
    if (!(length > 0) || !std::isfinite(length))
    {
      return this->Result.LeaveOut(
        path, "it has no two numbers that ascend, where an axis begins and ends");
    }
    on.Origin[axis] = ends.front();
    on.Spacing[axis] = length / static_cast<double>(counts[axis]);
  }
  return true;
}

bool RecipeGeometry::PlaceBlocks(Part& part, const PerAxis& counts, std::uint64_t blocks)
{
  const auto boxes = this->Values.Numbers(this->Rules.Boxes);
  const std::uint64_t axes = boxes.size() / (2 * blocks);
  if (!this->Rules.Boxes.empty() && (axes == 0 || axes > 3 || boxes.size() != 2 * blocks * axes))
  {
    return this->Result.LeaveOut(this->Rules.Boxes, "it has no bounds for each of the blocks");
  }
  const auto levels = this->Values.Numbers(this->Rules.Level);
  const double coarsest = levels.empty() ? 0 : *std::min_element(levels.begin(), levels.end());
  const auto equals = this->Rules.Keep.find('=');
  const auto kept = this->Values.Numbers(this->Rules.Keep.substr(0, equals));
  const auto keep =
    equals == std::string::npos ? std::nullopt : AsNumber(this->Rules.Keep.substr(equals + 1));
  for (std::uint64_t index = 0; index < blocks; ++index)
  {
    if (keep && index < kept.size() && kept[index] != *keep)
    {
      continue;
    }
    Block block{ index };
    block.Level = index < levels.size() ? static_cast<int>(levels[index] - coarsest) : 0;
    for (std::uint64_t axis = 0; axis < axes; ++axis)
    {
      const double low = boxes[2 * (index * axes + axis)];
      const double high = boxes[2 * (index * axes + axis) + 1];
      block.Origin[axis] = low;
      block.Spacing[axis] = high > low ? (high - low) / static_cast<double>(counts[axis]) : 1;
    }
    part.Blocks.push_back(block);
  }
  for (const auto& path :
    { this->Rules.Boxes, this->Rules.Level, this->Rules.Keep.substr(0, equals) })
  {
    this->Result.Use(path);
  }
  return !part.Blocks.empty() || this->Result.LeaveOut(this->Rules.Keep, "no block is to be shown");
}

}
