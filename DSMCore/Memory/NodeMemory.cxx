// SPDX-License-Identifier: BSD-3-Clause
#include "Memory/NodeMemory.h"

#include <sys/statvfs.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>

namespace dsm
{

namespace
{
constexpr std::uint64_t NoLimit = std::numeric_limits<std::uint64_t>::max();

// A file that holds one number; "max" and missing files mean no limit.
std::uint64_t NumberIn(const std::string& path)
{
  std::ifstream file(path);
  std::uint64_t number = 0;
  return file >> number ? number : NoLimit;
}

// The number behind a word in a file of such pairs; `otherwise` when it is not there.
std::uint64_t NumberOf(
  const std::string& path, const std::string& word, const std::uint64_t otherwise)
{
  std::ifstream file(path);
  for (std::string found; file >> found;)
  {
    std::uint64_t number = 0;
    if (found == word && file >> number)
    {
      return number;
    }
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return otherwise;
}

// How the two versions of control groups name things.
struct GroupFiles
{
  std::string Folder, Limit, Used, Reclaimable;
};

// What a group's limit leaves. Cached files count as used, and go when memory is wanted.
std::uint64_t LeftIn(const std::string& folder, const GroupFiles& files)
{
  const std::uint64_t limit = NumberIn(folder + files.Limit);
  const std::uint64_t used = NumberIn(folder + files.Used);
  if (limit == NoLimit || used == NoLimit)
  {
    return NoLimit;
  }
  const std::uint64_t cached =
    std::min(used, NumberOf(folder + "/memory.stat", files.Reclaimable, 0));
  return limit - std::min(limit, used - cached);
}

// What the limits of this process's group and of those above leave. Inside a container the paths
// may be those of the machine outside: the groups that are not there are passed over.
std::uint64_t LeftInGroups(const std::string& root)
{
  std::uint64_t left = NoLimit;
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);)
  {
    // "0::/PATH", or in version 1 "NUMBER:memory:/PATH"
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos)
    {
      continue;
    }
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    GroupFiles files{ "/sys/fs/cgroup", "/memory.max", "/memory.current", "inactive_file" };
    if (controllers.find(",memory,") != std::string::npos)
    {
      files = { "/sys/fs/cgroup/memory", "/memory.limit_in_bytes", "/memory.usage_in_bytes",
        "total_inactive_file" };
    }
    else if (controllers != ",,")
    {
      continue;
    }
    const std::string top = root + files.Folder;
    for (std::string group = top + line.substr(second + 1);; group.resize(group.rfind('/')))
    {
      left = std::min(left, LeftIn(group, files));
      if (group.size() <= top.size())
      {
        break;
      }
    }
  }
  return left;
}
}

std::uint64_t AvailableMemory(const std::string& root)
{
  const std::uint64_t kibibytes = NumberOf(root + "/proc/meminfo", "MemAvailable:", NoLimit / 1024);
  return std::min(kibibytes * 1024, LeftInGroups(root));
}

std::uint64_t LockableMemory(const std::string& root)
{
  constexpr unsigned CapIpcLock = 14; // of linux/capability.h
  std::ifstream status(root + "/proc/self/status");
  for (std::string line; std::getline(status, line);)
  {
    const std::string begin = "CapEff:";
    if (line.starts_with(begin) &&
      (std::strtoull(line.c_str() + begin.size(), nullptr, 16) >> CapIpcLock & 1) != 0)
    {
      return NoLimit;
    }
  }
  std::ifstream limits(root + "/proc/self/limits");
  for (std::string line; std::getline(limits, line);)
  {
    const std::string begin = "Max locked memory";
    if (line.starts_with(begin))
    {
      char* end = nullptr;
      const char* number = line.c_str() + begin.size();
      const std::uint64_t bytes = std::strtoull(number, &end, 10);
      return end == number ? NoLimit : bytes; // "unlimited"
    }
  }
  return NoLimit;
}

std::uint64_t AvailableSharedMemory()
{
  struct statvfs state = {};
  if (statvfs("/dev/shm", &state) != 0)
  {
    return 0;
  }
  return static_cast<std::uint64_t>(state.f_bavail) * state.f_frsize;
}

}
