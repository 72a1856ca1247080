// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/FileDescriptor.h"

#include <cstdint>
#include <memory>
#include <string>

namespace dsm
{

/// A file on disk that has no name and is mapped as memory is: what files have that outgrew the
/// memory. The system keeps in memory what is used of it, and reads the rest when somebody does. It
/// goes with the last process that has it open or mapped.
///
/// Move-only. Distinct ranges may be used from several threads.
class DiskFile
{
public:
  /// Makes one in a folder, `size` bytes of address space, for this user only. Throws
  /// Error(System).
  static DiskFile Create(const std::string& folder, std::uint64_t size);

  /// Opens one that another process of this node has. Throws Error(NoServer) when it is gone.
  static DiskFile Open(const std::string& path);

  int Descriptor() const { return this->File->Get(); }

  /// Takes room on the disk, so that nobody who writes there finds none. Throws Error(System) when
  /// there is not enough.
  void Reserve(std::uint64_t offset, std::uint64_t size) const;

  /// Gives the room of whole pages back; they read as zero from then on. Throws Error(System).
  void Release(std::uint64_t offset, std::uint64_t size) const;

  /// Begins to write to disk what only memory has. Never throws: the system does it later anyway.
  void BeginWriting(std::uint64_t offset, std::uint64_t size) const noexcept;

  /// Waits until that is on disk, and lets what no process maps leave memory. Never throws.
  void LetGo(std::uint64_t offset, std::uint64_t size) const noexcept;

private:
  DiskFile(int descriptor, std::string folder);

  std::unique_ptr<FileDescriptor> File;
  std::string Folder;
};

}
