// SPDX-License-Identifier: BSD-3-Clause
#include "Base/FileAccess.h"

#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <ios>
#include <string>

namespace dsm
{

namespace
{
constexpr mode_t Permissions = 0777;
constexpr const char* ListName = "system.posix_acl_access";

std::vector<std::uint8_t> ListOf(int file)
{
  std::vector<std::uint8_t> list;
  for (ssize_t size = fgetxattr(file, ListName, nullptr, 0); size > 0;)
  {
    list.resize(static_cast<std::size_t>(size));
    const ssize_t got = fgetxattr(file, ListName, list.data(), list.size());
    if (got >= 0)
    {
      list.resize(static_cast<std::size_t>(got));
      return list;
    }
    size = errno == ERANGE ? fgetxattr(file, ListName, nullptr, 0) : 0; // it has grown
  }
  return {};
}

// Returns the mode in which the group may do no more than all others.
mode_t WithoutGroup(mode_t mode)
{
  return mode & ~(S_IRWXG & ~((mode & S_IRWXO) << 3));
}
}

std::optional<FileAccess> FileAccess::Of(int file)
{
  struct stat status = {};
  if (fstat(file, &status) != 0)
  {
    return std::nullopt;
  }
  return FileAccess{ status.st_mode & Permissions, status.st_gid, ListOf(file) };
}

// To ask by umask() is to change it, which other threads would notice.
std::optional<FileAccess> FileAccess::OfNewFiles()
{
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
  {
    unsigned mask = 0;
    if (word == "Umask:" && status >> std::oct >> mask)
    {
      return FileAccess{ 0666 & ~mask, std::nullopt, {} };
    }
  }
  return std::nullopt;
}

bool FileAccess::ApplyTo(int file) const
{
  struct stat status = {};
  if (fstat(file, &status) != 0)
  {
    return false;
  }
  mode_t mode = static_cast<mode_t>(this->Mode) & Permissions;
  const bool isItsGroup = !this->Group || *this->Group == status.st_gid ||
    fchown(file, static_cast<uid_t>(-1), static_cast<gid_t>(*this->Group)) == 0;
  if (!isItsGroup)
  {
    mode = WithoutGroup(mode);
  }
  // In some folders new files have a list of their own.
  if (this->List.empty())
  {
    fremovexattr(file, ListName);
    return fchmod(file, mode) == 0;
  }
  // A mode's bits for the group are what a list allows at most.
  const bool isListed =
    isItsGroup && fsetxattr(file, ListName, this->List.data(), this->List.size(), 0) == 0;
  if (!isListed)
  {
    fremovexattr(file, ListName);
  }
  return fchmod(file, isListed ? mode : WithoutGroup(mode)) == 0;
}

}
