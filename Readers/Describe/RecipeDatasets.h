// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/DescriptionBuilder.h"
#include "Describe/Geometry.h"
#include "Describe/Pattern.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dsm::describe
{

/// The group of a part, and what the words in braces stand for in it.
struct PartGroup
{
  std::string Path;
  Bindings Words;

  /// Returns the path with a '/' at its end.
  std::string Folder() const;
};

/// A dataset that a pattern means.
struct MeantDataset
{
  const hdf5::Object* Dataset = nullptr;
  std::vector<DatasetPattern::Letter> Letters; ///< of its dimensions
  std::string Name;                            ///< of the array
  std::string Member;                          ///< of a compound type

  /// Returns the count along the dimension with this letter; 0 if there is none.
  std::uint64_t CountOf(char letter) const;

  /// Returns the counts along x, y and z, each at least 1.
  PerAxis Counts() const;
};

/// Finds the datasets that the patterns of a recipe mean.
class RecipeDatasets
{
public:
  /// Along the dimension t, `step` is shown, or else the last. `result` must outlive this.
  RecipeDatasets(
    std::vector<hdf5::Object> objects, std::optional<std::size_t> step, DescriptionBuilder& result);

  const std::vector<hdf5::Object>& Objects() const;

  /// Returns the datasets of the first alternative that has any.
  std::vector<MeantDataset> Find(const std::string& patterns, const PartGroup& group);

  /// Returns where the numbers of a dataset, or of one of its variables, are. Records that they
  /// are shown.
  Source SourceOf(const MeantDataset& meant, std::uint64_t variable = 0);

  /// Returns how many steps are along the dimension t.
  std::uint64_t Steps() const;

  /// Whether a pattern fits an empty dataset.
  bool HasEmpty() const;

private:
  std::vector<hdf5::Object> All;
  std::optional<std::size_t> Step;
  DescriptionBuilder& Result;
  std::uint64_t StepCount = 1;
  bool Empty = false;
};

}
