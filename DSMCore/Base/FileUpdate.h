// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace dsm
{

/// Keeps others that update the same file in this way from doing so until the end: for who reads a
/// file and writes what follows from that. It is a lock of the open file description (fcntl,
/// F_OFD_SETLK): it is in no program's way that locks the file by flock, as HDF5 does, and goes
/// with a process that is killed.
///
/// Waits for others a second at most, since one of them may be suspended, and then goes on without
/// the lock; likewise on file systems without locks. Thread safe.
class FileUpdate
{
public:
  /// `file`: open for writing until the end of this object.
  explicit FileUpdate(int file);
  ~FileUpdate();
  FileUpdate(const FileUpdate&) = delete;
  FileUpdate& operator=(const FileUpdate&) = delete;

private:
  const int File;
};

}
