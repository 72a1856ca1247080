// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace dsm
{

/// Folders that did not take the placeholder of a file of this process: they cannot be written, or
/// are full. What is in memory of them is found by asking the server. Thread safe.
class FoldersWithoutNames
{
public:
  /// Adds that of a file. True the first time that there is any, which a user is to be told.
  static bool Add(const std::string& fileName);

  /// Whether that of a file is one.
  static bool HasThatOf(const std::string& fileName);
};

}
