// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Hdf5Contents.h"
#include "Describe/Pattern.h"
#include "Describe/Source.h"

#include <string>
#include <vector>

/// Which datasets are grids or columns, by their shapes alone.
namespace dsm::describe
{

using Shape = std::vector<hsize_t>;

/// What the dimensions of grids are, as users set it; empty: unknown (PlainChoice).
using AxisOrder = std::vector<DatasetPattern::Letter>;

/// "3 x 4".
std::string ShapeText(const Shape& shape);

/// Whether a dataset's numbers can be on a grid: of one to three dimensions, and one of components.
bool IsGrid(const hdf5::Object& object, const AxisOrder& order);

/// Returns which dimensions of a dataset are those of its grid. Unless the user chooses otherwise,
/// the last of four counts components.
std::vector<bool> PlacesOf(const hdf5::Object& object, const AxisOrder& order);

/// Returns the counts along those.
Shape GridShape(const hdf5::Object& object, const AxisOrder& order);

/// Whether a dataset can be a column: a number for each row, or a few.
bool IsColumn(const hdf5::Object& object);

/// Returns a column's numbers.
Source ColumnSource(const hdf5::Object& column);

/// Returns the first of the datasets with most elements, or nullptr.
const hdf5::Object* Largest(const std::vector<hdf5::Object>& objects);

}
