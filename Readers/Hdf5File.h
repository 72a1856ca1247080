// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vtkABINamespace.h> // vtkHDF5ScopedHandle.h forgets it
#include <vtkHDF5ScopedHandle.h>

#include <optional>
#include <string>

/// What the readers need to know of an HDF5 file, whichever driver opens it.
namespace dsm::hdf5
{

/// While it lives HDF5 does not print its error stack: the caller says what went wrong, in one
/// line.
class Quiet
{
public:
  Quiet();
  ~Quiet();
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

private:
  H5E_auto2_t Function = nullptr;
  void* Data = nullptr;
};

/// Opens for reading with the process's default driver, so that a snapshot's name works as a file's
/// does. Throws dsm::Error with the reason HDF5 gives; nothing is printed.
vtkHDF::ScopedH5FHandle OpenFile(const std::string& name);

/// True when ParaView's own vtkHDFReader understands the file.
bool IsVtkHdf(hid_t file);

/// The simulation time a file states: an attribute "time", "Time" or "TimeValue" with one number,
/// of the file's root or of /VTKHDF; else the last of VTKHDF's own steps.
std::optional<double> StatedTime(hid_t file);

/// The text of a dataset or root attribute of this name, if there is one that holds text.
std::optional<std::string> TextOf(hid_t file, const std::string& name);

/// What HDF5's error stack says of the cause: the DSM driver's entry, else the innermost one.
std::string LastErrorText();

}
