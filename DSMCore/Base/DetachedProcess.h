// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

namespace dsm
{

/// What a detached process inherits, as it finds it.
constexpr int InheritedDescriptor = 3;

/// Returns this process's variables, "NAME=value". Not while another thread changes them.
std::vector<std::string> PresentEnvironment();

/// Starts a program, found in PATH, of which nothing is this program's: no open file, no terminal,
/// no signal that it ignores. It has a session of its own, those variables ("NAME=value"), and
/// writes into `log`, a new file of this user alone. `inherited`: an open file that it gets all the
/// same, as InheritedDescriptor; none where negative. Returns its number, for waitpid. Throws
/// Error(System) naming the program.
pid_t StartDetached(std::vector<std::string> command, std::vector<std::string> environment,
  const std::string& log, int inherited = -1);

}
