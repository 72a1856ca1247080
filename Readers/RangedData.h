// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

class vtkDataObject;

namespace dsm::readers
{

/// Smaller arrays are not worth a replacement.
inline constexpr std::uint64_t LargeRangedArray = std::uint64_t(1) << 20;

/// Replaces large arrays of points, cells and fields, in all leaves of data that a reader of VTK
/// has made, by arrays that compute their ranges once (NewRangedArray). These share the memory, and
/// have the same names, keys, places and roles. Ghost arrays stay.
void UseRangedArrays(vtkDataObject* data);

}
