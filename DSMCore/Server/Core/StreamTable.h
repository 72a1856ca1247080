// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/BoundedMap.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace dsm
{

/// What was learned of streams (files whose names differ in their numbers only): how many snapshots
/// each has had, how large its last file was, and what is done to files that are opened again.
/// Knows the last 65536 streams. Not thread safe.
class StreamTable
{
public:
  /// Bytes of the stream's last file; none before there is one.
  std::optional<std::uint64_t> LastSize(const std::string& fileName) const;

  /// Enters a file that was sealed. Returns how many the stream had before it.
  double Enter(const std::string& fileName, std::uint64_t fileSize);

  /// The last one that was entered had been opened again, with `before` bytes, and `written` bytes
  /// were written then.
  void EnterFurther(const std::string& fileName, std::uint64_t before, std::uint64_t written);

  /// Whether the stream's files, when they are opened again, keep most of what they have. None
  /// before one was.
  std::optional<bool> IsAppended(const std::string& fileName) const;

  /// Bytes by which the last file that was opened again became longer; 0: none was.
  std::uint64_t LastGrowth(const std::string& fileName) const;

  /// Whether the last file had most of what it has when it was opened again: rows are appended to
  /// it, say, and it will likely be opened again rather than be followed by another.
  bool GoesOn(const std::string& fileName) const;

private:
  struct Stream
  {
    std::uint64_t Snapshots = 0;
    std::uint64_t LastSize = 0;
    std::optional<bool> Appended;
    std::uint64_t Growth = 0;
    bool GoesOn = false;
  };

  const Stream* Find(const std::string& fileName) const;

  static constexpr std::size_t MostStreams = 65536;
  BoundedMap<std::string, Stream> Streams{ MostStreams };
};

}
