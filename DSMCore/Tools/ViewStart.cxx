// SPDX-License-Identifier: BSD-3-Clause
#include "Tools/ViewStart.h"

#include "Tools/ExecProgram.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace dsm
{

void StartView(const std::string& contact, const std::string& self, pid_t endsWith)
{
  const std::string program = FindRelative("dsm-view", self);
  const std::string process = std::to_string(endsWith);
  // A child of a child: the program that this process becomes does not know of it, and waits for
  // its own alone.
  const pid_t between = fork();
  if (between < 0)
  {
    throw std::runtime_error("cannot start " + program + ": " + std::strerror(errno));
  }
  if (between > 0)
  {
    waitpid(between, nullptr, 0);
    return;
  }
  if (fork() == 0)
  {
    // Standard output is the program's.
    dup2(STDERR_FILENO, STDOUT_FILENO);
    const int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, STDIN_FILENO);
    execl(program.c_str(), program.c_str(), contact.c_str(), "--no-browser", "--until-end-of",
      process.c_str(), static_cast<char*>(nullptr));
    std::fprintf(
      stderr, "%s: cannot start %s: %s\n", self.c_str(), program.c_str(), std::strerror(errno));
  }
  _exit(0);
}

}
