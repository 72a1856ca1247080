// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace dsm
{

/// The access rights of a file on disk. A copy or a newer state of the file gets the same rights.
struct FileAccess
{
  std::uint64_t Mode = 0;             ///< permission bits, without those that change an identity
  std::optional<std::uint64_t> Group; ///< none: that of new files in a folder
  std::vector<std::uint8_t> List{};   ///< its POSIX access control list; empty: none

  /// Returns that of an open file; none if it cannot be asked.
  static std::optional<FileAccess> Of(int file);

  /// Returns what this process lets others do with the files that it makes (umask); none where the
  /// system does not say it.
  static std::optional<FileAccess> OfNewFiles();

  /// Gives an open file this access. If the file cannot have the group or the list, it allows less:
  /// the group gets what all others have. Returns false where not even the mode can be set.
  bool ApplyTo(int file) const;

  bool operator==(const FileAccess&) const = default;
};

}
