// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "vtkDSMReadersModule.h" // For export macro

#include <string>

/// The plugin shares HDF5 and MPI with the ParaView that loads it. Where these are others than it
/// was built with, or there are two of them, files in memory stay invisible at best. This is found
/// out once, when the plugin is loaded, and said then; whoever would use the libraries asks here
/// first.
namespace dsm::readers
{

/// What does not fit, and what to do; empty when all is well.
VTKDSMREADERS_EXPORT const std::string& LibraryMisfit();

/// Throws dsm::Error(Unsupported) with that.
VTKDSMREADERS_EXPORT void RequireLibraries();

}
