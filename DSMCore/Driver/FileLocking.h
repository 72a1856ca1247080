// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <hdf5.h>

namespace dsm
{

/// Whether HDF5 is to lock files that are opened with an access list: as HDF5 decides it, by
/// HDF5_USE_FILE_LOCKING, else by H5Pset_file_locking. Thread safe as HDF5 is.
bool UsesFileLocking(hid_t fapl);

}
