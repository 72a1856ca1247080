// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Deadline.h"
#include "Server/Core/ServerOptions.h"

#include <string>
#include <vector>

namespace dsm
{

/// Starts the processes that hold a server's memory beside the program that shows it: dsm-serve, in
/// a session of its own, so that whatever ends this program leaves them alone. What they say goes
/// to a file beside the contact file, <contact>.hosts.log.
///
/// Several are started by an MPI launcher: what DSM_HOST_LAUNCHER says ("srun --overlap -n 4"),
/// else the mpiexec that this library was built with, on the same nodes.
class HostProcesses
{
public:
  /// `program`: dsm-serve. `nodes`: the machine's name for each host to start.
  HostProcesses(std::string program, std::vector<std::string> nodes);

  /// Waits until they lend memory and the contact file is there. Throws Error(System) with what
  /// they have said when they end before, and Error(TimedOut). `linger`: how long they stay without
  /// a simulation and without a viewer.
  void Start(const ServerOptions& options, Seconds linger, const Deadline& deadline);

private:
  std::vector<std::string> Command(const ServerOptions& options, Seconds linger) const;
  std::vector<std::string> Launcher() const;

  std::string Program;
  std::vector<std::string> Nodes;
};

}
