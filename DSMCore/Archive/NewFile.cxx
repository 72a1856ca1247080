// SPDX-License-Identifier: BSD-3-Clause
#include "Archive/NewFile.h"

#include "Base/Environment.h"
#include "Base/Error.h"
#include "Base/FileDescriptor.h"
#include "Base/FileIdentity.h"
#include "Base/FileName.h"
#include "Base/RenameToFree.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <utility>

namespace dsm
{

namespace
{
std::string FolderOf(const std::string& path)
{
  const auto folder = std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}
}

NewFile::NewFile(const std::string& path, std::optional<FileAccess> access)
  : Path(path)
  , Temporary(NameBeside(path, ".part"))
  , Access(std::move(access))
  , Descriptor(
      open(FolderOf(path).c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, this->Access ? 0600 : 0666))
  , Nameless(this->Descriptor >= 0)
{
  if (!this->Nameless)
  {
    this->Descriptor = open(this->Temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
      this->Access ? 0600 : 0666);
  }
  if (this->Descriptor < 0)
  {
    this->Fail();
  }
}

NewFile::~NewFile()
{
  if (this->Descriptor >= 0)
  {
    close(this->Descriptor);
  }
  if (!this->Finished && !this->Nameless)
  {
    unlink(this->Temporary.c_str());
  }
}

void NewFile::Reserve(std::uint64_t size) const
{
  struct statfs kind = {};
  // In memory, taking the room is half of the work, and those who write do it at the same time.
  const bool isInMemory =
    fstatfs(this->Descriptor, &kind) == 0 && kind.f_type == static_cast<long>(TMPFS_MAGIC);
  if (!isInMemory && fallocate(this->Descriptor, 0, 0, static_cast<off_t>(size)) == 0)
  {
    return;
  }
  const int why = isInMemory ? 0 : errno;
  struct statvfs disk = {};
  if (fstatvfs(this->Descriptor, &disk) != 0)
  {
    return;
  }
  const std::uint64_t available = std::uint64_t{ disk.f_bavail } * disk.f_frsize;
  const bool isSaid = why == ENOSPC || why == EDQUOT;
  if (isSaid || available < size)
  {
    throw Error(Fault::System,
      "cannot save a snapshot as {}: it needs {}, and {} are free there: {}. Make room, or save "
      "elsewhere",
      this->Path, environment::FormatBytes(size), environment::FormatBytes(available),
      SystemText(isSaid ? why : ENOSPC));
  }
}

std::uint64_t NewFile::Write(const std::byte* source, std::uint64_t size) const
{
  const ssize_t written = write(this->Descriptor, source, size);
  if (written < 0 && errno != EINTR)
  {
    this->Fail();
  }
  return static_cast<std::uint64_t>(std::max<ssize_t>(written, 0));
}

void NewFile::WriteText(const std::string& text) const
{
  const auto* bytes = reinterpret_cast<const std::byte*>(text.data()); // NOLINT: as it is written
  for (std::size_t done = 0; done < text.size();)
  {
    done += this->Write(bytes + done, text.size() - done);
  }
}

FileOnDisk NewFile::ForOthers(bool onThisMachine)
{
  struct stat status = {};
  if (fstat(this->Descriptor, &status) != 0)
  {
    this->Fail();
  }
  if (this->Nameless && !onThisMachine)
  {
    this->Name();
  }
  return { this->Nameless ? fmt::format("/proc/{}/fd/{}", getpid(), this->Descriptor)
                          : AbsoluteName(this->Temporary),
    std::uint64_t{ status.st_ino } };
}

void NewFile::Finish()
{
  if (this->Access)
  {
    this->Allow(*this->Access);
  }
  if (this->Nameless)
  {
    this->Name();
  }
  if (close(std::exchange(this->Descriptor, -1)) != 0 ||
    std::rename(this->Temporary.c_str(), this->Path.c_str()) != 0)
  {
    this->Fail();
  }
  this->Finished = true;
}

bool NewFile::LinkAs(const std::string& path) const
{
  const std::string open = fmt::format("/proc/self/fd/{}", this->Descriptor);
  return linkat(AT_FDCWD, open.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

// A link cannot take the place of another file, as a name that is changed does.
void NewFile::Name(const std::string& passing)
{
  const auto nameAs = [this](const std::string& name)
  {
    unlink(name.c_str());
    return this->LinkAs(name);
  };
  if (!passing.empty() && nameAs(passing))
  {
    this->Temporary = passing;
  }
  else if (!nameAs(this->Temporary))
  {
    this->Fail();
  }
  this->Nameless = false;
}

bool NewFile::PutInPlaceOf(int file, const std::string& path)
{
  struct stat status = {};
  const auto access = FileAccess::Of(file);
  if (!access || fstat(file, &status) != 0)
  {
    this->Fail();
  }
  // Only the system's administrator can, and needs to.
  (void)fchown(this->Descriptor, status.st_uid, static_cast<gid_t>(-1));
  this->Allow(*access);
  if (this->Nameless)
  {
    this->Name(this->Passing);
  }
  return this->Exchange(file, path) && this->Put();
}

// The first check keeps others from finding this file, until the second exchange, in place of one
// that has come meanwhile. The second check is made once nobody can put anything else there. Some
// file systems cannot exchange: then another file may come just between.
bool NewFile::Exchange(int file, const std::string& path) const
{
  if (!SameFile(file, path))
  {
    return false;
  }
  const auto exchange = [&]
  {
    return renameat2(AT_FDCWD, this->Temporary.c_str(), AT_FDCWD, path.c_str(), RENAME_EXCHANGE) ==
      0;
  };
  if (exchange())
  {
    if (SameFile(file, this->Temporary))
    {
      unlink(this->Temporary.c_str());
      return true;
    }
    if (!exchange())
    {
      throw Error(Fault::System, "what was put under {} meanwhile is {} now: {}", path,
        this->Temporary, SystemText(errno));
    }
    return false;
  }
  if (errno == ENOENT)
  {
    return false;
  }
  if (errno != EINVAL && errno != ENOSYS)
  {
    this->Fail();
  }
  if (std::rename(this->Temporary.c_str(), path.c_str()) != 0)
  {
    this->Fail();
  }
  return true;
}

void NewFile::Allow(const FileAccess& access) const
{
  if (!access.ApplyTo(this->Descriptor))
  {
    this->Fail();
  }
}

bool NewFile::PutAsNew(const std::string& path)
{
  if (this->Access)
  {
    this->Allow(*this->Access);
  }
  if (this->Nameless ? this->LinkAs(path) : RenameToFree(this->Temporary, path))
  {
    return this->Put();
  }
  if (errno != EEXIST)
  {
    this->Fail();
  }
  return false;
}

// It has its path.
bool NewFile::Put()
{
  this->Finished = true;
  if (close(std::exchange(this->Descriptor, -1)) != 0)
  {
    this->Fail();
  }
  return true;
}

// Its time is set: a file system over a network may do so later.
FileMark NewFile::Mark() const
{
  if (futimens(this->Descriptor, nullptr) == 0)
  {
    if (const auto mark = FileMark::Of(this->Descriptor))
    {
      return *mark;
    }
  }
  this->Fail();
}

std::string NewFile::IdentityAt(const std::string& path) const
{
  return FileIdentity(this->Descriptor, path);
}

void NewFile::Fail() const
{
  throw Error(Fault::System, "cannot save a snapshot as {}: {}", this->Path, SystemText(errno));
}

}
