// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Description.h"
#include "Describe/FileFacts.h"

#include <cstddef>
#include <optional>
#include <string>

namespace dsm::describe
{

/// The file that a recogniser is asked about.
struct Asked
{
  const FileFacts& File; ///< must outlive this
  std::string Name;      ///< the simulation's, absolute: relative names begin in its folder
  /// Of a file with several steps; none: the last, which the simulation has just written.
  std::optional<std::size_t> Step = std::nullopt;
};

/// Describes files of one format. Returns nothing if the file is of another. Throws dsm::Error,
/// with a remedy, if the file is of the format and cannot be shown. Never prints, and never
/// crashes, whatever the file holds.
using Recogniser = std::optional<Description> (*)(const Asked&);

}
