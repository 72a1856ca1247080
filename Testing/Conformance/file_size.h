/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Included before each of HDF5's serial tests. h5test.c tells them how long a file is, and asks the
 * file system, but for a driver that it knows to have something else under a file's name
 * (subfiling): there it asks HDF5. Ours it does not know, and under the name of a file in memory is
 * a placeholder, which cannot be shorter than itself. So HDF5 is asked here, too.
 */
#ifndef DSM_CONFORMANCE_FILE_SIZE_H
#define DSM_CONFORMANCE_FILE_SIZE_H

#include "h5test.h"

static inline h5_stat_size_t dsmFileSize(const char* name, hid_t fapl)
{
  const hid_t list = fapl == H5P_DEFAULT ? H5P_FILE_ACCESS_DEFAULT : fapl;
  const hid_t driver = H5Pget_driver(list);
  if (driver == H5FD_SEC2 || driver != H5Pget_driver(H5P_FILE_ACCESS_DEFAULT))
  {
    return h5_get_file_size(name, fapl);
  }
  hsize_t size = 0;
  const hid_t file = H5Fopen(name, H5F_ACC_RDONLY, fapl);
  const herr_t known = H5Fget_filesize(file, &size);
  return H5Fclose(file) < 0 || known < 0 ? -1 : (h5_stat_size_t)size;
}

#define h5_get_file_size(name, fapl) dsmFileSize(name, fapl)

#endif
