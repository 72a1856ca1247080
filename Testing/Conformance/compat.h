/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Included before each of HDF5's test programs. Some tidy up behind HDF5's back, by remove() or
 * MPI_File_delete(), and call it an error when there is no file on disk; some ask the file system
 * how long a file is. With our driver there is no file on disk, so nothing is to be tidied up, and
 * HDF5 is asked for the length. One opens a file's bytes as soon as HDF5 has closed it: where the
 * server puts files on disk as well, that is waited for. Where there is a file, all is as it was.
 */
#ifndef DSM_CONFORMANCE_COMPAT_H
#define DSM_CONFORMANCE_COMPAT_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
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

/* Whether under a name is the placeholder of a file in memory. */
static inline bool dsmIsPlaceholder(const char* name)
{
  static const char mark[] = "paraview-dsm-placeholder ";
  char bytes[16 << 10];
  const int file = open(name, O_RDONLY);
  const ssize_t size = file < 0 ? -1 : read(file, bytes, sizeof bytes);
  if (file >= 0)
  {
    close(file);
  }
  return size > 0 && memmem(bytes, (size_t)size, mark, sizeof mark - 1);
}

/* Waits for the whole file in the placeholder's stead, for 10 seconds. */
static inline int dsmOpen(const char* name, int flags)
{
  for (int tries = 0; tries < 1000 && dsmIsPlaceholder(name); ++tries)
  {
    usleep(10000);
  }
  return open(name, flags);
}

#undef HDremove
#define HDremove(name) dsmRemove(name)
#undef HDopen
#define HDopen(name, flags) dsmOpen(name, flags)
#define MPI_File_delete(name, info) dsmFileDelete(name, info)
#define h5_get_file_size(name, fapl) dsmFileSize(name, fapl)

#endif
