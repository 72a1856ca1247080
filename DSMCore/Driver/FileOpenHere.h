// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace dsm
{

/// A file in memory that this process has open for itself, from its construction to its end. What
/// is opened a second time in a process is the same file to HDF5, as with sec2: both see what was
/// written, and it is closed with the last of them. Thread safe.
class FileOpenHere
{
public:
  explicit FileOpenHere(std::string identity);
  ~FileOpenHere();
  FileOpenHere(const FileOpenHere&) = delete;
  FileOpenHere& operator=(const FileOpenHere&) = delete;

  /// True when there is any.
  static bool Any();

  /// True when there is one of that identity, any text.
  static bool Exists(const std::string& identity);

private:
  const std::string Identity;
};

}
