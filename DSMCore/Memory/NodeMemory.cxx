// SPDX-License-Identifier: BSD-3-Clause
#include "Memory/NodeMemory.h"

#include <sys/statvfs.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

namespace dsm
{

namespace
{
// A file that holds one number; "max" and missing files mean no limit.
std::uint64_t NumberIn(const char* path)
{
  std::ifstream file(path);
  std::uint64_t number = 0;
  return file >> number ? number : std::numeric_limits<std::uint64_t>::max();
}
}

std::uint64_t AvailableMemory()
{
  std::uint64_t available = std::numeric_limits<std::uint64_t>::max();
  std::ifstream file("/proc/meminfo");
  for (std::string key; file >> key;)
  {
    if (key == "MemAvailable:")
    {
      std::uint64_t kibibytes = 0;
      file >> kibibytes;
      available = kibibytes * 1024;
      break;
    }
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  const std::uint64_t limit = NumberIn("/sys/fs/cgroup/memory.max");
  if (limit != std::numeric_limits<std::uint64_t>::max())
  {
    const std::uint64_t used = std::min(NumberIn("/sys/fs/cgroup/memory.current"), limit);
    available = std::min(available, limit - used);
  }
  return available;
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
