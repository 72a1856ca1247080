// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Source.h"

#include <optional>
#include <string>

namespace dsm::describe
{

/// What a file says of a coordinate, by the CF conventions' attributes and by its name.
struct AxisWords
{
  std::string Name;
  std::string Axis = {};         ///< the attribute axis: "X"
  std::string Units = {};        ///< "degrees_east", "hours since 2000-01-01"
  std::string StandardName = {}; ///< "latitude"
  std::string Positive = {};     ///< "up", "down"
};

/// X, Y, Z or Time; nothing if the words do not tell.
std::optional<Role> MeaningOf(const AxisWords& words);

}
