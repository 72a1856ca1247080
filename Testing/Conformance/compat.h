/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Included before each of HDF5's test programs. Some tidy up behind HDF5's back, by remove() or
 * MPI_File_delete(), and call it an error when there is no file on disk; some ask the file system
 * how long a file is. With our driver there is no file on disk, so nothing is to be tidied up, and
 * HDF5 is asked for the length. Where there is a file, all is as it was.
 */
#ifndef DSM_CONFORMANCE_COMPAT_H
#define DSM_CONFORMANCE_COMPAT_H

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "h5test.h"

static inline int dsmRemove(const char* name)
{
  const int status = remove(name);
  return status != 0 && errno == ENOENT ? 0 : status;
}

static inline int dsmFileDelete(const char* name, MPI_Info info)
{
  return access(name, F_OK) != 0 ? MPI_SUCCESS : MPI_File_delete(name, info);
}

/* Collective, like the calls that it stands for. */
static inline h5_stat_size_t dsmFileSize(const char* name, hid_t fapl)
{
  hsize_t size = 0;
  if (access(name, F_OK) == 0)
  {
    return h5_get_file_size(name, fapl);
  }
  const hid_t file = H5Fopen(name, H5F_ACC_RDONLY, fapl);
  if (file < 0 || H5Fget_filesize(file, &size) < 0 || H5Fclose(file) < 0)
  {
    return -1;
  }
  return (h5_stat_size_t)size;
}

#undef HDremove
#define HDremove(name) dsmRemove(name)
#define MPI_File_delete(name, info) dsmFileDelete(name, info)
#define h5_get_file_size(name, fapl) dsmFileSize(name, fapl)

#endif
