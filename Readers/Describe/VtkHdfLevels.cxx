// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/VtkHdfLevels.h"

#include "Base/Error.h"
#include "Describe/Hdf5Attributes.h"
#include "Describe/Hdf5File.h"
#include "Describe/Hdf5Group.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dsm::describe
{

namespace
{
// VTK sorts blocks into as many bins.
constexpr std::int64_t MostBins = std::int64_t(1) << 24;

// Rows of a list from one on, with so many numbers each.
std::vector<int> ReadRows(
  hid_t file, const std::string& path, std::uint64_t first, std::uint64_t count, hsize_t columns)
{
  const hdf5::SilenceErrors silence;
  std::vector<int> numbers(count * columns);
  const hdf5::DatasetHandle dataset(H5Dopen2(file, path.c_str(), H5P_DEFAULT));
  const hdf5::SpaceHandle space(dataset < 0 ? H5I_INVALID_HID : H5Dget_space(dataset));
  const int rank = space < 0 ? 0 : H5Sget_simple_extent_ndims(space);
  const hsize_t start[2] = { first, 0 }, counts[2] = { count, columns };
  const hdf5::SpaceHandle memory(H5Screate_simple(std::clamp(rank, 1, 2), counts, nullptr));
  if (rank < 1 || rank > 2 ||
    (count > 0 &&
      (H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, counts, nullptr) < 0 ||
        H5Dread(dataset, H5T_NATIVE_INT, memory, space, H5P_DEFAULT, numbers.data()) < 0)))
  {
    throw Error(Fault::Usage, "{} cannot be read: {}", path, hdf5::LastErrorText());
  }
  return numbers;
}

std::uint64_t RowsOf(hid_t file, const std::string& path)
{
  const hdf5::SilenceErrors silence;
  const hdf5::DatasetHandle dataset(H5Dopen2(file, path.c_str(), H5P_DEFAULT));
  const hdf5::SpaceHandle space(dataset < 0 ? H5I_INVALID_HID : H5Dget_space(dataset));
  hsize_t shape[H5S_MAX_RANK] = { 0 };
  H5Sget_simple_extent_dims(space, shape, nullptr);
  return shape[0];
}

std::uint64_t NumberAt(hid_t file, const std::string& path, std::size_t step)
{
  return static_cast<std::uint64_t>(std::max(0, ReadRows(file, path, step, 1, 1).front()));
}

int High(const std::array<int, 6>& box, std::size_t axis)
{
  // Of a plane, the high cell is the one before the low.
  return std::max(box[2 * axis], box[2 * axis + 1]);
}
}

std::vector<VtkHdfLevel> LevelsOf(hid_t file, std::optional<std::size_t> step)
{
  const auto version = hdf5::NumbersAttribute(file, "/VTKHDF", "Version");
  std::vector<VtkHdfLevel> levels;
  for (int number = 0;; ++number)
  {
    VtkHdfLevel level;
    level.Path = fmt::format("/VTKHDF/Level{}", number);
    if (hdf5::WhatIs(file, level.Path) != hdf5::Thing::Group)
    {
      break;
    }
    const auto spacing = hdf5::NumbersAttribute(file, level.Path, "Spacing");
    if (!spacing || spacing->size() != 3)
    {
      throw Error(Fault::Usage, "{} needs an attribute Spacing with 3 numbers", level.Path);
    }
    std::copy(spacing->begin(), spacing->end(), level.Spacing.begin());
    level.Short = version == std::vector<double>{ 2, 2 };
    std::uint64_t first = 0, count = 0;
    const std::string boxes = level.Path + "/AMRBox";
    if (step)
    {
      level.Steps = fmt::format("/VTKHDF/Steps/Level{}", number);
      const std::string end = level.Short ? "" : "es";
      count = NumberAt(file, level.Steps + "/NumberOfAMRBox" + end, *step);
      first = NumberAt(file, level.Steps + "/AMRBoxOffset" + (level.Short ? "" : "s"), *step);
    }
    else
    {
      count = RowsOf(file, boxes);
    }
    const auto numbers = ReadRows(file, boxes, first, count, 6);
    level.Boxes.resize(count);
    for (std::size_t box = 0; box < count; ++box)
    {
      std::copy_n(
        numbers.begin() + static_cast<std::ptrdiff_t>(6 * box), 6, level.Boxes[box].begin());
    }
    levels.push_back(std::move(level));
  }
  while (!levels.empty() && levels.back().Boxes.empty())
  {
    levels.pop_back();
  }
  return levels;
}

std::uint64_t BeginOf(hid_t file, const VtkHdfLevel& level, const std::string& kind,
  const std::string& name, std::optional<std::size_t> step)
{
  const std::string path = level.Steps + "/" + kind + (level.Short ? "Offset/" : "Offsets/") + name;
  if (!step || hdf5::WhatIs(file, path) != hdf5::Thing::Dataset)
  {
    return 0;
  }
  return NumberAt(file, path, *step);
}

void CheckNested(const VtkHdfLevel& coarse, const VtkHdfLevel& fine)
{
  // VTK takes the same ratio for all axes.
  const auto ratio = static_cast<std::int64_t>(std::llround(coarse.Spacing[0] / fine.Spacing[0]));
  std::int64_t bins = 1;
  for (std::size_t axis = 0; axis < 3; ++axis)
  {
    std::int64_t low = std::numeric_limits<std::int64_t>::max(), high = -low, total = 0;
    for (const auto& box : coarse.Boxes)
    {
      const bool flat = box[2 * axis + 1] < box[2 * axis];
      const std::int64_t from = box[2 * axis] * (flat ? 1 : ratio);
      const std::int64_t to = flat ? from : (box[2 * axis + 1] + 1) * ratio - 1;
      low = std::min(low, from);
      high = std::max(high, to);
      total += to - from + 1;
    }
    const auto blocks = static_cast<std::int64_t>(coarse.Boxes.size());
    if (blocks == 0 || high >= std::numeric_limits<int>::max() ||
      low <= std::numeric_limits<int>::min())
    {
      throw Error(Fault::Usage, "{} has blocks, and {} has none, or they are too large", fine.Path,
        coarse.Path);
    }
    for (const auto& box : fine.Boxes)
    {
      if (box[2 * axis] < low || High(box, axis) > high)
      {
        throw Error(Fault::Usage,
          "{} has a block from {} to {} along an axis, outside of those of {}, which are from {} "
          "to {} there",
          fine.Path, box[2 * axis], High(box, axis), coarse.Path, low, high);
      }
    }
    bins *= (high - low) / std::max<std::int64_t>(1, total / blocks) + 1;
    if (bins > MostBins)
    {
      throw Error(
        Fault::Usage, "the blocks of {} lie too far from each other for VTK", coarse.Path);
    }
  }
}

}
