// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <hdf5.h>

/// Files that this process writes and that are to be seen every so many seconds (DSM_PUBLISH=2.5),
/// though the program never flushes them: when the time has come, they are flushed for it, behind a
/// write of its own. The driver cannot do that from within HDF5; the library that is preloaded for
/// it (DatasetCalls.c) says when an H5Dwrite has returned. Thread safe.
namespace dsm::timedfiles
{

/// Behind a write to a dataset, with that transfer list: flushes the file if its time has come.
/// Collective where the write was. A file that ranks write together is flushed behind collective
/// writes only, since nobody knows who else writes: that is said once. Never throws; a flush that
/// fails has left its reason in the log, and the write has not failed.
void Written(hid_t dataset, hid_t transfer) noexcept;

}
