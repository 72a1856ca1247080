// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Archive/NewFile.h"

#include <optional>
#include <string>

namespace dsm::repack
{

/// One file of a master and its parts: with all values in itself, without filters that parts have.
/// It never has a name, and is gone with this object. Made beside the master, where there must be
/// room. Uses HDF5, so no other thread of the process may.
class GatheredFile
{
public:
  /// Of any other file nothing is made. Throws Error(System), also where a part is not there: HDF5
  /// would have fill values for it.
  explicit GatheredFile(const std::string& path);

  /// Its path in /proc; empty where nothing was made.
  const std::string& Contents() const { return this->Path; }

private:
  std::optional<NewFile> File;
  std::string Path;
};

}
