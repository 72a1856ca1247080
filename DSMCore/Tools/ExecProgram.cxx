// SPDX-License-Identifier: BSD-3-Clause
#include "Tools/ExecProgram.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include <unistd.h>

namespace dsm
{

void SetVariable(const char* name, const std::string& value)
{
  if (setenv(name, value.c_str(), 1) != 0)
  {
    throw std::runtime_error(
      std::string("cannot set ") + name + " in the environment: " + std::strerror(errno));
  }
}

void SetDefault(const char* name, const std::string& value)
{
  if (!std::getenv(name))
  {
    SetVariable(name, value);
  }
}

std::filesystem::path FindRelative(const char* path, const std::string& self)
{
  std::error_code failed;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (failed)
  {
    throw std::runtime_error(
      "/proc is not mounted here, and " + self + " needs it: mount it (mount -t proc proc /proc)");
  }
  auto found = (program.parent_path() / path).lexically_normal();
  if (!std::filesystem::exists(found))
  {
    throw std::runtime_error(found.string() + " is missing: " + self +
      " finds it by its own place, so install both together");
  }
  return found;
}

void BecomePart(const char* path, const std::string& self, char** arguments)
{
  const std::string program = FindRelative(path, self);
  execv(program.c_str(), arguments);
  throw std::runtime_error("cannot start " + program + ": " + std::strerror(errno));
}

int ExecProgram(
  std::vector<std::string>& command, const std::string& self, const std::string& advice)
{
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (std::string& word : command)
  {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  execvp(arguments.front(), arguments.data());
  const int error = errno;
  std::fprintf(stderr, "%s: cannot start %s: %s%s%s\n", self.c_str(), command.front().c_str(),
    std::strerror(error), advice.empty() ? "" : ". ", advice.c_str());
  return error == ENOENT ? 127 : 126;
}

}
