// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/StrongType.h"

#include <cstdint>
#include <string>

namespace dsm
{

/// Which snapshot of a file this process has read last, where it reads one after the other
/// (DSM_READ=next). Thread safe.
class SnapshotsRead
{
public:
  /// Its number; 0 where none was read.
  static SnapshotId Last(const std::string& contact, const std::string& fileName);

  /// A snapshot has been read, and is closed. Numbers only grow.
  static void Note(const std::string& contact, const std::string& fileName, SnapshotId number);
};

}
