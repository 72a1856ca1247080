// SPDX-License-Identifier: BSD-3-Clause
#include "LaunchCommand.h"

#include "HostServer.h"

#include <cstdlib>

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
}

std::string LaunchCommand(const std::string& contact)
{
  const char* shell = std::getenv("DSM_SHELL");
  return (shell && *shell ? std::string(shell) + " " : std::string()) +
    Quoted(HostServer::Program("dsm-run")) + " --contact " + Quoted(contact) +
    " mpiexec -n 4 ./my_simulation";
}
