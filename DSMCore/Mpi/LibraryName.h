// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace dsm
{

/// Returns the name and version of an MPI library, such as "Open MPI v5.0.7", of the text that its
/// MPI_Get_library_version gives.
std::string NameOfLibrary(std::string text);

}
