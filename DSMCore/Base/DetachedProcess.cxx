// SPDX-License-Identifier: BSD-3-Clause
#include "Base/DetachedProcess.h"

#include "Base/Error.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

namespace dsm
{

namespace
{
/// Ends what a C function began.
template <typename T>
using Owner = std::unique_ptr<T, int (*)(T*)>;

std::vector<char*> Pointers(std::vector<std::string>& words)
{
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words)
  {
    pointers.push_back(word.data());
  }
  pointers.push_back(nullptr);
  return pointers;
}

// Has the new process close its files from `first` on. Returns what is wrong, or 0.
int CloseFrom(posix_spawn_file_actions_t& files, int first)
{
#if __GLIBC_PREREQ(2, 34)
  return posix_spawn_file_actions_addclosefrom_np(&files, first);
#else
  // The loop closes what is open now. A file that is closed before the process starts is no error.
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
  {
    const int file = std::atoi(entry.path().filename().c_str());
    const int error = file < first ? 0 : posix_spawn_file_actions_addclose(&files, file);
    if (error != 0)
    {
      return error;
    }
  }
  return 0;
#endif
}
}

std::vector<std::string> PresentEnvironment()
{
  std::vector<std::string> all;
  for (char** variable = environ; *variable; ++variable)
  {
    all.emplace_back(*variable);
  }
  return all;
}

pid_t StartDetached(std::vector<std::string> command, std::vector<std::string> environment,
  const std::string& log, int inherited)
{
  const std::string program = command.front();
  const auto require = [&](int error)
  {
    if (error != 0)
    {
      throw Error(Fault::System, "cannot start {}: {}", program, SystemText(error));
    }
  };
  posix_spawn_file_actions_t files;
  require(posix_spawn_file_actions_init(&files));
  const Owner<posix_spawn_file_actions_t> ownFiles(&files, &posix_spawn_file_actions_destroy);
  posix_spawnattr_t attributes;
  require(posix_spawnattr_init(&attributes));
  const Owner<posix_spawnattr_t> ownAttributes(&attributes, &posix_spawnattr_destroy);

  require(posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0));
  require(posix_spawn_file_actions_addopen(
    &files, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0600));
  require(posix_spawn_file_actions_adddup2(&files, 1, 2));
  if (inherited >= 0)
  {
    require(posix_spawn_file_actions_adddup2(&files, inherited, InheritedDescriptor));
  }
  require(CloseFrom(files, inherited >= 0 ? InheritedDescriptor + 1 : InheritedDescriptor));
  sigset_t none;
  sigemptyset(&none);
  sigset_t usual;
  sigfillset(&usual);
  require(posix_spawnattr_setsigmask(&attributes, &none));
  require(posix_spawnattr_setsigdefault(&attributes, &usual));
  require(posix_spawnattr_setflags(&attributes,
    static_cast<short>(POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)));
  pid_t process = 0;
  require(posix_spawnp(&process, program.c_str(), &files, &attributes, Pointers(command).data(),
    Pointers(environment).data()));
  return process;
}

}
