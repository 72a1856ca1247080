// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/ScaledVariable.h"

#include <algorithm>

namespace dsm::describe
{

const Scale* ScaledVariable::ScaleOf(Role role) const
{
  for (std::size_t axis = 0; axis < this->Dimensions.size(); ++axis)
  {
    if (this->Dimensions[axis].Is == role)
    {
      return this->Scales[axis];
    }
  }
  return nullptr;
}

std::uint64_t ScaledVariable::CountOf(Role role) const
{
  for (const Dimension& dimension : this->Dimensions)
  {
    if (dimension.Is == role)
    {
      return dimension.Count;
    }
  }
  return 1;
}

bool ScaledVariable::Has(Role role) const
{
  return std::any_of(this->Dimensions.begin(), this->Dimensions.end(),
    [&](const Dimension& dimension) { return dimension.Is == role; });
}

bool ScaledVariable::IsSpatial() const
{
  return std::any_of(this->Dimensions.begin(), this->Dimensions.end(),
    [](const Dimension& dimension)
    { return dimension.Is == Role::Index || describe::IsSpatial(dimension.Is); });
}

}
