/* SPDX-License-Identifier: BSD-3-Clause */
/* Looks into the program and the libraries that this process has loaded. */
#pragma once

#include <stddef.h>

/* Longest prefix of an HDF5's names. */
#define MOST_PREFIX 64

/* Whether an address is in the program itself, not in a library. */
int IsInProgram(const void* address);

/* The version of the HDF5 that the program or library at the address has inside itself, exported or
 * not. False when it has none. */
int FindHdf5Version(const void* address, unsigned* major, unsigned* minor);

/*
 * An HDF5 whose functions are exported, perhaps with a prefix to their names: VTK's libvtkhdf5.so
 * has vtkhdf5_H5Fopen in place of H5Fopen.
 */
typedef struct FoundHdf5
{
  const void* Register; /* its H5FDregister */
  char Prefix[MOST_PREFIX];
} FoundHdf5;

/* Finds the one in the program or library at the address. False when there is none. */
int FindHdf5At(const void* address, FoundHdf5* found);

/* Says how much of this process has been looked into. To begin with, all is zero. */
typedef struct LookedInto
{
  size_t Objects;
  unsigned long long Unloaded; /* of those that this process has unloaded, how many before */
} LookedInto;

/*
 * Finds those in this process that were loaded since the call before with the same `before`, and
 * perhaps others; returns how many, at most `most`.
 */
size_t FindNewHdf5(LookedInto* before, FoundHdf5* found, size_t most);
