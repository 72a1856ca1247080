// SPDX-License-Identifier: BSD-3-Clause
#include "Base/OtherProcess.h"

#include <cerrno>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>

#include <csignal>
#include <sys/types.h>

namespace dsm
{

namespace
{
// PF_EXITING of include/linux/sched.h: its files are closed, or are about to be.
constexpr std::uint64_t IsExiting = 0x4;
}

bool ProcessHasEnded(std::uint64_t process)
{
  // 0 and what is negative as a pid_t would mean groups of processes.
  if (process == 0 || process > static_cast<std::uint64_t>(std::numeric_limits<pid_t>::max()))
  {
    return false;
  }
  if (kill(static_cast<pid_t>(process), 0) != 0)
  {
    return errno == ESRCH;
  }
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  // If the process ends between the two, reading fails. std::getline catches the exception of the
  // buffer.
  if (!std::getline(file, text, '\0') && file.bad())
  {
    return true;
  }
  // The state stands behind the name, which is in parentheses and may have some itself.
  const std::size_t name = text.rfind(") ");
  std::istringstream fields(name == std::string::npos ? "" : text.substr(name + 2));
  char state = '?';
  std::int64_t skipped = 0; // the parent, group, session, terminal and its group
  std::uint64_t flags = 0;
  fields >> state >> skipped >> skipped >> skipped >> skipped >> skipped >> flags;
  return state == 'Z' || state == 'X' || (flags & IsExiting) != 0;
}

}
