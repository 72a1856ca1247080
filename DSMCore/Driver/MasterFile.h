// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/StrongType.h"

#include <cstdint>
#include <optional>
#include <string>

namespace dsm
{

/// A snapshot whose virtual datasets and external links lead to other files. HDF5 opens those with
/// the access list of the file that leads to them, so this process finds the master by a number in
/// that list (AccessInfo). Thread safe.
struct MasterFile
{
  std::string Contact;   ///< of its server
  SnapshotId Number = 0; ///< of the snapshot
  /// HDF5 looks for other files in the folder of the name by which the master was opened. If that
  /// was a snapshot's name ("run.dsm#12"), the files are in the folder of the simulation instead.
  std::string FolderOpened{};
  std::string Folder{};

  /// Returns the name of a file that this master leads to, as the simulation sees it.
  std::string Translated(const std::string& name) const;

  /// Returns the number of a master in this process, from 1 on. Masters are never forgotten.
  static std::uint64_t Enter(const MasterFile& master);

  /// Returns the master of a number; none for 0.
  static std::optional<MasterFile> Find(std::uint64_t entered);

  bool operator==(const MasterFile&) const = default;
};

}
