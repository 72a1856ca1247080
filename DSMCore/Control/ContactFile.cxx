// SPDX-License-Identifier: BSD-3-Clause
#include "Control/ContactFile.h"

#include "Base/Error.h"
#include "Base/FileDescriptor.h"
#include "Base/FileName.h"
#include "Base/Log.h"
#include "Base/RenameToFree.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace dsm
{

namespace
{
// The content of an open file from its beginning; a contact file is far smaller than the limit.
std::string Content(int descriptor)
{
  std::string text(1 << 16, '\0');
  const ssize_t got = pread(descriptor, text.data(), text.size(), 0);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

std::optional<Contact> Existing(int descriptor)
{
  try
  {
    return Contact::FromText(Content(descriptor));
  }
  catch (const Error&)
  {
    return std::nullopt;
  }
}

[[noreturn]] void ThrowInUse(const std::string& path, const std::optional<Contact>& holder)
{
  const std::string who = holder ? fmt::format("process {} on {}, started {}", holder->Process,
                                     holder->HostName, holder->Started)
                                 : "which is starting";
  throw Error(Fault::Usage,
    "a server is already running with {} ({}). Reconnect to it, choose another contact file, or "
    "stop it (its snapshots will be lost)",
    path, who);
}

// Takes the lock; false when another holds it. Some file systems know no locks (Lustre mounted
// without them): there the process the file names is asked instead.
bool Lock(int descriptor, const std::string& path, bool firstTime)
{
  while (flock(descriptor, LOCK_EX | LOCK_NB) != 0)
  {
    if (errno == EWOULDBLOCK)
    {
      return false;
    }
    if (errno == ENOLCK || errno == EOPNOTSUPP || errno == ENOSYS)
    {
      if (firstTime)
      {
        Log().warn(
          "the file system of {} has no locks: two servers started on this contact file from "
          "different machines would not notice each other",
          path);
      }
      const auto before = Existing(descriptor);
      return !(before && before->Node == NodeIdentity() &&
        kill(static_cast<pid_t>(before->Process), 0) == 0);
    }
    if (errno != EINTR)
    {
      throw Error(Fault::System, "cannot lock the contact file {}: {}", path, SystemText(errno));
    }
  }
  return true;
}

// What stands there must be ours to replace: a slip of the finger ("--contact out.h5") must not
// cost anybody a data file, nor another user's file receive our secret.
void CheckReplaceable(int descriptor, const std::string& path)
{
  struct stat status = {};
  if (fstat(descriptor, &status) != 0)
  {
    throw Error(Fault::System, "cannot examine the contact file {}: {}", path, SystemText(errno));
  }
  if (!S_ISREG(status.st_mode))
  {
    throw Error(
      Fault::Usage, "{} is no regular file: give another name for the contact file", path);
  }
  if (status.st_uid != geteuid())
  {
    throw Error(Fault::Usage,
      "{} belongs to another user (uid {}), who could read the key: give another name for the "
      "contact file",
      path, status.st_uid);
  }
  if (status.st_size == 0)
  {
    return;
  }
  const auto before = Existing(descriptor);
  if (!before)
  {
    throw Error(Fault::Usage,
      "{} exists and is no contact file, so it is not overwritten: give another name, or remove it",
      path);
  }
  Log().info("replacing the contact file {}: its server (process {} on {}, started {}) ended "
             "without removing it",
    path, before->Process, before->HostName, before->Started);
}

void Write(int descriptor, const std::string& path, const std::string& text)
{
  struct stat status = {};
  if (fchmod(descriptor, S_IRUSR | S_IWUSR) != 0 || fstat(descriptor, &status) != 0)
  {
    throw Error(Fault::System, "cannot make the contact file {} private (mode 0600): {}", path,
      SystemText(errno));
  }
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0)
  {
    throw Error(Fault::System,
      "the file system of {} cannot keep files private (the mode stays {:o}), and a contact file "
      "holds a key: put it into another folder",
      path, status.st_mode & 07777U);
  }
  for (std::size_t done = 0; done < text.size();)
  {
    const ssize_t wrote =
      pwrite(descriptor, text.data() + done, text.size() - done, static_cast<off_t>(done));
    if (wrote < 0 && errno != EINTR)
    {
      throw Error(Fault::System, "cannot write the contact file {}: {}", path, SystemText(errno));
    }
    done += wrote > 0 ? static_cast<std::size_t>(wrote) : 0;
  }
  // On a network file system other machines see what is written only from here on, as the file
  // stays open.
  if (fsync(descriptor) != 0 && errno != EINVAL && errno != EROFS)
  {
    throw Error(Fault::System, "cannot write the contact file {}: {}", path, SystemText(errno));
  }
}

// Gives a complete file its name. False when there is one of that name which is not to be replaced.
bool Rename(const std::string& from, const std::string& to, bool replace)
{
  const bool isDone = replace ? rename(from.c_str(), to.c_str()) == 0 : RenameToFree(from, to);
  if (!isDone && (replace || errno != EEXIST))
  {
    throw Error(Fault::System, "cannot write the contact file {}: {}", to, SystemText(errno));
  }
  return isDone;
}

[[noreturn]] void ThrowCannotMake(const std::string& path)
{
  throw Error(Fault::System,
    "cannot write the contact file {}: {}. Choose a folder that exists and that you can write to",
    path, SystemText(errno));
}

// Makes the file under another name, since nobody may have opened before what then receives the
// key, and gives it its name when it is complete and locked. Its descriptor, or -1 when there is a
// file by then and it is not to be replaced.
int Create(const std::string& path, const std::string& text, bool replace)
{
  std::string made = path + ".XXXXXX";
  const int descriptor = mkostemp(made.data(), O_CLOEXEC);
  if (descriptor < 0)
  {
    ThrowCannotMake(path);
  }
  try
  {
    Lock(descriptor, path, !replace); // where there are no locks, that was said of the one before
    Write(descriptor, path, text);
    if (Rename(made, path, replace))
    {
      return descriptor;
    }
  }
  catch (...)
  {
    unlink(made.c_str());
    close(descriptor);
    throw;
  }
  unlink(made.c_str());
  close(descriptor);
  return -1;
}
}

std::string CrashFileOf(const std::string& contactPath)
{
  return contactPath + ".crashed";
}

ContactFile::ContactFile(const std::string& path, const Contact& contact)
  : FilePath(AbsoluteName(path))
  , Owner(getpid())
{
  // A server that is just ending holds the lock for a moment.
  const Deadline deadline(std::chrono::milliseconds(500));
  for (bool firstTime = true;; firstTime = false)
  {
    const int before =
      open(this->FilePath.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
    if (before < 0 && errno == ELOOP)
    {
      throw Error(Fault::Usage,
        "{} is a symbolic link, and where it leads may be another's: give the contact file's own "
        "name, or remove it",
        this->FilePath);
    }
    if (before < 0 && errno != ENOENT)
    {
      ThrowCannotMake(this->FilePath);
    }
    if (before < 0)
    {
      this->Descriptor = Create(this->FilePath, contact.ToText(), false);
      if (this->Descriptor >= 0)
      {
        unlink(CrashFileOf(this->FilePath).c_str());
        return;
      }
      // There is one now.
      if (deadline.Expired())
      {
        ThrowInUse(this->FilePath, std::nullopt);
      }
      continue;
    }
    bool stays = false;
    std::optional<Contact> holder;
    try
    {
      const bool locked = Lock(before, this->FilePath, firstTime);
      stays = SameFile(before, this->FilePath);
      if (locked && stays)
      {
        // Whoever comes now waits for this lock, and then finds another file.
        CheckReplaceable(before, this->FilePath);
        this->Descriptor = Create(this->FilePath, contact.ToText(), true);
        unlink(CrashFileOf(this->FilePath).c_str());
        close(before);
        return;
      }
      holder = Existing(before);
    }
    catch (...)
    {
      close(before);
      throw;
    }
    close(before);
    // A locked file with another inode was removed by its server while we waited: take the next.
    if (deadline.Expired())
    {
      ThrowInUse(this->FilePath, holder);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(stays ? 20 : 1));
  }
}

void WriteContact(const std::string& givenPath, const Contact& contact, std::optional<gid_t> group)
{
  const std::string path = AbsoluteName(givenPath);
  struct stat before = {};
  // Asked first, since not every file system can give a name only where there is none.
  const bool taken = lstat(path.c_str(), &before) == 0;
  const int descriptor = taken ? -1 : Create(path, contact.ToText(), false);
  if (descriptor < 0)
  {
    throw Error(Fault::Usage, "there is a file {}: give another name, or remove it", path);
  }
  const bool shared = !group ||
    (fchown(descriptor, static_cast<uid_t>(-1), *group) == 0 &&
      fchmod(descriptor, S_IRUSR | S_IWUSR | S_IRGRP) == 0);
  const int failure = errno;
  close(descriptor);
  if (!shared)
  {
    unlink(path.c_str());
    throw Error(Fault::System, "cannot give {} to the group: {}", path, SystemText(failure));
  }
}

ContactFile::~ContactFile()
{
  // A forked child holds a copy of this object, but the file is the parent's.
  if (getpid() == this->Owner && SameFile(this->Descriptor, this->FilePath))
  {
    unlink(this->FilePath.c_str());
    unlink(CrashFileOf(this->FilePath).c_str());
  }
  close(this->Descriptor);
}

}
