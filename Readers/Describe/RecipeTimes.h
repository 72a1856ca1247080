// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/RecipeDatasets.h"
#include "Describe/RecipeSteps.h"
#include "Describe/RecipeValues.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dsm::describe
{

/// Finds the times of a file's steps, where its recipe says.
class RecipeTimes
{
public:
  /// `time` is the recipe's field of this name. `file` and `result` must outlive this.
  RecipeTimes(std::string time, const FileFacts& file, DescriptionBuilder& result);

  /// Sets the times of steps that are groups: those in the groups, or else their numbers.
  void SetOf(const RecipeSteps& steps);

  /// Sets the times of so many steps along a dimension of the datasets, and chooses the step,
  /// unless each step is a group that has its time.
  void SetAlong(std::uint64_t steps, const std::vector<PartGroup>& groups);

private:
  // Returns the time of a step that is a group: "{t}", "@/Step#{n}/time".
  std::optional<double> TimeOf(const Bindings& words) const;

  // Reads a list of times, or the time from one of the steps to the next.
  bool Read(const std::string& path, std::uint64_t steps);

  std::string Time;
  const FileFacts& File;
  RecipeValues Values;
  DescriptionBuilder& Result;
  bool InGroups = false; ///< each step that is a group has its time
};

}
