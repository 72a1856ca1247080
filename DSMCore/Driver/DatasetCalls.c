/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Preloaded besides the loader where files are to be seen every so many seconds (dsm-run --publish
 * 2.5), and on machines with a GPU. Stands in for HDF5's functions that read and write datasets and
 * attributes. Asks our driver before a call whether HDF5 can do with the buffer, and tells it when
 * H5Dwrite has returned: then no call of HDF5 is under way, and the file can be flushed.
 *
 * Several HDF5 libraries may be in one process. The one that is meant is found as the caller's own
 * linking finds it; the driver in it registers here what it wants to be asked and told.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

/* Types only: nothing of HDF5 is linked. */
#include <hdf5.h>

#include "Driver/DatasetWatch.h"

typedef struct DatasetTransfer DatasetTransfer;
typedef struct DatasetWatch DatasetWatch;

#define EXPORT __attribute__((visibility("default")))

typedef herr_t (*WriteFunction)(hid_t, hid_t, hid_t, hid_t, hid_t, const void*);
typedef herr_t (*ReadFunction)(hid_t, hid_t, hid_t, hid_t, hid_t, void*);
typedef herr_t (*WriteAttributeFunction)(hid_t, hid_t, const void*);
typedef herr_t (*ReadAttributeFunction)(hid_t, hid_t, void*);

enum Function
{
  WRITE,
  READ,
  WRITE_ATTRIBUTE,
  READ_ATTRIBUTE,
  FUNCTIONS
};
static const char* const Names[FUNCTIONS] = { "H5Dwrite", "H5Dread", "H5Awrite", "H5Aread" };

/* A program or library that calls HDF5, by where it is loaded, and the HDF5 that it calls. */
typedef struct Caller
{
  const void* Base;
  void* Functions[FUNCTIONS];
  const DatasetWatch* Watch; /* of our driver in that HDF5 */
  int Looked;                /* among how many drivers */
} Caller;

/* An HDF5 that has our driver. */
typedef struct Driver
{
  const char* Library;
  const DatasetWatch* Watch;
} Driver;

/* A place in a program that calls, so that most calls need not look for the caller. */
typedef struct Site
{
  const void* Return;
  Caller* From;
} Site;

#define MOST 64
#define SITES 256
static Caller Callers[MOST];
static int CallerCount = 0;
static Driver Drivers[MOST];
static int DriverCount = 0;
static Site Sites[SITES];
static pthread_mutex_t Guard = PTHREAD_MUTEX_INITIALIZER;

/* The driver's: `library` is the path of its HDF5, valid for ever. */
EXPORT void H5FD_dsm_watch(const char* library, const DatasetWatch* watch)
{
  pthread_mutex_lock(&Guard);
  if (DriverCount < MOST)
  {
    Drivers[DriverCount].Library = library;
    Drivers[DriverCount++].Watch = watch;
  }
  pthread_mutex_unlock(&Guard);
}

EXPORT herr_t Write(hid_t dataset, hid_t memoryType, hid_t memorySpace, hid_t fileSpace,
  hid_t transfer, const void* buffer) __asm__("H5Dwrite");
EXPORT herr_t Read(hid_t dataset, hid_t memoryType, hid_t memorySpace, hid_t fileSpace,
  hid_t transfer, void* buffer) __asm__("H5Dread");
EXPORT herr_t WriteAttribute(hid_t attribute, hid_t memoryType, const void* buffer) __asm__(
  "H5Awrite");
EXPORT herr_t ReadAttribute(hid_t attribute, hid_t memoryType, void* buffer) __asm__("H5Aread");

static void* const Own[FUNCTIONS] = { (void*)&Write, (void*)&Read, (void*)&WriteAttribute,
  (void*)&ReadAttribute };

/* Finds the functions that a caller is linked with. The caller stays loaded, since it is
 * remembered. */
static void FindFunctions(Caller* caller, const char* path)
{
  void* handle = path ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
  for (int i = 0; i < FUNCTIONS; ++i)
  {
    void* found = handle ? dlsym(handle, Names[i]) : NULL;
    caller->Functions[i] = !found || found == Own[i] ? dlsym(RTLD_NEXT, Names[i]) : found;
  }
}

/* Finds our driver in the HDF5 that a caller calls. */
static void FindWatch(Caller* caller)
{
  Dl_info where;
  caller->Looked = DriverCount;
  caller->Watch = NULL;
  if (!caller->Functions[WRITE] || dladdr(caller->Functions[WRITE], &where) == 0 ||
    !where.dli_fname)
  {
    return;
  }
  for (int i = 0; i < DriverCount; ++i)
  {
    if (strcmp(Drivers[i].Library, where.dli_fname) == 0)
    {
      caller->Watch = Drivers[i].Watch;
      return;
    }
  }
}

static Caller* FindCaller(const void* returnAddress)
{
  static Caller unknown;
  Dl_info where = { NULL, NULL, NULL, NULL };
  dladdr(returnAddress, &where);
  for (int i = 0; i < CallerCount; ++i)
  {
    if (Callers[i].Base == where.dli_fbase)
    {
      return &Callers[i];
    }
  }
  Caller* made = CallerCount < MOST ? &Callers[CallerCount++] : &unknown;
  made->Base = where.dli_fbase;
  made->Looked = -1;
  FindFunctions(made, where.dli_fname);
  return made;
}

/* Returns a copy: what the last of too many callers has may be overwritten. */
static Caller CallerAt(const void* returnAddress)
{
  pthread_mutex_lock(&Guard);
  Site* site = &Sites[((uintptr_t)returnAddress >> 1) % SITES];
  if (site->Return != returnAddress)
  {
    site->From = FindCaller(returnAddress);
    site->Return = CallerCount < MOST ? returnAddress : NULL;
  }
  if (site->From->Looked != DriverCount)
  {
    FindWatch(site->From);
  }
  const Caller found = *site->From;
  pthread_mutex_unlock(&Guard);
  return found;
}

/* Returns 0 if HDF5 cannot use the buffer: the reason is on its error stack then. */
static int MayTransfer(const Caller* from, const DatasetTransfer* transfer)
{
  return !from->Watch || !from->Watch->MayTransfer || from->Watch->MayTransfer(transfer);
}

herr_t Write(hid_t dataset, hid_t memoryType, hid_t memorySpace, hid_t fileSpace, hid_t transfer,
  const void* buffer)
{
  const Caller from = CallerAt(__builtin_return_address(0));
  WriteFunction write = (WriteFunction)from.Functions[WRITE];
  const DatasetTransfer asked = { dataset, memoryType, transfer, buffer, 1, 0 };
  if (!write || !MayTransfer(&from, &asked))
  {
    return -1;
  }
  const herr_t done = write(dataset, memoryType, memorySpace, fileSpace, transfer, buffer);
  if (from.Watch && from.Watch->Written && done >= 0)
  {
    from.Watch->Written(dataset, transfer);
  }
  return done;
}

herr_t Read(
  hid_t dataset, hid_t memoryType, hid_t memorySpace, hid_t fileSpace, hid_t transfer, void* buffer)
{
  const Caller from = CallerAt(__builtin_return_address(0));
  ReadFunction read = (ReadFunction)from.Functions[READ];
  const DatasetTransfer asked = { dataset, memoryType, transfer, buffer, 0, 0 };
  return read && MayTransfer(&from, &asked)
    ? read(dataset, memoryType, memorySpace, fileSpace, transfer, buffer)
    : -1;
}

herr_t WriteAttribute(hid_t attribute, hid_t memoryType, const void* buffer)
{
  const Caller from = CallerAt(__builtin_return_address(0));
  WriteAttributeFunction write = (WriteAttributeFunction)from.Functions[WRITE_ATTRIBUTE];
  const DatasetTransfer asked = { attribute, memoryType, 0, buffer, 1, 1 };
  return write && MayTransfer(&from, &asked) ? write(attribute, memoryType, buffer) : -1;
}

herr_t ReadAttribute(hid_t attribute, hid_t memoryType, void* buffer)
{
  const Caller from = CallerAt(__builtin_return_address(0));
  ReadAttributeFunction read = (ReadAttributeFunction)from.Functions[READ_ATTRIBUTE];
  const DatasetTransfer asked = { attribute, memoryType, 0, buffer, 0, 1 };
  return read && MayTransfer(&from, &asked) ? read(attribute, memoryType, buffer) : -1;
}
