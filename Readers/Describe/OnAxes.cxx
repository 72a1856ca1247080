// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/OnAxes.h"

#include <algorithm>

namespace dsm::describe
{

OnAxes PutOnAxes(
  const PerAxis& points, std::array<Source, 3> axes, const std::array<AxisValues, 3>& values)
{
  const auto any = [&](auto condition)
  { return std::any_of(values.begin(), values.end(), condition); };
  if (any([](const AxisValues& one) { return one.Is == AxisValues::Order::None; }))
  {
    return { Curvilinear{ points, { axes.begin(), axes.end() } } };
  }
  OnAxes made;
  Uniform uniform{ points };
  for (std::size_t axis = 0; axis < axes.size(); ++axis)
  {
    uniform.Origin[axis] = values[axis].First;
    uniform.Spacing[axis] = values[axis].Spacing;
    made.Reversed[axis] = values[axis].Is == AxisValues::Order::Descending;
    if (made.Reversed[axis])
    {
      axes[axis].Dimensions[0].Reversed = true;
    }
  }
  if (any([](const AxisValues& one) { return !one.Regular; }))
  {
    made.On = Rectilinear{ points, std::move(axes) };
  }
  else
  {
    made.On = uniform;
  }
  return made;
}

}
