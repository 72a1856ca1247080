/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Included before each of HDF5's serial tests, where HDF5 is a parallel one. Behind dsm-run the
 * default driver is also what H5FD_MPIO means, and h5test.c asks MPI how long such a driver's file
 * is. These programs have not initialized MPI: the file system is asked, as with other drivers.
 */
#ifndef DSM_CONFORMANCE_FILE_SIZE_H
#define DSM_CONFORMANCE_FILE_SIZE_H

#include <sys/stat.h>

#include "h5test.h"

static inline h5_stat_size_t dsmFileSize(const char* name)
{
  struct stat state;
  return stat(name, &state) == 0 ? (h5_stat_size_t)state.st_size : -1;
}

#define h5_get_file_size(name, fapl) dsmFileSize(name)

#endif
