// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/AxisValues.h"
#include "Describe/Geometry.h"

#include <array>

namespace dsm::describe
{

/// A structured grid, and which axes its arrays are to be read along from their ends.
struct OnAxes
{
  Geometry On;
  std::array<bool, 3> Reversed{};
};

/// The simplest geometry with these coordinates along x, y and z: uniform, else rectilinear; points
/// of their own where some axis neither ascends nor descends. Axes with one point may be constants.
OnAxes PutOnAxes(
  const PerAxis& points, std::array<Source, 3> axes, const std::array<AxisValues, 3>& values);

}
