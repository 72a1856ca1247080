// SPDX-License-Identifier: BSD-3-Clause
#include "Memory/DiskFile.h"

#include "Base/Environment.h"
#include "Base/Error.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <utility>

namespace dsm
{

namespace
{
// Where the file system has no files without names, one gets a name for a moment.
int MakeNameless(const std::string& folder)
{
  const int made = open(folder.c_str(), O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
  if (made >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
  {
    return made;
  }
  std::string name = folder + "/.dsm-outgrown-XXXXXX";
  const int named = mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0)
  {
    unlink(name.c_str());
  }
  return named;
}
}

DiskFile::DiskFile(int descriptor, std::string folder)
  : File(std::make_unique<FileDescriptor>(descriptor))
  , Folder(std::move(folder))
{
}

DiskFile DiskFile::Create(const std::string& folder, std::uint64_t size)
{
  const int descriptor = MakeNameless(folder);
  if (descriptor < 0)
  {
    throw Error(Fault::System,
      "what does not fit memory cannot be put on disk in {}: {}. The hosts that share memory must "
      "be able to write where the simulation does",
      folder, SystemText(errno));
  }
  DiskFile made(descriptor, folder);
  if (ftruncate(descriptor, static_cast<off_t>(size)) != 0)
  {
    throw Error(Fault::System,
      "a file for what does not fit memory, of {} at most, is not possible in {}: {}",
      environment::FormatBytes(size), folder, SystemText(errno));
  }
  return made;
}

DiskFile DiskFile::Open(const std::string& path)
{
  const int descriptor = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0)
  {
    throw Error(Fault::NoServer,
      "cannot open what a host has on disk of files that do not fit memory ({}): {}. The server "
      "has stopped",
      path, SystemText(errno));
  }
  return { descriptor, path };
}

void DiskFile::Reserve(std::uint64_t offset, std::uint64_t size) const
{
  // Where the file system cannot, the C library writes into each block.
  int refusal = EINTR;
  while (refusal == EINTR)
  {
    refusal =
      posix_fallocate(this->Descriptor(), static_cast<off_t>(offset), static_cast<off_t>(size));
  }
  if (refusal == 0)
  {
    return;
  }
  struct statvfs disk = {};
  const std::uint64_t available =
    fstatvfs(this->Descriptor(), &disk) == 0 ? std::uint64_t{ disk.f_bavail } * disk.f_frsize : 0;
  throw Error(Fault::System,
    "the file does not fit memory, and the disk of {} has no room for {} more of it ({} are free): "
    "{}. Make room there, or share more memory",
    this->Folder, environment::FormatBytes(size), environment::FormatBytes(available),
    SystemText(refusal));
}

void DiskFile::Release(std::uint64_t offset, std::uint64_t size) const
{
  if (size > 0 &&
    fallocate(this->Descriptor(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
      static_cast<off_t>(offset), static_cast<off_t>(size)) != 0)
  {
    throw Error(Fault::System, "cannot give back room on the disk of {}: {}", this->Folder,
      SystemText(errno));
  }
}

void DiskFile::BeginWriting(std::uint64_t offset, std::uint64_t size) const noexcept
{
  sync_file_range(this->Descriptor(), static_cast<off_t>(offset), static_cast<off_t>(size),
    SYNC_FILE_RANGE_WRITE);
}

void DiskFile::LetGo(std::uint64_t offset, std::uint64_t size) const noexcept
{
  const auto begin = static_cast<off_t>(offset);
  const auto bytes = static_cast<off_t>(size);
  sync_file_range(this->Descriptor(), begin, bytes,
    SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
  posix_fadvise(this->Descriptor(), begin, bytes, POSIX_FADV_DONTNEED);
}

}
