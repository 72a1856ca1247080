// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Description.h"
#include "Describe/FileFacts.h"

#include <cstddef>
#include <optional>
#include <string>

namespace dsm::describe
{

/// What a recogniser is asked about.
struct Asked
{
  const FileFacts& File; ///< must outlive this
  std::string Name;      ///< the simulation's, absolute: relative names begin in its folder
  /// Of a file with several steps; none: the last, which the simulation has just written.
  std::optional<std::size_t> Step = std::nullopt;
};

/// Describes files of one format. Nothing: the file is not of that format. Throws dsm::Error where
/// it is, and cannot be shown, with what to do. Nothing is printed, and nothing that a file holds
/// makes it crash.
using Recogniser = std::optional<Description> (*)(const Asked&);

}
