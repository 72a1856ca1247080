// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Recipe.h"
#include "Describe/RecipeDatasets.h"
#include "Describe/RecipeValues.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dsm::describe
{

/// The arrays that a recipe names in one part.
class RecipeArrays
{
public:
  /// All must outlive this.
  RecipeArrays(const Recipe& rules, const RecipeValues& values, RecipeDatasets& datasets,
    DescriptionBuilder& result);

  /// Finds the datasets of the arrays, and returns them.
  std::vector<MeantDataset> Find(const PartGroup& group);

  /// Adds what was found, and constants, to the part, whose geometry is known.
  void AddTo(Part& part, const PartGroup& group);

private:
  // Returns the first dataset of each pattern; none if a pattern means no dataset.
  std::vector<MeantDataset> FindOf(
    const std::string& name, const std::vector<std::string>& patterns, const PartGroup& group);
  void AddArray(Part& part, const std::string& name, const std::vector<MeantDataset>& found);
  void AddField(Part& part, const MeantDataset& field);

  // Returns the names of the variables in one dimension of a dataset.
  std::vector<std::string> VariableNames(const MeantDataset& field) const;

  // Returns whether the dataset is of points or cells; nothing: its shape fits neither.
  std::optional<Centring> CentringOf(const Part& part, const MeantDataset& field) const;
  void ExplainMisfit(const Part& part, const MeantDataset& field);

  const Recipe& Rules;
  const RecipeValues& Values;
  RecipeDatasets& Datasets;
  DescriptionBuilder& Result;
  std::vector<MeantDataset> Fields;                                      ///< an array each
  std::vector<std::pair<std::string, std::vector<MeantDataset>>> Arrays; ///< by name
};

}
