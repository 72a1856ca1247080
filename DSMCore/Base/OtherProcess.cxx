// SPDX-License-Identifier: BSD-3-Clause
#include "Base/OtherProcess.h"

#include <cerrno>
#include <fstream>
#include <limits>
#include <string>

#include <csignal>
#include <sys/types.h>

namespace dsm
{

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
  const char state = name == std::string::npos || name + 2 >= text.size() ? '?' : text[name + 2];
  return state == 'Z' || state == 'X';
}

}
