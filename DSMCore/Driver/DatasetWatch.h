/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <hdf5.h>

/* What our driver wants to know of calls that read and write datasets and attributes, and is told
 * of by the library that is preloaded for it (DatasetCalls.c). Both are in C. */

/* A call that is about to be made. */
struct DatasetTransfer
{
  hid_t Object; /* dataset or attribute */
  hid_t MemoryType;
  hid_t TransferList;
  const void* Buffer;
  int Writes;
  int IsAttribute;
};

struct DatasetWatch
{
  /* Returns 0 if HDF5 cannot do with the buffer: the reason is on its error stack then. */
  int (*MayTransfer)(const struct DatasetTransfer* transfer);
  /* H5Dwrite has returned, and has not failed. */
  void (*Written)(hid_t dataset, hid_t transferList);
};
