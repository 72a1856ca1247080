// SPDX-License-Identifier: BSD-3-Clause
#include "Base/FileIdentity.h"

#include "Base/FileDescriptor.h"

#include <fmt/core.h>

#include <fcntl.h>
#include <sys/stat.h>

namespace dsm
{

std::string FileIdentity(int descriptor, const std::string& path)
{
  struct statx status = {};
  if (statx(descriptor, "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, &status) != 0)
  {
    return {};
  }
  return (status.stx_mask & STATX_BTIME) != 0
    ? fmt::format("{}/{}.{:09}", status.stx_ino, status.stx_btime.tv_sec, status.stx_btime.tv_nsec)
    : fmt::format("{}/{}", status.stx_ino, path);
}

std::string FileIdentity(const std::string& path)
{
  const FileDescriptor file(open(path.c_str(), O_PATH | O_CLOEXEC));
  return file.IsOpen() ? FileIdentity(file.Get(), path) : std::string();
}

}
