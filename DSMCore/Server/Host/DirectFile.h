// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/FileDescriptor.h"
#include "Protocol/HostMessages.h"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace dsm
{

/// A file that somebody else has made, to write into. Long runs of whole pages go to the disk from
/// where they are (O_DIRECT), where the file system can do that: the processors, and the memory
/// that the system's copies would fill, are left to the simulation. The rest is written as usual.
/// All throw Error(System) with what the system says, and the machine.
class DirectFile
{
public:
  /// Throws Error(Unsupported) where this machine does not have that file.
  explicit DirectFile(const FileOnDisk& file);

  /// Writes bytes at a place of the file; returns how many it took, which may be fewer.
  std::uint64_t Write(std::uint64_t offset, const std::byte* source, std::uint64_t size);

  /// Some file systems say only now that there is no room.
  void Close();

private:
  std::uint64_t WritePages(std::uint64_t offset, const std::byte* source, std::uint64_t size);

  FileDescriptor Copied;                  ///< what is written by it is copied by the system
  std::unique_ptr<FileDescriptor> Direct; ///< none: the file system cannot
};

}
