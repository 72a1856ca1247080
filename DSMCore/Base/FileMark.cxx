// SPDX-License-Identifier: BSD-3-Clause
#include "Base/FileMark.h"

#include <sys/stat.h>

namespace dsm
{

namespace
{
constexpr std::int64_t PerSecond = 1000000000;
}

std::optional<FileMark> FileMark::Of(const struct stat& status)
{
  if (!S_ISREG(status.st_mode))
  {
    return std::nullopt;
  }
  return FileMark{ status.st_ino, static_cast<std::uint64_t>(status.st_size),
    status.st_mtim.tv_sec * PerSecond + status.st_mtim.tv_nsec };
}

std::optional<FileMark> FileMark::Of(int descriptor)
{
  struct stat status = {};
  return fstat(descriptor, &status) == 0 ? Of(status) : std::nullopt;
}

std::optional<FileMark> FileMark::Of(const std::string& path)
{
  struct stat status = {};
  return stat(path.c_str(), &status) == 0 ? Of(status) : std::nullopt;
}

}
