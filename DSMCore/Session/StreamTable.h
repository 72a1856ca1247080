// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace dsm
{

/// What was learned of streams (files whose names differ in their numbers only): how many snapshots
/// each has had, and how large its last file was. Not thread safe.
class StreamTable
{
public:
  /// Bytes of the stream's last file; none before there is one.
  std::optional<std::uint64_t> LastSize(const std::string& fileName) const;

  /// Enters a file that was sealed. Returns its step: the number in its name, else how many the
  /// stream had before it.
  double Enter(const std::string& fileName, std::uint64_t fileSize);

private:
  struct Stream
  {
    std::uint64_t Snapshots = 0;
    std::uint64_t LastSize = 0;
  };

  std::map<std::string, Stream> Streams;
};

}
