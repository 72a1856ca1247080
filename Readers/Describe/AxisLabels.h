// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/FileFacts.h"
#include "Describe/Pattern.h"

#include <vector>

namespace dsm::describe
{

/// Returns what the labels of a dataset's dimensions say: a letter for each dimension (x, y, z, t,
/// c), with Is 0 if a label is of no such kind. Reads DIMENSION_LABELS and axisLabels. Returns
/// nothing if the dataset has no labels.
std::vector<DatasetPattern::Letter> AxisLabels(const FileFacts& file, const hdf5::Object& dataset);

}
