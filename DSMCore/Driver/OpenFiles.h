// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <hdf5.h>

namespace dsm
{

struct OpenMemoryFile;

/// The files in memory that this process has open, found by HDF5's identifiers. Thread safe; what
/// is found is HDF5's, and lives as long as it has the file open.
namespace openfiles
{

/// While one exists, its file is one of them.
class Entry
{
public:
  explicit Entry(OpenMemoryFile& file);
  ~Entry();
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;

private:
  const void* const Handle; ///< what HDF5 tells of a file (H5Fget_vfd_handle)
};

/// Null when the file is none of them: it is on disk, or `file` is no file.
OpenMemoryFile* Find(hid_t file);

/// True if there is none for sure. May be called in a signal handler.
bool AreNone();

}

}
