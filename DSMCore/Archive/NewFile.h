// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace dsm
{

/// A file that has its name only once it is whole, in place of what had that name; without Finish
/// nothing is left of it. Where the file system can, it has no name before (O_TMPFILE): so also
/// when this process is killed. All throw Error(System) that names the file.
class NewFile
{
public:
  explicit NewFile(const std::string& path);
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile();

  /// Makes room on the disk for a file of that size, or fails at once, saying how much there is.
  /// Where the file system cannot do that, a lack of room shows when bytes are added.
  void Reserve(std::uint64_t size) const;

  /// Adds bytes; returns how many it took.
  std::uint64_t Write(const std::byte* source, std::uint64_t size) const;

  void Finish();

private:
  void Name();
  [[noreturn]] void Fail() const;

  const std::string Path;
  const std::string Temporary;
  int Descriptor;
  bool Nameless;
  bool Finished = false;
};

}
