// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Recipe.h"
#include "Describe/RecipeDatasets.h"
#include "Describe/RecipeValues.h"

#include <cstdint>
#include <vector>

namespace dsm::describe
{

/// Finds where the points of a part are, by a recipe.
class RecipeGeometry
{
public:
  /// All must outlive this.
  RecipeGeometry(const Recipe& rules, const RecipeValues& values, RecipeDatasets& datasets,
    DescriptionBuilder& result);

  /// Sets the geometry of a part with these fields, and its blocks. Returns false if it has none,
  /// and records why.
  bool Place(Part& part, const std::vector<MeantDataset>& fields, const PartGroup& group);

private:
  bool PlacePoints(Part& part, const PartGroup& group);
  bool PlaceGrid(Part& part, const MeantDataset& first, const PartGroup& group);
  bool PlaceAxes(Part& part, bool isBlocks, const PartGroup& group);

  // Returns an image if the coordinates are at equal distances.
  Geometry Simplest(Rectilinear on) const;
  Uniform UniformOf(const PerAxis& counts, const PartGroup& group) const;

  // Places cells between the two ends of each axis.
  bool SetEnds(Uniform& on, const PerAxis& counts, const PartGroup& group);
  bool PlaceBlocks(Part& part, const PerAxis& counts, std::uint64_t blocks);

  const Recipe& Rules;
  const RecipeValues& Values;
  RecipeDatasets& Datasets;
  DescriptionBuilder& Result;
};

}
