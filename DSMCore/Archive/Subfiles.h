// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Archive/SubfileNames.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dsm
{

/// A file that lies on disk in subfiles: what its configuration says.
struct Subfiles
{
  std::uint64_t StripeSize = 0;
  std::vector<std::string> Paths; ///< in their order
  std::string Configuration;      ///< the path of that file

  /// Those of a stub, by its name and inode; none where it is not one. Throws Error(System) when
  /// its configuration cannot be understood.
  static std::optional<Subfiles> Of(const std::string& stub);

  /// Gives a file on disk another name, in the same folder or another on that file system, and its
  /// subfiles if it has some. There must be no file of that name. At each moment it is whole under
  /// the former name or the new one. Throws Error(System).
  static void Rename(const std::string& before, const std::string& now);

  /// The text of the configuration file, as HDF5's driver and h5fuse read it.
  std::string ConfigurationOf(const std::string& stub) const;

  /// The file's size in bytes. Throws Error(System) where a subfile is missing.
  std::uint64_t FileSize() const;
};

}
