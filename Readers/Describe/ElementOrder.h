// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

namespace dsm::describe
{

/// For SameCells::Order: how a type of VTK's lists what Exodus and CGNS list otherwise. They go
/// from the bottom up: points on the bottom's edges, on the upright ones, on the top's; VTK has
/// those of the top before the upright. Empty: they agree.
std::vector<int> FromBottomUp(int vtkType);

}
