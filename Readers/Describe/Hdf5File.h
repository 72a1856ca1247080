// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Hdf5Handle.h"

#include <optional>
#include <string>

/// Functions on an HDF5 file, whatever its driver.
namespace dsm::hdf5
{

/// While it exists, HDF5 does not print its error stack: the caller reports the error, in one line.
class SilenceErrors
{
public:
  SilenceErrors();
  ~SilenceErrors();
  SilenceErrors(const SilenceErrors&) = delete;
  SilenceErrors& operator=(const SilenceErrors&) = delete;

private:
  H5E_auto2_t Function = nullptr;
  void* Data = nullptr;
};

/// Opens for reading with the process's default driver, which also opens snapshots by their names.
/// Throws dsm::Error with HDF5's reason; nothing is printed.
FileHandle OpenFile(const std::string& name);

/// Whether the file is one for ParaView's vtkHDFReader.
bool IsVtkHdf(hid_t file);

/// The text of a dataset or root attribute of this name, if there is one that holds text.
std::optional<std::string> ReadText(hid_t file, const std::string& name);

/// The cause in HDF5's error stack: the DSM driver's entry, else the innermost one.
std::string LastErrorText();

}
