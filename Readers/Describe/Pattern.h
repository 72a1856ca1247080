// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Source.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dsm::describe
{

/// What the words in braces of a recipe stand for in a part: {n} in "/PartType{n}".
using Bindings = std::map<std::string, std::string>;

/// Puts them in.
std::string Bound(std::string text, const Bindings& bindings);

/// Whether a path is of a pattern's form, and what its words in braces stand for: each for some
/// text without '/'.
std::optional<Bindings> MatchGroup(const std::string& pattern, const std::string& path);

/// One of the datasets that a recipe means: "*[i,c?]".
struct DatasetPattern
{
  struct Letter
  {
    char Is = 0;           ///< x, y, z, i, c, b, t, v; 0: one index
    std::uint64_t At = 0;  ///< that
    bool Optional = false; ///< the dataset may do without
    bool Reversed = false; ///< "-x": from its end

    bool operator==(const Letter&) const = default;
  };

  std::string Path;   ///< a '*' stands for any text without '/'
  std::string Member; ///< "psi<r>[y,x]": of a compound type
  std::vector<Letter> Letters;

  /// The letters for a dataset with so many dimensions; nothing: it is none of these.
  std::optional<std::vector<Letter>> Fit(std::size_t rank) const;

  /// The name of the array in a dataset of this path: of the group or dataset with the '*', else of
  /// the dataset. Nothing: the path is another.
  std::optional<std::string> NameIn(const std::string& path) const;
};

/// The alternatives of "position/value[t,i,c]|position[i,c]". Throws Error(Usage).
std::vector<DatasetPattern> ParsePatterns(const std::string& text);

/// What a letter's dimension runs along; Fixed for v and for an index.
Role RoleOf(char letter);

}
