// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/RefusedAppend.h"

#include "Base/FileDescriptor.h"
#include "Base/FileIdentity.h"
#include "Base/FileLock.h"
#include "Driver/FileLocking.h"

#include <fmt/format.h>

#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>

namespace dsm::refusedappend
{

namespace
{
struct Attempt
{
  std::string Path;
  std::optional<std::string> Why;
  std::string OnDisk; ///< the FileIdentity of the file that HDF5's own driver opens
};

std::optional<Attempt>& Last()
{
  thread_local std::optional<Attempt> last;
  return last;
}

bool IsLockedOnDisk(const std::string& path)
{
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  return file.IsOpen() && IsLockedByOthers(file.Get(), LOCK_EX);
}
}

void Note(const std::string& path, const std::optional<std::string>& why)
{
  Last() = Attempt{ path, why, why ? std::string() : FileIdentity(path) };
}

void Forget()
{
  Last().reset();
}

std::optional<std::string> Reason(const std::string& path, bool locks)
{
  const auto last = std::exchange(Last(), std::nullopt);
  if (!last || last->Path != path)
  {
    return std::nullopt;
  }
  if (last->Why)
  {
    const bool isLock = last->Why->find(fmt::format("errno = {},", EAGAIN)) != std::string::npos;
    return isLock ? last->Why : std::nullopt;
  }
  // Another program may have removed that file, and a third one made another.
  const bool isThere = !last->OnDisk.empty() && FileIdentity(path) == last->OnDisk;
  return locks && isThere && IsLockedOnDisk(path) ? std::optional(LockedOnDiskText(path))
                                                  : std::nullopt;
}

}
