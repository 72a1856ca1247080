/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies in memory of core libraries that are linked with no HDF5: each is linked with the HDF5
 * that calls it, and with the MPI library that this one uses.
 */
#pragma once

#include <stddef.h>

/* A core's file, its bytes to be changed here only. */
typedef struct CoreFile
{
  char* Bytes; /* null: it cannot be opened */
  size_t Size;
  int LacksMemory; /* that is why */
  int IsLinked;    /* by LoadCopy */
} CoreFile;

CoreFile OpenCore(const char* path);
void CloseCore(CoreFile* core);

/* Whether the core is linked with a library of that name. */
int IsLinkedWith(const CoreFile* core, const char* library);

/* The libraries that a copy is linked with. */
typedef struct CopyLinks
{
  const char* Hdf5;   /* the file of that library */
  const char* Prefix; /* of its functions' names */
  const char* Mpi;    /* the file of the MPI library; null: the core has none */
  /* Not by another HDF5 of the same names, which all libraries of the process see. Allocators and
   * sanitizers that are preloaded do not see the copy then. */
  int Alone;
} CopyLinks;

/* Loads a copy; a second one is linked with the same. Null when that fails, then perhaps with the
 * reason in `whyNot`, else in dlerror().
 */
void* LoadCopy(CoreFile* core, const CopyLinks* with, char* whyNot, size_t whyNotSize);

/* Whether a library's path is that of such a copy. */
int IsCoreCopy(const char* path);
