// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

/// Returns the command line that starts a simulation, which connects by this contact file: the
/// user's usual command behind dsm-run. With the path of the dsm-run that belongs to this plugin,
/// built or installed, so that it need not be in PATH. If that runs only in a root that `./dev`
/// makes, it is run by way of `./dev` (DSM_SHELL): also for a terminal outside. The number of ranks
/// is at most that of the cores here, so that the command works as it is.
std::string LaunchCommand(const std::string& contact);
