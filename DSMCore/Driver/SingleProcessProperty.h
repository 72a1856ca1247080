// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Driver/H5FDdsm.h"

namespace dsm
{

/// What H5Pset_dxpl_dsm_single_process has left in a transfer property list; off in one where it
/// was never called.
H5FD_dsm_single_process_t SingleProcessProperty(hid_t dxpl);

/// False when HDF5 refuses, as for a list of another class; its error stack says why.
bool SetSingleProcessProperty(hid_t dxpl, H5FD_dsm_single_process_t how);

}
