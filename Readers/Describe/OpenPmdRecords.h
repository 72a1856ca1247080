// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/DescriptionBuilder.h"
#include "Describe/FileFacts.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dsm::describe
{

/// A component of a record of openPMD: a dataset, or one value everywhere.
struct OpenPmdComponent
{
  std::string Name;
  std::string Path;
  std::vector<std::uint64_t> Shape;
  std::optional<double> Constant;
  double Unit = 1;
  std::vector<double> Position; ///< in the cell; of meshes

  /// Returns where the numbers are, in SI units. `roles` says what the dimensions run along.
  Source SourceOver(const std::vector<Role>& roles) const;
};

/// A record with its components: one without a name, or several.
struct OpenPmdRecord
{
  std::string Name;
  std::string Path;
  std::string Units;     ///< "m s^-1"
  double TimeOffset = 0; ///< how much later than the iteration it is, in the unit of time
  std::vector<OpenPmdComponent> Components;
};

/// Returns 0, 1 or 2 for x, y or z.
std::optional<std::size_t> AxisNamed(const std::string& name);

/// Returns the paths of a group's members.
std::vector<std::string> PathsIn(const FileFacts& file, const std::string& folder);

/// Returns the records in a group, without that named `skipped`. Leaves out members that are no
/// record.
std::vector<OpenPmdRecord> RecordsIn(const Asked& asked, const std::string& folder,
  DescriptionBuilder& result, const std::string& skipped = {});

}
