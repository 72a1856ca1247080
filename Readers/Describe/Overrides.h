// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Description.h"
#include "Describe/Pattern.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace dsm::describe
{

/// What users set in place of what a rule assumed, as they write it. Empty: as recognised.
struct Overrides
{
  enum class Centring
  {
    AsRecognised,
    Points,
    Cells
  };

  /// What each dimension of a dataset runs along, the slowest first: "zyx" (the last one along x),
  /// "yxc" with components, "t,z,y,x" with steps, "0,y,x": only the first of them is shown.
  std::string AxisOrder = {};
  std::string Origin = {};  ///< numbers, of x, y and z: "0 0 0.5"
  std::string Spacing = {}; ///< likewise; a single one is that of all axes
  Centring On = Centring::AsRecognised;
  std::string Time = {}; ///< where it is: "/time", "@/Header/Time"; or a number

  bool Any() const { return *this != Overrides(); }
  bool operator==(const Overrides&) const = default;
};

/// A letter for each dimension. Throws Error(Usage) for what is no order of axes.
std::vector<DatasetPattern::Letter> ParseAxisOrder(const std::string& text);

/// The description as the user wants it; what was set is no more assumed. `times` are the numbers
/// that Time names; `step` is the one to show if the order of axes makes a dimension of steps:
/// none: the last. What does not fit any longer is left out. Throws Error(Usage) for what cannot
/// be, or fits nothing in the description.
Description Override(Description description, const Overrides& overrides,
  const std::vector<double>& times, std::optional<std::size_t> step);

}
