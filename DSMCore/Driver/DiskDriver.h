/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <hdf5.h>

/*
 * A driver for files on disk that calls nothing of HDF5. An HDF5 that was told to find ours as a
 * plugin does not start without one; where that HDF5 hides its functions in a program, ours cannot
 * serve it, and its own default driver cannot be had.
 */
const H5FD_class_t* DiskDriver(void);
