/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies in memory of core libraries that are linked with no HDF5: each is linked with the HDF5
 * that calls it.
 */
#pragma once

#include <stddef.h>

/* A core's file, its bytes to be changed here only. */
typedef struct CoreFile
{
  char* Bytes; /* null: it cannot be opened */
  size_t Size;
  int LacksMemory; /* that is why */
} CoreFile;

CoreFile OpenCore(const char* path);
void CloseCore(CoreFile* core);

/* Whether the core is linked with a library of that name. */
int IsLinkedWith(const CoreFile* core, const char* library);

/*
 * Loads a copy that is linked with the HDF5 of this file, whose functions have names with this
 * prefix. Null when that fails, then perhaps with the reason in `whyNot`, else in dlerror().
 */
void* LoadCopy(
  CoreFile* core, const char* hdf5, const char* prefix, char* whyNot, size_t whyNotSize);

/* Whether a library's path is that of such a copy. */
int IsCoreCopy(const char* path);
