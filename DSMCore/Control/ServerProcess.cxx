// SPDX-License-Identifier: BSD-3-Clause
#include "Control/ServerProcess.h"

#include "Base/DetachedProcess.h"
#include "Base/Error.h"
#include "Base/FileName.h"

#include <chrono>
#include <csignal>
#include <fstream>
#include <sstream>
#include <thread>
#include <utility>

#include <fmt/ranges.h>
#include <sys/wait.h>

namespace dsm
{

namespace
{
constexpr std::chrono::milliseconds BetweenLooks(20);

// Returns what is in a file now; empty if there is no such file.
std::string Contents(const std::string& path)
{
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string Said(const std::string& log)
{
  std::string text = Contents(log);
  constexpr std::size_t Most = 2000;
  if (text.size() > Most)
  {
    text = "…" + text.substr(text.size() - Most);
  }
  return text.empty() ? "nothing" : text;
}
}

pid_t StartServerProcess(const std::vector<std::string>& command,
  std::vector<std::string> environment, const std::string& contactFile, const Deadline& deadline)
{
  const std::string contact = AbsoluteName(contactFile);
  const std::string log = contact + ".hosts.log";
  const std::string before = Contents(contact);
  const pid_t process = StartDetached(command, std::move(environment), log);
  for (;;)
  {
    const std::string now = Contents(contact);
    if (!now.empty() && now != before)
    {
      return process;
    }
    int status = 0;
    if (waitpid(process, &status, WNOHANG) == process)
    {
      throw Error(Fault::System,
        "the processes that should hold the memory ended ({}); they said:\n{}",
        fmt::join(command, " "), Said(log));
    }
    if (deadline.Expired())
    {
      ::kill(-process, SIGTERM);
      throw Error(Fault::TimedOut,
        "the processes that should hold the memory are not ready after {:.3g} s ({}); they "
        "said:\n{}",
        deadline.LimitInSeconds(), fmt::join(command, " "), Said(log));
    }
    std::this_thread::sleep_for(BetweenLooks);
  }
}

}
