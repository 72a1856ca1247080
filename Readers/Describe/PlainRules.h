// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Pattern.h"
#include "Describe/Recogniser.h"

#include <array>
#include <string>
#include <vector>

namespace dsm::describe
{

/// What somebody has chosen about a file of which nothing else is known.
struct PlainChoice
{
  enum class As
  {
    Any,
    Image,
    Table,
    Points
  };
  As Show = As::Any;
  /// The datasets with the points' coordinates, by the ends of their paths; all empty: by names.
  std::array<std::string, 3> Columns = {};
  /// What dimensions of grids are, by letters (ParseAxisOrder): which of them have places, and
  /// which are components or steps. That x, y and z come in this order is left to Override.
  std::vector<DatasetPattern::Letter> Order = {};
  bool StepGroups = true;      ///< groups with numbers for names are the run's steps
  bool GridCoordinates = true; ///< datasets with usual names are the coordinates of grids
};

/// Describes any file with datasets of numbers, by their shapes and names. Points, if the largest
/// datasets are columns with coordinates among them: one part for each set of coordinates. A table,
/// if the largest are columns. Else grids, by their shapes: one part for each that has as many
/// dimensions as the largest. A dimension that datasets share with a list of times, or that alone
/// is unlimited, is that of steps (FindPlainTime). What is guessed so, and what is left out, is
/// said. Throws dsm::Error if there is nothing to show, or not what was chosen.
Description DescribePlain(const Asked& asked, const PlainChoice& choice);

}
