/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The door through which programs that were built without us reach the driver. One small library
 * that needs nothing but the C library, so that it may be loaded anywhere:
 *
 *   preloaded (LD_PRELOAD), its H5FD_mpio_init stands in for HDF5's: programs that call
 *   H5Pset_fapl_mpio get the dsm driver, and H5FD_MPIO means it;
 *
 *   as a plugin (HDF5_DRIVER=dsm, HDF5_PLUGIN_PATH), it hands the driver's class to HDF5 for
 *   programs that open files with the default driver.
 *
 * Several HDF5 libraries exist, even in one process, and each MPI has its own. So it looks which
 * one is calling, and loads the core library made for that one:
 *
 *   lib/dsm/libdsm-loader.so
 *   lib/libdsmcore-openmpi.so      for libhdf5_openmpi.so.*
 *   lib/libdsmcore-mpich.so        for libhdf5_mpich.so.*
 *
 * Where there is none, the caller gets what it would have had without us: its own MPI-IO driver
 * (with a notice, for its files will not be seen), or its own default driver under our name.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Types only: nothing of HDF5 is linked. */
#include <hdf5.h>

#define EXPORT __attribute__((visibility("default")))

typedef hid_t (*InitFunction)(void);
typedef void* (*ObjectFunction)(hid_t);
typedef const H5FD_class_t* (*ClassFunction)(void);

/* One HDF5 library in this process, and what we found for it. */
typedef struct Hdf5
{
  char Path[4096];
  void* Handle;
  InitFunction DsmInit;
  ClassFunction DsmClass;
  H5FD_class_t* DefaultAsDsm;
  int Told;
} Hdf5;

#define MOST_LIBRARIES 8
static Hdf5 Libraries[MOST_LIBRARIES];
static int LibraryCount = 0;
static pthread_mutex_t Guard = PTHREAD_MUTEX_INITIALIZER;

static void* FindIn(void* handle, const char* name)
{
  return handle ? dlsym(handle, name) : NULL;
}

static const char* FileOf(const void* address)
{
  Dl_info where;
  return address && dladdr(address, &where) != 0 && where.dli_fname ? where.dli_fname : "";
}

static const char* LastComponent(const char* path)
{
  const char* slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* A handle on the library that holds an address, null when it is the program itself. */
static void* HandleOf(const void* address)
{
  const char* file = FileOf(address);
  return *file ? dlopen(file, RTLD_LAZY | RTLD_NOLOAD) : NULL;
}

/* Tries a core library: it must use the very HDF5 that calls. */
static void TryCore(Hdf5* library, const char* path)
{
  void* core = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!core)
  {
    const char* level = getenv("DSM_LOG");
    if (level && (strcmp(level, "debug") == 0 || strcmp(level, "trace") == 0))
    {
      fprintf(stderr, "dsm debug: %s\n", dlerror());
    }
    return;
  }
  const char* coresHdf5 = FileOf(FindIn(core, "H5FDregister"));
  if (strcmp(coresHdf5, library->Path) == 0)
  {
    library->DsmInit = (InitFunction)FindIn(core, "H5FD_dsm_init");
    library->DsmClass = (ClassFunction)FindIn(core, "H5FD_dsm_class");
  }
  if (!library->DsmInit || !library->DsmClass)
  {
    library->DsmInit = NULL;
    dlclose(core);
  }
  /* Else it stays loaded: HDF5 keeps pointers into it. */
}

/*
 * libhdf5_openmpi.so.310 -> ../libdsmcore-openmpi.so. Loading one that belongs to another MPI would
 * bring a second MPI into the process, so the name decides.
 */
static void FindCore(Hdf5* library)
{
  char folder[4096];
  char flavour[64] = "";
  char core[4400];
  const char* name = LastComponent(library->Path);
  snprintf(folder, sizeof folder, "%s", FileOf((const void*)&FindCore));
  char* slash = strrchr(folder, '/');
  if (!slash)
  {
    return;
  }
  *slash = '\0';
  if (sscanf(name, "libhdf5_%63[A-Za-z0-9].so", flavour) != 1)
  {
#ifdef DSM_HDF5_NAME
    /* An HDF5 whose name tells no flavour: the one this build was made with. */
    if (strncmp(name, DSM_HDF5_NAME, strlen(DSM_HDF5_NAME)) != 0)
    {
      return;
    }
    snprintf(flavour, sizeof flavour, "%s", DSM_FLAVOUR);
#else
    return;
#endif
  }
  snprintf(core, sizeof core, "%s/../libdsmcore-%s.so", folder, flavour);
  TryCore(library, core);
}

/* The HDF5 that a call comes from: the caller itself, or the one the caller is linked with. */
static Hdf5* Caller(const void* returnAddress)
{
  void* handle = HandleOf(returnAddress);
  void* anchor = FindIn(handle, "H5FDregister");
  if (handle)
  {
    dlclose(handle);
  }
  if (!anchor)
  {
    anchor = dlsym(RTLD_DEFAULT, "H5FDregister");
  }
  const char* path = FileOf(anchor);
  if (!*path)
  {
    return NULL;
  }
  Hdf5* library = NULL;
  for (int i = 0; i < LibraryCount && !library; ++i)
  {
    library = strcmp(Libraries[i].Path, path) == 0 ? &Libraries[i] : NULL;
  }
  if (!library && LibraryCount < MOST_LIBRARIES)
  {
    library = &Libraries[LibraryCount++];
    snprintf(library->Path, sizeof library->Path, "%s", path);
    library->Handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    FindCore(library);
  }
  return library;
}

static Hdf5* LockedCaller(const void* returnAddress)
{
  pthread_mutex_lock(&Guard);
  Hdf5* library = Caller(returnAddress);
  pthread_mutex_unlock(&Guard);
  return library;
}

/* The MPI-IO stand-in. Its address is what programs take for H5FD_MPIO. */
EXPORT hid_t H5FD_mpio_init(void)
{
  Hdf5* library = LockedCaller(__builtin_return_address(0));
  if (!library)
  {
    return H5I_INVALID_HID;
  }
  if (library->DsmInit)
  {
    return library->DsmInit();
  }
  if (!library->Told)
  {
    library->Told = 1;
    fprintf(stderr,
      "dsm warning: no libdsmcore for %s beside %s: files of this program go to disk, unseen\n",
      library->Path, FileOf((const void*)&FindCore));
  }
  InitFunction theirs = (InitFunction)FindIn(library->Handle, "H5FD_mpio_init");
  return theirs && theirs != &H5FD_mpio_init ? theirs() : H5I_INVALID_HID;
}

/* The caller's own default driver, under our name. Its class is known only behind its identifier.
 */
static const H5FD_class_t* DefaultAsDsm(Hdf5* library)
{
  InitFunction init = (InitFunction)FindIn(library->Handle, "H5FD_sec2_init");
  ObjectFunction object = (ObjectFunction)FindIn(library->Handle, "H5I_object");
  const H5FD_class_t* sec2 = init && object ? (const H5FD_class_t*)object(init()) : NULL;
  if (!library->DefaultAsDsm && sec2 && sec2->version == H5FD_CLASS_VERSION)
  {
    H5FD_class_t* copy = (H5FD_class_t*)malloc(sizeof *copy);
    if (copy)
    {
      *copy = *sec2;
      copy->name = "dsm";
      copy->value = (H5FD_class_value_t)417;
      library->DefaultAsDsm = copy;
    }
  }
  return library->DefaultAsDsm;
}

EXPORT H5PL_type_t H5PLget_plugin_type(void)
{
  return H5PL_TYPE_VFD;
}

EXPORT const void* H5PLget_plugin_info(void)
{
  Hdf5* library = LockedCaller(__builtin_return_address(0));
  if (!library)
  {
    return NULL;
  }
  if (library->DsmClass)
  {
    return library->DsmClass();
  }
  const char* level = getenv("DSM_LOG");
  if (level && (strcmp(level, "debug") == 0 || strcmp(level, "trace") == 0))
  {
    fprintf(stderr, "dsm debug: no libdsmcore for %s: its files go to disk\n", library->Path);
  }
  return DefaultAsDsm(library);
}
