// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Deadline.h"

#include <string>
#include <vector>

#include <sys/types.h>

namespace dsm
{

/// Starts a program that hosts a server (dsm-serve, or a launcher of several), in a session of its
/// own, so that whatever ends this program leaves it alone, and waits until it has written its
/// contact file. The program's output goes to a file beside that, <contact>.hosts.log.
///
/// `environment` has its variables ("NAME=value"). Returns the number of the process. Throws
/// Error(System) with the program's output if it ends before, and Error(TimedOut).
pid_t StartServerProcess(const std::vector<std::string>& command,
  std::vector<std::string> environment, const std::string& contactFile, const Deadline& deadline);

}
