// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>

struct stat;

namespace dsm
{

/// By what a file on disk is known again, whatever it is called by then, as long as nobody has
/// written into it. Every machine that has the file system sees the same, so the device, which is
/// each machine's own, is not a part of it.
struct FileMark
{
  std::uint64_t Inode = 0;
  std::uint64_t Size = 0;   ///< bytes
  std::int64_t Changed = 0; ///< nanoseconds since 1970

  /// That of an open file, and of the one that has a name. None where there is none, or it is no
  /// regular file.
  static std::optional<FileMark> Of(int descriptor);
  static std::optional<FileMark> Of(const std::string& path);

  /// Returns that of a file whose status is known; none if it is no regular file.
  static std::optional<FileMark> Of(const struct stat& status);

  auto operator<=>(const FileMark&) const = default;
};

}
