// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/AxisValues.h"
#include "Describe/DescriptionBuilder.h"
#include "Describe/FileFacts.h"
#include "Describe/ScaleIndex.h"
#include "Describe/ScaleSteps.h"
#include "Describe/ScaledVariable.h"

#include <utility>
#include <vector>

namespace dsm::describe
{

/// Finds the points of variables, by the coordinates of their dimensions.
class ScaleGeometry
{
public:
  /// All must outlive this.
  ScaleGeometry(const FileFacts& file, const ScaleIndex& index, const ScaleSteps& steps,
    DescriptionBuilder& result);

  /// Returns the points of a variable. Sets Reversed for its axes that descend.
  Geometry Of(ScaledVariable& variable);

private:
  Vertices ListedPoints(const ScaledVariable& variable);

  // Returns longitudes and latitudes that have a value for each point over x and y.
  std::vector<Source> CurvilinearAt(const ScaledVariable& variable);

  // Returns the coordinates along an axis in the file's order, and how they lie.
  std::pair<Source, AxisValues> AxisAlong(const ScaledVariable& variable, Role role);

  const FileFacts& File;
  const ScaleIndex& Index;
  const ScaleSteps& Steps;
  DescriptionBuilder& Result;
};

}
