/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Preloaded besides the loader where files are to be seen every so many seconds (dsm-run --publish
 * 2.5): stands in for H5Dwrite, and tells our driver when that has returned. Then HDF5 is in
 * nobody's middle, and the file can be flushed.
 *
 * Several HDF5 libraries may be in one process. The one that is meant is found as the caller's own
 * linking finds it; the driver in it says here by which function it wants to be told.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

/* Types only: nothing of HDF5 is linked. */
#include <hdf5.h>

#define EXPORT __attribute__((visibility("default")))

typedef herr_t (*WriteFunction)(hid_t, hid_t, hid_t, hid_t, hid_t, const void*);
typedef void (*WrittenFunction)(hid_t dataset, hid_t transfer);

/* A program or library that calls H5Dwrite, by where it is loaded. */
typedef struct Caller
{
  const void* Base;
  WriteFunction Write;
} Caller;

/* An HDF5 that has our driver. */
typedef struct Driver
{
  const char* Library;
  WrittenFunction Written;
} Driver;

#define MOST 64
static Caller Callers[MOST];
static int CallerCount = 0;
static Driver Drivers[MOST];
static int DriverCount = 0;
static pthread_mutex_t Guard = PTHREAD_MUTEX_INITIALIZER;

/* The driver's: `library` is the path of its HDF5, valid for ever. */
EXPORT void H5FD_dsm_tell(const char* library, WrittenFunction written)
{
  pthread_mutex_lock(&Guard);
  if (DriverCount < MOST)
  {
    Drivers[DriverCount].Library = library;
    Drivers[DriverCount++].Written = written;
  }
  pthread_mutex_unlock(&Guard);
}

EXPORT herr_t Write(hid_t dataset, hid_t memoryType, hid_t memorySpace, hid_t fileSpace,
  hid_t transfer, const void* buffer) __asm__("H5Dwrite");

/* The H5Dwrite that a caller is linked with. The caller stays loaded, since it is remembered. */
static WriteFunction FindWrite(const Dl_info* where)
{
  void* handle = where->dli_fname ? dlopen(where->dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
  WriteFunction found = handle ? (WriteFunction)dlsym(handle, "H5Dwrite") : NULL;
  if (!found || found == &Write)
  {
    found = (WriteFunction)dlsym(RTLD_NEXT, "H5Dwrite");
  }
  return found;
}

static WriteFunction WriteOf(const void* returnAddress)
{
  Dl_info where;
  if (dladdr(returnAddress, &where) == 0)
  {
    return (WriteFunction)dlsym(RTLD_NEXT, "H5Dwrite");
  }
  for (int i = 0; i < CallerCount; ++i)
  {
    if (Callers[i].Base == where.dli_fbase)
    {
      return Callers[i].Write;
    }
  }
  WriteFunction found = FindWrite(&where);
  if (CallerCount < MOST)
  {
    Callers[CallerCount].Base = where.dli_fbase;
    Callers[CallerCount++].Write = found;
  }
  return found;
}

/* The driver in the HDF5 that has this function, if there is one. */
static WrittenFunction WrittenOf(WriteFunction write)
{
  Dl_info where;
  if (DriverCount == 0 || dladdr((const void*)write, &where) == 0 || !where.dli_fname)
  {
    return NULL;
  }
  for (int i = 0; i < DriverCount; ++i)
  {
    if (strcmp(Drivers[i].Library, where.dli_fname) == 0)
    {
      return Drivers[i].Written;
    }
  }
  return NULL;
}

herr_t Write(hid_t dataset, hid_t memoryType, hid_t memorySpace, hid_t fileSpace, hid_t transfer,
  const void* buffer)
{
  pthread_mutex_lock(&Guard);
  WriteFunction write = WriteOf(__builtin_return_address(0));
  WrittenFunction written = write ? WrittenOf(write) : NULL;
  pthread_mutex_unlock(&Guard);
  const herr_t done =
    write ? write(dataset, memoryType, memorySpace, fileSpace, transfer, buffer) : -1;
  if (written && done >= 0)
  {
    written(dataset, transfer);
  }
  return done;
}
