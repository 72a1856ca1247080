// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "vtkDSMReadersModule.h" // For export macro

#include <string>

/// The plugin must use the same HDF5 and MPI libraries as the ParaView that loads it: with others,
/// or with two of one kind, ParaView's readers do not see files in memory, or crash. This is
/// checked and reported once, when the plugin is loaded; what uses the libraries calls
/// RequireLibraries first.
namespace dsm::readers
{

/// What does not match, and what to do; empty if all is well.
VTKDSMREADERS_EXPORT const std::string& LibraryMismatch();

/// Throws dsm::Error(Unsupported) with that.
VTKDSMREADERS_EXPORT void RequireLibraries();

}
