// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

class vtkDataArraySelection;

/// Selections of many arrays. vtkDataArraySelection searches its list from the front for each name,
/// so to add or ask for 5,000 arrays one by one takes a second.
namespace dsm::readers
{

/// The arrays that a selection disables.
class DisabledArrays
{
public:
  /// Copies the present settings. A null selection disables none.
  explicit DisabledArrays(vtkDataArraySelection* selection);

  bool Has(const std::string& name) const { return this->Names.count(name) > 0; }

private:
  std::unordered_set<std::string> Names;
};

/// Adds arrays that a selection does not have, enabled. The others stay as they are.
void AddArrays(const std::vector<std::string>& names, vtkDataArraySelection* selection);

/// Disables those of a selection's arrays that another one disables.
void DisableArrays(const DisabledArrays& disabled, vtkDataArraySelection* selection);

}
