// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/FileFacts.h"
#include "Describe/Pattern.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dsm::describe
{

/// Returns a number in a file as a count; 0 if it is none.
std::uint64_t CountFrom(double number);

/// Evaluates what recipes name: "@/Header/Time" and "@Time" are attributes, "/box/edges" is a
/// dataset, "@/Header/MassTable[n]" one number of several, "/real scalars<time>" the number beside
/// the name "time" in a compound dataset. "0.5 0.5 1" are these numbers.
class RecipeValues
{
public:
  /// `file` must outlive this.
  explicit RecipeValues(const FileFacts& file);

  std::vector<double> Numbers(const std::string& what, const Bindings& bindings = {}) const;
  std::optional<double> Number(const std::string& what, const Bindings& bindings = {}) const;
  std::vector<std::string> Texts(const std::string& what) const;

  /// Whether a condition holds: "/group", "@attribute", "@attribute=text". A '!' negates it.
  bool Holds(const std::string& condition) const;

private:
  const FileFacts& File;
};

}
