// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

/// An XDMF text describes the datasets of HDF5 files, and names the files as the simulation does.
/// These functions adapt it to the one file (snapshot) that is shown.
namespace dsm::xdmf
{

/// Whether this ParaView can read XDMF. If not, the other functions and MakeXdmfReader throw.
bool Available();

/// The file to show.
struct Target
{
  std::string Opens;     ///< its name for HDF5: "run.dsm#12"
  std::string Simulated; ///< its absolute name in the simulation
};

/// The text for one file:
///  - references to the file, by the simulation's name for it, become references to the target. If
///    there are none, those to files of the same stream do (their names differ only in numbers), so
///    that one text serves for all steps;
///  - steps of a temporal collection that belong to other files are removed;
///  - other references are kept, as absolute names below `folder`: the driver finds files in memory
///    also by the simulation's names.
/// Throws dsm::Error(Usage) if it is no XDMF, or does not refer to the file.
std::string Adapt(const std::string& text, const Target& target, const std::string& folder);

}
