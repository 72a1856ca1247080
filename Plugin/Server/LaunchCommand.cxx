// SPDX-License-Identifier: BSD-3-Clause
#include "LaunchCommand.h"

#include "HostServer.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <string>

#include <sched.h>

namespace
{
// A word of a shell's command line, quoted if that is needed.
std::string Quoted(const std::string& word)
{
  if (word.find_first_of(" \t'\"\\$`&|;<>()*?[]#~!{}") == std::string::npos)
  {
    return word;
  }
  std::string quoted = "'";
  for (const char c : word)
  {
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return quoted + "'";
}

// Returns how many cores a program may use that is started in a terminal: those of the first
// process, since a launcher may have bound this one to a single core. Open MPI starts at most one
// rank for each; two hardware threads of a core count once.
std::size_t Cores()
{
  cpu_set_t usable;
  CPU_ZERO(&usable);
  if (sched_getaffinity(1, sizeof usable, &usable) != 0 &&
    sched_getaffinity(0, sizeof usable, &usable) != 0)
  {
    return 1;
  }
  std::set<std::string> cores;
  for (int thread = 0; thread < CPU_SETSIZE; ++thread)
  {
    if (CPU_ISSET(thread, &usable))
    {
      // The threads of a core have the same list. Without one, each counts.
      std::string siblings = std::to_string(thread);
      std::ifstream list(
        "/sys/devices/system/cpu/cpu" + siblings + "/topology/thread_siblings_list");
      std::getline(list, siblings);
      cores.insert(siblings);
    }
  }
  return std::max<std::size_t>(cores.size(), 1);
}

// This is for a first try; users set their own number.
constexpr std::size_t UsualRanks = 4;
}

std::string LaunchCommand(const std::string& contact)
{
  const char* shell = std::getenv("DSM_SHELL");
  return (shell && *shell ? std::string(shell) + " " : std::string()) +
    Quoted(HostServer::Program("dsm-run")) + " --contact " + Quoted(contact) + " mpiexec -n " +
    std::to_string(std::min(UsualRanks, Cores())) + " ./my_simulation";
}
