// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Hdf5Handle.h"

#include <string>

namespace dsm::hdf5
{

/// While it exists, the files that virtual datasets are put together of are looked for in the
/// folder of the file as the simulation names it. HDF5 looks in the folder of the name by which the
/// file was opened, and that of a snapshot (run.dsm#12) is the contact file's. For one thread.
class SourceFolder
{
public:
  explicit SourceFolder(const std::string& simulated);
  ~SourceFolder();
  SourceFolder(const SourceFolder&) = delete;
  SourceFolder& operator=(const SourceFolder&) = delete;

  /// That folder; empty: HDF5's own choice.
  static const std::string& Current();

private:
  std::string Before;
};

/// Opens a dataset. If that fails, the handle is negative, and HDF5 has the reason (LastErrorText).
DatasetHandle OpenDataset(hid_t file, const std::string& path);

}
