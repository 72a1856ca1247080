// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/DescriptionBuilder.h"
#include "Describe/FileFacts.h"
#include "Describe/ScaledVariable.h"

#include <map>
#include <string>
#include <vector>

namespace dsm::describe
{

/// Finds the dimension scales of a file, and the scales that a dataset has.
class ScaleIndex
{
public:
  /// `file` must outlive this.
  explicit ScaleIndex(const FileFacts& file);

  bool IsNetCdf() const;
  std::string Format() const;
  bool IsScale(const std::string& path) const;

  /// Returns a variable without scales if the dataset has none.
  ScaledVariable VariableOf(const hdf5::Object& object) const;

  /// Returns the datasets with scales. Explains to `result` why others are no fields.
  std::vector<ScaledVariable> Variables(DescriptionBuilder& result) const;

  /// Throws NothingYet if all datasets with scales are empty. The scales alone are not worth
  /// showing.
  void RequireValues() const;

private:
  Scale ScaleAt(const hdf5::Object& object) const;

  // Returns the scales of each dimension: those that are attached, or else those that netCDF names
  // by number, if a program told it not to attach any (PIO, E3SM).
  std::vector<std::vector<std::string>> ScalesOf(const hdf5::Object& object) const;

  // Returns the scale of a dimension whose attributes say most.
  const Scale* Choose(const std::vector<std::string>& paths) const;

  const FileFacts& File;
  std::map<std::string, Scale> Scales;    ///< by path
  std::map<double, std::string> Numbered; ///< their paths by netCDF's numbers of dimensions
};

}
