// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/FileMark.h"

#include <optional>
#include <string>

namespace dsm
{

/// Files of this process that a server is to put on disk as well (ServerOptions::AlsoOnDisk): when
/// the server is lost, this process may be the only one left to say which of them are not there.
/// The last 1000. Thread safe.
class NotYetOnDisk
{
public:
  /// A file is in a server's memory. `there`: what is on disk under its name until it is there
  /// itself, where that is no placeholder.
  static void Add(
    const std::string& contact, const std::string& fileName, const std::optional<FileMark>& there);

  /// The server of that contact file is lost: warns of those that are still not on disk, if there
  /// are any, and forgets them.
  static void Warn(const std::string& contact);
};

}
