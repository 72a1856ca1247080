// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/DescriptionBuilder.h"
#include "Describe/FileFacts.h"
#include "Describe/ScaleIndex.h"
#include "Describe/ScaledVariable.h"

#include <cstdint>
#include <vector>

namespace dsm::describe
{

/// The steps of a file along the time scale that most of its variables have.
class ScaleSteps
{
public:
  /// Chooses the step, and sets the times in `result`. Throws NothingYet if there is no step. All
  /// must outlive this.
  ScaleSteps(const std::vector<ScaledVariable>& variables, const ScaleIndex& index,
    const FileFacts& file, DescriptionBuilder& result);

  /// Returns where the numbers of a variable are at the chosen step.
  Source SourceOf(const ScaledVariable& variable) const;

private:
  void SetTimes(std::uint64_t steps, const ScaleIndex& index);

  const FileFacts& File;
  DescriptionBuilder& Result;
  const Scale* TimeScale = nullptr;
};

}
