// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

/// An XDMF text describes what datasets of HDF5 files mean, and names those files as the simulation
/// did. Here it is fitted to the one file (snapshot) that is to be shown.
namespace dsm::xdmf
{

/// Whether this ParaView can read XDMF; without, all else here and MakeXdmfReader throw.
bool Available();

/// The file to show.
struct Target
{
  std::string Opens;     ///< the name HDF5 opens it by: "run.dsm#12"
  std::string Simulated; ///< the absolute name that the simulation gave it
};

/// The text for one file:
///  - references to the file, by the simulation's name for it, become references to the target.
///    Where the text does not name this very file, references to files of the same stream (names
///    that differ only in their numbers) do, so that one text serves for all steps;
///  - steps of a temporal collection that belong to other files are left out;
///  - other references stay, as absolute names below `folder`: the driver finds those that are in
///    memory by their names, too.
/// Throws dsm::Error(Usage) when it is no XDMF, or does not refer to the file at all.
std::string Fit(const std::string& text, const Target& target, const std::string& folder);

}
