// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <hdf5.h>

#include <string>

namespace dsm
{

/// Whether HDF5 is to lock files that are opened with an access list: as HDF5 decides it, by
/// HDF5_USE_FILE_LOCKING, else by H5Pset_file_locking. Thread safe as HDF5 is.
bool UsesFileLocking(hid_t fapl);

/// Returns the error for a file on disk that another program has open, with HDF5's words, where
/// programs look for the number. Thread safe.
std::string LockedOnDiskText(const std::string& path);

}
