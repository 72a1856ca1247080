// SPDX-License-Identifier: BSD-3-Clause
#include "Protocol/Peer.h"

#include "Base/LaunchedJob.h"
#include "Base/NodeIdentity.h"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace dsm
{

namespace
{
// The program's name; for an interpreter, the script's or module's where it has one.
std::string ProgramName()
{
  std::ifstream commandLine("/proc/self/cmdline", std::ios::binary);
  std::string name;
  std::getline(commandLine, name, '\0');
  name = std::filesystem::path(name).filename().string();
  if (name.rfind("python", 0) == 0 || name.rfind("pvbatch", 0) == 0)
  {
    for (std::string argument; std::getline(commandLine, argument, '\0');)
    {
      if (argument == "-c")
      {
        break; // the script itself follows
      }
      if (argument == "-X" || argument == "-W")
      {
        std::getline(commandLine, argument, '\0'); // what belongs to it
      }
      else if (!argument.empty() && argument.front() != '-')
      {
        return std::filesystem::path(argument).filename().string();
      }
    }
  }
  return name;
}
}

PeerDescription DescribeThisProcess(
  const std::string& role, std::uint64_t ranks, const std::string& mpi)
{
  PeerDescription peer;
  peer.Role = role;
  peer.Program = ProgramName();
  peer.Node = MachineName();
  peer.Mpi = mpi;
  peer.Ranks = ranks;
  peer.Process = static_cast<std::uint64_t>(getpid());
  peer.Machine = NodeIdentity();
  const LaunchedJob job = JobOfThisProcess();
  peer.Job = job.Name;
  peer.JobProcesses = job.Processes;
  peer.Launch = LaunchOfThisProcess();
  return peer;
}

std::string UserAtHost()
{
  const char* user = getenv("USER");
  if (!user || !*user)
  {
    const passwd* entry = getpwuid(getuid());
    user = entry ? entry->pw_name : "somebody";
  }
  return fmt::format("{}@{}", user, MachineName());
}

std::string PeerText(const PeerDescription& peer)
{
  return fmt::format("{} ({} rank{} on {}{}{})", peer.Program, peer.Ranks,
    peer.Ranks == 1 ? "" : "s", peer.Node, peer.Mpi.empty() ? "" : ", ", peer.Mpi);
}

}
