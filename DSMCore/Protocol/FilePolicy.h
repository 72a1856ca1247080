// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Deadline.h"

#include <optional>
#include <string>

namespace dsm
{

class Fields;

/// What a server wants of the files of simulations: which of them, and when it shows them. It tells
/// its peers, also while they run; a simulation's environment overrides it there.
struct FilePolicy
{
  /// Shell patterns with ':' between them (MatchesPattern): files of other names go where they
  /// always went.
  std::string Match = "*";
  /// H5Fflush shows the file's present state as a snapshot, not only H5Fclose.
  bool OnFlush = false;
  /// The server puts files on disk as well, or has done so: a file that a program finds there may
  /// be the server's (FindOnDisk). The server's word, which no setting says.
  bool MayBeOnDisk = false;

  /// This as the environment changes it: DSM_MATCH, and DSM_PUBLISH (close, flush, or seconds).
  /// Throws Error(Usage).
  FilePolicy WithEnvironment() const;

  bool operator==(const FilePolicy&) const = default;
};

/// How often files are to be seen that the program does not flush itself: where DSM_PUBLISH is a
/// number of seconds. None otherwise.
std::optional<Seconds> PublishInterval();

/// What DSM_PUBLISH says of OnFlush; none where it is not set. Throws Error(Usage).
std::optional<bool> PublishFromEnvironment();

/// "close" or "flush"; the inverse throws Error(Usage) that begins with `what`.
const char* PublishText(bool onFlush);
bool PublishFromText(const std::string& text, const std::string& what);

void Describe(Fields&, FilePolicy&);

}
