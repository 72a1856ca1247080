// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Error.h"
#include "Base/FileMark.h"

#include <optional>
#include <string>

namespace dsm
{

/// The state of a name on disk at the moment when it was looked up. Not thread safe.
class NameLook
{
public:
  NameLook() = default;

  /// Looks up an absolute name.
  explicit NameLook(std::string path);

  /// Returns whether the name is that of a device, a pipe or a folder, which stays what it is.
  bool IsNoFile() const { return this->Exists && !this->Mark; }

  /// Returns whether another program may be the reason of an error. A version that one was led to
  /// is not in memory, and the name has got another one since.
  bool Explains(Fault fault) const;

  /// Returns whether a fault is that a version is not in memory, or may be that.
  static bool IsMissing(Fault fault) { return fault == Fault::Gone || fault == Fault::Refused; }

private:
  std::string Path;
  bool Exists = false;
  std::optional<FileMark> Mark;
};

}
