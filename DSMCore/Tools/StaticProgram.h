// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace dsm
{

/// Of a command's words ("mpiexec", "-n", "4", "./simulation"), the first program that is linked
/// statically and has an HDF5 inside: nothing can be preloaded into it. As files are found: by
/// their path, or in PATH.
std::optional<std::string> FindStaticHdf5(const std::vector<std::string>& command);

}
