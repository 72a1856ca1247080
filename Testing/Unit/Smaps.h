// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>

namespace dsm::testing
{

/// Returns the bytes that /proc/self/smaps counts under a name ("Anonymous") for the mappings that
/// lie within the pages of a range.
inline std::uint64_t SmapsBytes(const void* place, std::uint64_t size, const std::string& name)
{
  constexpr std::uint64_t page = 4096;
  const auto first = reinterpret_cast<std::uintptr_t>(place);
  const auto begin = first / page * page;
  const auto end = (first + size + page - 1) / page * page;
  std::ifstream maps("/proc/self/smaps");
  bool inside = false;
  std::uint64_t sum = 0;
  for (std::string line; std::getline(maps, line);)
  {
    unsigned long long from = 0;
    unsigned long long to = 0;
    if (std::sscanf(line.c_str(), "%llx-%llx ", &from, &to) == 2)
    {
      inside = from >= begin && to <= end;
    }
    else if (inside && line.rfind(name + ":", 0) == 0)
    {
      sum += std::stoull(line.substr(name.size() + 1)) * 1024;
    }
  }
  return sum;
}

}
