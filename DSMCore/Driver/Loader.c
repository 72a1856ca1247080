/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The door through which programs that were built without us reach the driver. One small library
 * that needs nothing but the C library, so that it may be loaded anywhere:
 *
 *   preloaded (LD_PRELOAD), its H5FD_mpio_init and H5Pset_fapl_mpio stand in for HDF5's: programs
 *   that open files with MPI-IO get the dsm driver, and H5FD_MPIO means it;
 *
 *   its H5Fset_mpi_atomicity and H5Fget_mpi_atomicity have files in memory in atomic mode, which
 *   HDF5's own take for files of its MPI-IO driver;
 *
 *   also preloaded, with DSM_FILES=all, its getenv answers an HDF5 that asks for its default driver
 *   (HDF5_DRIVER), having registered ours there: no search for plugins, whatever the program does
 *   with HDF5_PLUGIN_PATH. An HDF5 that cannot have our driver is not told of it, and neither is
 *   one that the preloading does not reach;
 *
 *   its rename, renameat and renameat2 are the C library's, and then tell the server of a file in
 *   memory which name that has now;
 *
 *   as a plugin (HDF5_DRIVER=dsm, HDF5_PLUGIN_PATH), it hands the driver's class to HDF5, where
 *   nothing can be preloaded;
 *
 *   loaded by a process that runs already, it makes the driver the default of the HDF5 libraries
 *   there (Attach.c).
 *
 * Several HDF5 libraries exist, even in one process, and each MPI has its own. So it looks which
 * one is calling, and loads the core library made for that one:
 *
 *   lib/dsm/libdsm-loader.so
 *   lib/libdsmcore-openmpi.so      for the HDF5 that this was linked with
 *   lib/libdsmcore-any-openmpi.so  for any other parallel HDF5 1.14 or 2 with the same MPI library
 *   lib/libdsmcore-mpich.so, lib/libdsmcore-any-mpich.so
 *   lib/libdsmcore-serial.so       for any serial HDF5 1.14 or 2, whatever its name
 *
 * Where there is none, the caller gets what it would have had without us, with one notice, for its
 * files will not be seen: its own MPI-IO driver, and its own default driver. The latter under our
 * name, if HDF5_DRIVER=dsm has reached it all the same.
 */
#define _GNU_SOURCE
#include "Loader.h"
#include "CoreCopy.h"
#include "DiskDriver.h"
#include "Guest.h"
#include "LoadedObjects.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Types only: nothing of HDF5 is linked. */
#include <hdf5.h>

#define EXPORT __attribute__((visibility("default")))

typedef hid_t (*InitFunction)(void);
typedef void* (*ObjectFunction)(hid_t);
typedef const H5FD_class_t* (*ClassFunction)(void);

typedef int (*HasFunction)(hid_t);
typedef herr_t (*SetFlagFunction)(hid_t, hbool_t);
typedef herr_t (*GetFlagFunction)(hid_t, hbool_t*);
typedef void (*RenamedFunction)(const char*);
typedef herr_t (*StartFunction)(void);
typedef herr_t (*DefaultFunction)(void);

typedef char* (*VariableFunction)(const char*);
typedef const char* (*PathFunction)(void);
typedef void (*LeaveFunction)(void);
typedef void (*NoteFunction)(hid_t, const char*, const char*);
typedef herr_t (*VersionFunction)(unsigned*, unsigned*, unsigned*);
typedef int (*MpiVersionFunction)(char*, int*);

/* One HDF5 library in this process, and what we found for it. */
typedef struct Hdf5
{
  char Path[4096];
  char Prefix[MOST_PREFIX]; /* of its functions' names */
  void* Handle;
  InitFunction DsmInit;
  InitFunction StandIn; /* the same under another identifier, where it is asked for MPI-IO's */
  ClassFunction DsmClass;
  HasFunction Has;              /* whether a file is in memory */
  SetFlagFunction SetAtomicity; /* null in a core without MPI */
  GetFlagFunction GetAtomicity;
  NoteFunction Note; /* that the program creates an object; null in a core without MPI */
  RenamedFunction Renamed;
  DefaultFunction SetDefault;
  DefaultFunction UnsetDefault;
  H5FD_class_t* DefaultAsDsm;
  char WhyNot[512]; /* the last core could not be loaded */
  int LacksMemory;  /* that may be why */
  int Told;
} Hdf5;

#define MOST_LIBRARIES 8
static Hdf5 Libraries[MOST_LIBRARIES];
static int LibraryCount = 0;

/* Each core in this process has a function that leaves its servers. A program may be linked with a
 * core itself. */
static LeaveFunction Leaves[MOST_LIBRARIES];
static int LeaveCount = 0;

/* Each core calls this when it is loaded. */
EXPORT void DsmAddCore(LeaveFunction leave)
{
  if (LeaveCount < MOST_LIBRARIES)
  {
    Leaves[LeaveCount++] = leave;
  }
}
static pthread_mutex_t Guard = PTHREAD_MUTEX_INITIALIZER;

/* The C library's own. Found before anything runs that might be in the middle of dlsym. */
static VariableFunction Variable = NULL;

__attribute__((constructor)) static void FindVariable(void)
{
  Variable = (VariableFunction)dlsym(RTLD_NEXT, "getenv");
}

static char* VariableOf(const char* name)
{
  if (Variable)
  {
    return Variable(name);
  }
  const size_t length = strlen(name);
  for (char** one = environ; one && *one; ++one)
  {
    if (strncmp(*one, name, length) == 0 && (*one)[length] == '=')
    {
      return *one + length + 1;
    }
  }
  return NULL;
}

static void* FindIn(void* handle, const char* name)
{
  return handle ? dlsym(handle, name) : NULL;
}

/* MPI_MAX_LIBRARY_VERSION_STRING of the MPI libraries that there are, at most. */
#define MOST_MPI_VERSION 8192

#define MOST_NAME 256

/* The name that an HDF5 has for something. */
static const char* NameIn(const Hdf5* library, const char* name, char theirs[MOST_NAME])
{
  snprintf(theirs, MOST_NAME, "%s%s", library->Prefix, name);
  return theirs;
}

/* A function or variable of an HDF5, by HDF5's name for it. */
static void* OfHdf5(const Hdf5* library, const char* name)
{
  char theirs[MOST_NAME];
  return FindIn(library->Handle, NameIn(library, name, theirs));
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
static void TryCore(Hdf5* library, void* core)
{
  if (!core)
  {
    const char* why = dlerror();
    if (why && !*library->WhyNot)
    {
      snprintf(library->WhyNot, sizeof library->WhyNot, "%s", why);
    }
    return;
  }
  PathFunction coresHdf5 = (PathFunction)FindIn(core, "H5FD_dsm_library");
  if (coresHdf5 && strcmp(coresHdf5(), library->Path) == 0)
  {
    library->DsmInit = (InitFunction)FindIn(core, "H5FD_dsm_init");
    library->StandIn = (InitFunction)FindIn(core, "H5FD_dsm_stand_in");
    library->DsmClass = (ClassFunction)FindIn(core, "H5FD_dsm_class");
    library->Has = (HasFunction)FindIn(core, "H5FD_dsm_has");
    library->Renamed = (RenamedFunction)FindIn(core, "H5FD_dsm_renamed");
    library->SetDefault = (DefaultFunction)FindIn(core, "H5FD_dsm_set_default");
    library->UnsetDefault = (DefaultFunction)FindIn(core, "H5FD_dsm_unset_default");
    library->SetAtomicity = (SetFlagFunction)FindIn(core, "H5Fset_dsm_atomicity");
    library->GetAtomicity = (GetFlagFunction)FindIn(core, "H5Fget_dsm_atomicity");
    library->Note = library->SetAtomicity ? (NoteFunction)FindIn(core, "H5FD_dsm_note") : NULL;
  }
  if (!library->DsmInit || !library->StandIn || !library->DsmClass)
  {
    library->DsmInit = NULL;
    library->DsmClass = NULL;
    library->SetDefault = NULL;
    library->UnsetDefault = NULL;
    dlclose(core);
  }
  /* Else it stays loaded: HDF5 keeps pointers into it. */
}

/* Tries a copy of a core that is linked with no HDF5. */
static void TryCopy(Hdf5* library, CoreFile* core, const char* mpi)
{
  CopyLinks with = { library->Path, library->Prefix, mpi, 0 };
  TryCore(library, LoadCopy(core, &with, library->WhyNot, sizeof library->WhyNot));
  /* Another HDF5, which the program is linked with, goes before the one that a library brings. */
  if (!library->DsmInit && !*library->WhyNot && !dlsym(RTLD_DEFAULT, "__asan_init"))
  {
    with.Alone = 1;
    TryCore(library, LoadCopy(core, &with, library->WhyNot, sizeof library->WhyNot));
  }
}

static CoreFile OpenCoreFor(Hdf5* library, const char* path)
{
  CoreFile core = OpenCore(path);
  library->LacksMemory |= core.LacksMemory;
  return core;
}

/* Whether an HDF5's driver class and functions are those of the cores that are linked with none. */
static int IsKnownVersion(unsigned major, unsigned minor)
{
  return (major == 1 && minor == 14) || major == 2;
}

static int IsKnown(const Hdf5* library)
{
  VersionFunction version = (VersionFunction)OfHdf5(library, "H5get_libversion");
  unsigned major = 0;
  unsigned minor = 0;
  unsigned release = 0;
  return version && version(&major, &minor, &release) >= 0 && IsKnownVersion(major, minor);
}

/* A function of the MPI library that an HDF5 uses: it is linked with it, or leaves that to the
 * program. */
static void* OfMpi(const Hdf5* library, const char* name)
{
  void* found = FindIn(library->Handle, name);
  return found ? found : dlsym(RTLD_DEFAULT, name);
}

/* The file of that library; empty: none. */
static const char* MpiOf(const Hdf5* library)
{
  return FileOf(OfMpi(library, "MPI_Init"));
}

/* The core that was linked with this HDF5: ../libdsmcore-openmpi.so for libhdf5_openmpi.so.310. */
static void FindLinkedCore(Hdf5* library, const char* folder)
{
  char flavour[64] = "";
  char path[4400];
  const char* name = LastComponent(library->Path);
#ifdef DSM_HDF5_NAME
  /* The one this build was made with may have a name that tells nothing: libhdf5.so, or Cray's
   * libhdf5_parallel.so. */
  if (strncmp(name, DSM_HDF5_NAME, strlen(DSM_HDF5_NAME)) == 0)
  {
    snprintf(flavour, sizeof flavour, "%s", DSM_FLAVOUR);
  }
#endif
  if (!*flavour && sscanf(name, "libhdf5_%63[A-Za-z0-9].so", flavour) != 1)
  {
    return;
  }
  snprintf(path, sizeof path, "%s/../libdsmcore-%s.so", folder, flavour);
  CoreFile core = OpenCoreFor(library, path);
  if (IsLinkedWith(&core, name) && IsLinkedWith(&core, LastComponent(MpiOf(library))))
  {
    dlerror(); /* of what was looked for before */
    TryCore(library, dlopen(path, RTLD_NOW | RTLD_LOCAL));
  }
  CloseCore(&core);
}

/*
 * Returns the ABI of an MPI library whose name says nothing, by which its cores are named. The ABI
 * of MPICH is also that of Intel's, Cray's and others (https://www.mpich.org/abi/); of Open MPI, 4
 * and 5 have one.
 */
static const char* AbiOf(const Hdf5* library, const char* mpi)
{
  static const struct
  {
    const char* Text;
    const char* Abi;
  } known[] = { { "Open MPI v4.", "openmpi" }, { "Open MPI v5.", "openmpi" }, { "MPICH", "mpich" },
    { "Intel(R) MPI", "mpich" }, { "MVAPICH", "mpich" } };
  char text[MOST_MPI_VERSION] = "";
  int length = 0;
  MpiVersionFunction version = (MpiVersionFunction)OfMpi(library, "MPI_Get_library_version");
  /* The same library may be there with MPI's standard ABI. */
  if (strncmp(mpi, "libmpi_abi.", 11) == 0)
  {
    return "abi";
  }
  if (version)
  {
    version(text, &length);
  }
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
  {
    if (strstr(text, known[i].Text))
    {
      return known[i].Abi;
    }
  }
  return "";
}

/* Finds for any other parallel HDF5 a core that was compiled for the MPI which that one is linked
 * with, or for one of the same ABI: another would bring a second MPI into the process. */
static void FindCoreForMpi(Hdf5* library, const char* folder)
{
  char pattern[4400];
  char named[64];
  glob_t found;
  const char* path = MpiOf(library);
  const char* mpi = LastComponent(path);
  snprintf(pattern, sizeof pattern, "%s/../libdsmcore-any-*.so", folder);
  if (!*mpi || glob(pattern, GLOB_NOSORT, NULL, &found) != 0)
  {
    return;
  }
  snprintf(named, sizeof named, "libdsmcore-any-%s.so", AbiOf(library, mpi));
  for (size_t i = 0; i < found.gl_pathc && !library->DsmInit; ++i)
  {
    CoreFile core = OpenCoreFor(library, found.gl_pathv[i]);
    if (IsLinkedWith(&core, mpi) || strcmp(LastComponent(found.gl_pathv[i]), named) == 0)
    {
      TryCopy(library, &core, path);
    }
    CloseCore(&core);
  }
  globfree(&found);
}

/* Adds the limits on the process's memory to the reason why no core was loaded, if it is one. */
static void NoteLimits(Hdf5* library)
{
  static const struct
  {
    int Which;
    const char* Text;
  } limits[] = { { RLIMIT_DATA, "data memory is limited to %lu MiB (ulimit -d)" },
    { RLIMIT_AS, "address space is limited to %lu MiB (ulimit -v)" } };
  if (!library->LacksMemory && !strstr(library->WhyNot, "failed to map segment") &&
    !strstr(library->WhyNot, "cannot map zero-fill pages") &&
    !strstr(library->WhyNot, "annot allocate memory"))
  {
    return;
  }
  for (size_t i = 0; i < sizeof limits / sizeof *limits; ++i)
  {
    struct rlimit limit;
    const size_t length = strlen(library->WhyNot);
    if (getrlimit(limits[i].Which, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    {
      const int separator = snprintf(
        library->WhyNot + length, sizeof library->WhyNot - length, "%s", length > 0 ? "; " : "");
      snprintf(library->WhyNot + length + separator,
        sizeof library->WhyNot - length - (size_t)separator, limits[i].Text,
        (unsigned long)(limit.rlim_cur >> 20));
    }
  }
}

static void FindCore(Hdf5* library)
{
  char folder[4096];
  snprintf(folder, sizeof folder, "%s", FileOf((const void*)&FindCore));
  char* slash = strrchr(folder, '/');
  if (!slash)
  {
    return;
  }
  *slash = '\0';
  if (OfHdf5(library, "H5Pset_fapl_mpio"))
  {
    FindLinkedCore(library, folder);
    if (!library->DsmInit && IsKnown(library))
    {
      FindCoreForMpi(library, folder);
    }
  }
  else if (IsKnown(library))
  {
    char path[4400];
    snprintf(path, sizeof path, "%s/../libdsmcore-serial.so", folder);
    CoreFile core = OpenCoreFor(library, path);
    TryCopy(library, &core, NULL);
    CloseCore(&core);
  }
  if (!library->DsmInit)
  {
    NoteLimits(library);
  }
}

/* The entry of an HDF5, and its core; null where there is no room for one more. */
static Hdf5* LibraryOf(const FoundHdf5* found)
{
  const char* path = FileOf(found->Register);
  Hdf5* library = NULL;
  for (int i = 0; i < LibraryCount && !library; ++i)
  {
    library = strcmp(Libraries[i].Path, path) == 0 ? &Libraries[i] : NULL;
  }
  if (!library && LibraryCount < MOST_LIBRARIES)
  {
    library = &Libraries[LibraryCount++];
    snprintf(library->Path, sizeof library->Path, "%s", path);
    snprintf(library->Prefix, sizeof library->Prefix, "%s", found->Prefix);
    library->Handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    FindCore(library);
  }
  return library;
}

/*
 * The HDF5 that a call comes from: the caller itself, or the one the caller is linked with. None
 * for a library that has an HDF5 hidden in itself; there may be another in the process.
 */
static Hdf5* Caller(const void* returnAddress)
{
  FoundHdf5 found = { NULL, "" };
  void* handle = HandleOf(returnAddress);
  found.Register = FindIn(handle, "H5FDregister");
  if (handle)
  {
    dlclose(handle);
  }
  if (!found.Register && IsInProgram(returnAddress))
  {
    found.Register = dlsym(RTLD_DEFAULT, "H5FDregister");
  }
  return found.Register || FindHdf5At(returnAddress, &found) ? LibraryOf(&found) : NULL;
}

/* Who has called from where: to find it out opens files, which small files would feel. */
#define MOST_CALLS 64
static struct
{
  const void* From;
  Hdf5* Library;
} Calls[MOST_CALLS];

static int CountUnloaded(struct dl_phdr_info* info, size_t size, void* count)
{
  (void)size;
  *(unsigned long long*)count = info->dlpi_subs;
  return 1;
}

/* Another library may come to lie where one has been unloaded. */
static void ForgetUnloaded(void)
{
  static unsigned long long before = 0;
  unsigned long long now = 0;
  dl_iterate_phdr(CountUnloaded, &now);
  if (now != before)
  {
    memset(Calls, 0, sizeof Calls);
    before = now;
  }
}

int HasServers(void)
{
  return LeaveCount > 0;
}

void LeaveServers(void)
{
  for (int i = 0; i < LeaveCount; ++i)
  {
    Leaves[i]();
  }
}

static Hdf5* LockedCaller(const void* returnAddress)
{
  pthread_mutex_lock(&Guard);
  ForgetUnloaded();
  const size_t place = (uintptr_t)returnAddress / 4 % MOST_CALLS;
  Hdf5* library = Calls[place].From == returnAddress ? Calls[place].Library : NULL;
  if (!library)
  {
    library = Caller(returnAddress);
    Calls[place].From = returnAddress;
    Calls[place].Library = library;
  }
  pthread_mutex_unlock(&Guard);
  return library;
}

/* Of many ranks one tells, unless only errors are wanted. */
static int Tells(void)
{
  static const char* const quiet[] = { "err", "error", "critical", "off" };
  const char* level = VariableOf("DSM_LOG");
  for (size_t i = 0; level && i < sizeof quiet / sizeof *quiet; ++i)
  {
    if (strcmp(level, quiet[i]) == 0)
    {
      return 0;
    }
  }
  static const char* const ranks[] = { "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
    "SLURM_PROCID" };
  for (size_t i = 0; i < sizeof ranks / sizeof *ranks; ++i)
  {
    const char* rank = VariableOf(ranks[i]);
    if (rank && strcmp(rank, "0") != 0)
    {
      return 0;
    }
  }
  return 1;
}

/* Once for each HDF5: that ParaView sees nothing of it, and why. */
static void TellUnseen(int* told, const char* path, const char* why)
{
  if (*told || !Tells())
  {
    return;
  }
  *told = 1;
  if (path)
  {
    fprintf(stderr,
      "dsm warning: no libdsmcore for %s beside %s: what this HDF5 writes goes to disk, "
      "unseen%s%s\n",
      path, FileOf((const void*)&FindCore), *why ? ": " : "", why);
  }
  else
  {
    fprintf(stderr,
      "dsm warning: %s has its HDF5 inside itself: what it writes goes to disk, unseen. Link it "
      "with a shared parallel HDF5 to see it in ParaView\n",
      program_invocation_short_name);
  }
}

/* An HDF5 asks for its default driver when it starts, which leads back to here. */
static void StartHdf5(const FoundHdf5* found)
{
  char name[MOST_NAME];
  void* handle = HandleOf(found->Register);
  snprintf(name, sizeof name, "%sH5open", found->Prefix);
  StartFunction start = (StartFunction)FindIn(handle, name);
  if (start)
  {
    start();
  }
  if (handle)
  {
    dlclose(handle);
  }
}

void* LoadOnHdf5(const char* path, char* whyNot, size_t whyNotSize)
{
  void* loaded = NULL;
  pthread_mutex_lock(&Guard);
  const Hdf5* library = Libraries;
  while (library < Libraries + LibraryCount && !library->SetDefault)
  {
    ++library;
  }
  if (library < Libraries + LibraryCount)
  {
    /* A program may have another HDF5 of the same names. */
    const int alone = !dlsym(RTLD_DEFAULT, "__asan_init");
    const CopyLinks with = { library->Path, library->Prefix, NULL, alone };
    CoreFile file = OpenCore(path);
    loaded = LoadCopy(&file, &with, whyNot, whyNotSize);
    if (!loaded && !*whyNot)
    {
      const char* why = file.Bytes ? dlerror() : strerror(errno);
      snprintf(whyNot, whyNotSize, "%s: %s", path, why ? why : "it cannot be loaded");
    }
    CloseCore(&file);
  }
  pthread_mutex_unlock(&Guard);
  return loaded;
}

void SetDefaultDriver(LookedInto* before)
{
  FoundHdf5 found[MOST_LIBRARIES];
  const size_t count = FindNewHdf5(before, found, MOST_LIBRARIES);
  for (size_t i = 0; i < count; ++i)
  {
    StartHdf5(&found[i]);
    pthread_mutex_lock(&Guard);
    Hdf5* library = LibraryOf(&found[i]);
    pthread_mutex_unlock(&Guard);
    if (library && library->SetDefault)
    {
      library->SetDefault();
    }
    else if (library)
    {
      TellUnseen(&library->Told, library->Path, library->WhyNot);
    }
  }
}

void UnsetDefaultDriver(void)
{
  for (int i = 0; i < LibraryCount; ++i)
  {
    if (Libraries[i].UnsetDefault)
    {
      Libraries[i].UnsetDefault();
    }
  }
  LeaveServers();
}

/* What an HDF5 has itself of that name. Where it cannot have ours, that is said. */
static void* Theirs(Hdf5* library, const char* name)
{
  if (!library)
  {
    return dlsym(RTLD_NEXT, name);
  }
  if (!library->DsmInit)
  {
    TellUnseen(&library->Told, library->Path, library->WhyNot);
  }
  return OfHdf5(library, name);
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
    return library->StandIn();
  }
  InitFunction theirs = (InitFunction)Theirs(library, "H5FD_mpio_init");
  return theirs && theirs != &H5FD_mpio_init ? theirs() : H5I_INVALID_HID;
}

/*
 * An HDF5 that was linked with -Bsymbolic-functions, as Ubuntu's, calls its own H5FD_mpio_init and
 * not what is preloaded, so the two functions of a program that do so are here as well. MPI's
 * handles are pointers or numbers, as the library has it: they are passed on as they are.
 */
typedef herr_t (*HandlesFunction)(hid_t, void*, void*);
typedef herr_t (*SetDriverFunction)(hid_t, hid_t, const void*);
typedef hid_t (*GetDriverFunction)(hid_t);

EXPORT herr_t SetMpio(hid_t fapl, void* comm, void* info) __asm__("H5Pset_fapl_mpio");
EXPORT herr_t GetMpio(hid_t fapl, void* comm, void* info) __asm__("H5Pget_fapl_mpio");

herr_t SetMpio(hid_t fapl, void* comm, void* info)
{
  Hdf5* library = LockedCaller(__builtin_return_address(0));
  HandlesFunction handles = NULL;
  SetDriverFunction driver = NULL;
  if (library && library->DsmInit)
  {
    handles = (HandlesFunction)OfHdf5(library, "H5Pset_mpi_params");
    driver = (SetDriverFunction)OfHdf5(library, "H5Pset_driver");
  }
  if (handles && driver)
  {
    return handles(fapl, comm, info) < 0 ? -1 : driver(fapl, library->StandIn(), NULL);
  }
  HandlesFunction theirs = (HandlesFunction)Theirs(library, "H5Pset_fapl_mpio");
  return theirs && theirs != &SetMpio ? theirs(fapl, comm, info) : -1;
}

herr_t GetMpio(hid_t fapl, void* comm, void* info)
{
  Hdf5* library = LockedCaller(__builtin_return_address(0));
  /* H5Pget_mpi_params takes no null pointers; who wants one of the two only gets HDF5's answer. */
  if (library && library->DsmInit && comm && info)
  {
    HandlesFunction handles = (HandlesFunction)OfHdf5(library, "H5Pget_mpi_params");
    GetDriverFunction driver = (GetDriverFunction)OfHdf5(library, "H5Pget_driver");
    const hid_t now = handles && driver ? driver(fapl) : H5I_INVALID_HID;
    if (now >= 0 && (now == library->StandIn() || now == library->DsmInit()))
    {
      return handles(fapl, comm, info);
    }
  }
  HandlesFunction theirs = (HandlesFunction)Theirs(library, "H5Pget_fapl_mpio");
  return theirs && theirs != &GetMpio ? theirs(fapl, comm, info) : -1;
}

/* MPI-IO's atomic mode: of a file in memory the driver's, of any other HDF5's own. */
EXPORT herr_t SetAtomicity(hid_t file, hbool_t on) __asm__("H5Fset_mpi_atomicity");
EXPORT herr_t GetAtomicity(hid_t file, hbool_t* on) __asm__("H5Fget_mpi_atomicity");

static int IsInMemory(const Hdf5* library, hid_t file)
{
  return library && library->DsmInit && library->Has && library->SetAtomicity &&
    library->GetAtomicity && library->Has(file);
}

static void* TheirAtomicity(const Hdf5* library, const char* name)
{
  return library ? OfHdf5(library, name) : dlsym(RTLD_NEXT, name);
}

herr_t SetAtomicity(hid_t file, hbool_t on)
{
  const Hdf5* library = LockedCaller(__builtin_return_address(0));
  if (IsInMemory(library, file))
  {
    return library->SetAtomicity(file, on);
  }
  SetFlagFunction theirs = (SetFlagFunction)TheirAtomicity(library, "H5Fset_mpi_atomicity");
  return theirs && theirs != &SetAtomicity ? theirs(file, on) : -1;
}

herr_t GetAtomicity(hid_t file, hbool_t* on)
{
  const Hdf5* library = LockedCaller(__builtin_return_address(0));
  if (IsInMemory(library, file))
  {
    return library->GetAtomicity(file, on);
  }
  GetFlagFunction theirs = (GetFlagFunction)TheirAtomicity(library, "H5Fget_mpi_atomicity");
  return theirs && theirs != &GetAtomicity ? theirs(file, on) : -1;
}

/*
 * All ranks of a file have to create the same objects in it. HDF5 does not look whether they do,
 * and makes a damaged file of it: so the core hears of each.
 */
static void* NotedCreate(
  const void* returnAddress, const char* function, hid_t place, const char* name)
{
  const Hdf5* library = LockedCaller(returnAddress);
  if (library && library->DsmInit && library->Note)
  {
    library->Note(place, function, name);
  }
  return library ? OfHdf5(library, function) : dlsym(RTLD_NEXT, function);
}

/* NOLINTBEGIN(bugprone-macro-parentheses): lists of parameters and arguments have their own */
#define CREATES(result, function, parameters, place, name, arguments)                              \
  EXPORT result function parameters                                                                \
  {                                                                                                \
    result(*theirs) parameters =                                                                   \
      (result(*) parameters)NotedCreate(__builtin_return_address(0), #function, place, name);      \
    return theirs && theirs != &function ? theirs arguments : (result) - 1;                        \
  }
/* NOLINTEND(bugprone-macro-parentheses) */

CREATES(hid_t, H5Gcreate2,
  (hid_t place, const char* name, hid_t link, hid_t creation, hid_t access), place, name,
  (place, name, link, creation, access))
CREATES(hid_t, H5Dcreate2,
  (hid_t place, const char* name, hid_t type, hid_t space, hid_t link, hid_t creation,
    hid_t access),
  place, name, (place, name, type, space, link, creation, access))
CREATES(hid_t, H5Acreate2,
  (hid_t place, const char* name, hid_t type, hid_t space, hid_t creation, hid_t access), place,
  name, (place, name, type, space, creation, access))
CREATES(hid_t, H5Acreate_by_name,
  (hid_t place, const char* object, const char* name, hid_t type, hid_t space, hid_t creation,
    hid_t access, hid_t link),
  place, name, (place, object, name, type, space, creation, access, link))
CREATES(herr_t, H5Tcommit2,
  (hid_t place, const char* name, hid_t type, hid_t link, hid_t creation, hid_t access), place,
  name, (place, name, type, link, creation, access))
CREATES(herr_t, H5Olink, (hid_t object, hid_t place, const char* name, hid_t link, hid_t access),
  place, name, (object, place, name, link, access))
CREATES(herr_t, H5Lcreate_hard,
  (hid_t from, const char* target, hid_t place, const char* name, hid_t link, hid_t access),
  place == H5L_SAME_LOC ? from : place, name, (from, target, place, name, link, access))
CREATES(herr_t, H5Lcreate_soft,
  (const char* target, hid_t place, const char* name, hid_t link, hid_t access), place, name,
  (target, place, name, link, access))
CREATES(herr_t, H5Lcreate_external,
  (const char* file, const char* target, hid_t place, const char* name, hid_t link, hid_t access),
  place, name, (file, target, place, name, link, access))
CREATES(
  hid_t, H5Gcreate1, (hid_t place, const char* name, size_t size), place, name, (place, name, size))
CREATES(hid_t, H5Dcreate1, (hid_t place, const char* name, hid_t type, hid_t space, hid_t creation),
  place, name, (place, name, type, space, creation))
CREATES(hid_t, H5Acreate1, (hid_t place, const char* name, hid_t type, hid_t space, hid_t creation),
  place, name, (place, name, type, space, creation))
CREATES(
  herr_t, H5Tcommit1, (hid_t place, const char* name, hid_t type), place, name, (place, name, type))

/*
 * The identifier of an HDF5's default driver. HDF5 1 registers it when its function is called, and
 * HDF5 2, which has no such function, when the library starts.
 */
static hid_t DefaultDriver(const Hdf5* library)
{
  InitFunction init = (InitFunction)OfHdf5(library, "H5FD_sec2_init");
  const hid_t* registered = (const hid_t*)OfHdf5(library, "H5FD_SEC2_id_g");
  if (registered && *registered < 0)
  {
    /* A program that uses it has a copy, which then is HDF5's as well. */
    char theirs[MOST_NAME];
    registered = (const hid_t*)dlsym(RTLD_DEFAULT, NameIn(library, "H5FD_SEC2_id_g", theirs));
  }
  return init ? init() : registered ? *registered : H5I_INVALID_HID;
}

/* The size of a driver's class in HDF5 1.13.1. */
#define OLD_CLASS_SIZE 304

/* The caller's own default driver, under our name. Its class is known only behind its identifier.
 */
static const H5FD_class_t* DefaultAsDsm(Hdf5* library)
{
  const hid_t driver = DefaultDriver(library);
  ObjectFunction object = (ObjectFunction)OfHdf5(library, "H5I_object");
  const H5FD_class_t* sec2 = driver >= 0 && object ? (const H5FD_class_t*)object(driver) : NULL;
  /* HDF5 1.13 (VTK up to 9.5) has the value in the place of the version, the name in the same
   * place, and some functions less. */
  const int isOld = sec2 && sec2->version == (unsigned)H5_VFD_SEC2;
  if (!library->DefaultAsDsm && sec2 && (isOld || sec2->version == H5FD_CLASS_VERSION))
  {
    static const H5FD_class_value_t value = (H5FD_class_value_t)417;
    H5FD_class_t* copy = (H5FD_class_t*)calloc(1, sizeof *copy);
    if (copy)
    {
      memcpy(copy, sec2, isOld ? OLD_CLASS_SIZE : sizeof *copy);
      memcpy(isOld ? (void*)&copy->version : (void*)&copy->value, &value, sizeof value);
      copy->name = "dsm";
      library->DefaultAsDsm = copy;
    }
  }
  return library->DefaultAsDsm;
}

static int ToldOfHidden = 0;

/* Stands in for the default driver of an HDF5 that is hidden in its caller. */
static const H5FD_class_t* DiskDriverFor(const void* returnAddress)
{
  unsigned major = 0;
  unsigned minor = 0;
  TellUnseen(&ToldOfHidden, NULL, "");
  return FindHdf5Version(returnAddress, &major, &minor) && IsKnownVersion(major, minor)
    ? DiskDriver()
    : NULL;
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
    return DiskDriverFor(__builtin_return_address(0));
  }
  if (library->DsmClass)
  {
    return library->DsmClass();
  }
  TellUnseen(&library->Told, library->Path, library->WhyNot);
  return DefaultAsDsm(library);
}

/*
 * HDF5 asks for its default driver's name when it starts, and does not start if that driver cannot
 * be had. So it gets ours registered already, or what it would have had without us. Others that ask
 * are told what there is: launchers do, for the processes they start.
 */
static char* DefaultDriverName(char* value, const void* returnAddress)
{
  static char dsm[] = "dsm";
  unsigned major = 0;
  unsigned minor = 0;
  Hdf5* library = LockedCaller(returnAddress);
  const int isHdf5 = library ? strcmp(FileOf(returnAddress), library->Path) == 0
                             : FindHdf5Version(returnAddress, &major, &minor);
  if (!isHdf5)
  {
    return value;
  }
  if (library && library->DsmInit && library->StandIn() >= 0)
  {
    return dsm;
  }
  TellUnseen(library ? &library->Told : &ToldOfHidden, library ? library->Path : NULL,
    library ? library->WhyNot : "");
  return NULL;
}

/*
 * HDF5 2 has the identifier of its MPI-IO driver in a variable, which ours takes over when that
 * HDF5 has started: programs may use H5FD_MPIO without calling a function that is here.
 */
static void TakeMpio(const void* returnAddress)
{
  Hdf5* library = LockedCaller(returnAddress);
  if (library && library->DsmInit && strcmp(FileOf(returnAddress), library->Path) == 0 &&
    OfHdf5(library, "H5FD_MPIO_id_g"))
  {
    library->StandIn();
  }
}

EXPORT char* getenv(const char* name)
{
  char* value = VariableOf(name);
  if (strcmp(name, "HDF5_DRIVER") != 0)
  {
    return value;
  }
  const char* files = VariableOf("DSM_FILES");
  const int isOurs =
    value && *value ? strcmp(value, "dsm") == 0 : files && strcmp(files, "all") == 0;
  if (isOurs)
  {
    return DefaultDriverName(value, __builtin_return_address(0));
  }
  if (files && strcmp(files, "mpio") == 0)
  {
    TakeMpio(__builtin_return_address(0));
  }
  return value;
}

/*
 * A renamed file may be the placeholder of a file in memory. A core that this process has loaded
 * tells that file's server. A process without one has opened no such file, and its servers find
 * files by their placeholders.
 */
static void TellRenamed(int folder, const char* name)
{
  const int error = errno;
  char path[2 * 4096];
  if (*name == '/' || folder == AT_FDCWD)
  {
    snprintf(path, sizeof path, "%s", name);
  }
  else
  {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    const ssize_t length = readlink(link, path, 4096);
    if (length <= 0)
    {
      errno = error;
      return;
    }
    snprintf(path + length, sizeof path - (size_t)length, "/%s", name);
  }
  for (int i = 0; i < LibraryCount; ++i)
  {
    if (Libraries[i].Renamed)
    {
      Libraries[i].Renamed(path);
      break;
    }
  }
  errno = error;
}

typedef int (*RenameFunction)(const char*, const char*);
typedef int (*RenameAtFunction)(int, const char*, int, const char*);
typedef int (*RenameAt2Function)(int, const char*, int, const char*, unsigned);

EXPORT int rename(const char* from, const char* to)
{
  static RenameFunction theirs;
  if (!theirs)
  {
    theirs = (RenameFunction)dlsym(RTLD_NEXT, "rename");
  }
  const int result = theirs(from, to);
  if (result == 0)
  {
    TellRenamed(AT_FDCWD, to);
  }
  return result;
}

EXPORT int renameat(int fromFolder, const char* from, int toFolder, const char* to)
{
  static RenameAtFunction theirs;
  if (!theirs)
  {
    theirs = (RenameAtFunction)dlsym(RTLD_NEXT, "renameat");
  }
  const int result = theirs(fromFolder, from, toFolder, to);
  if (result == 0)
  {
    TellRenamed(toFolder, to);
  }
  return result;
}

EXPORT int renameat2(int fromFolder, const char* from, int toFolder, const char* to, unsigned flags)
{
  static RenameAt2Function theirs;
  if (!theirs)
  {
    theirs = (RenameAt2Function)dlsym(RTLD_NEXT, "renameat2");
  }
  const int result = theirs(fromFolder, from, toFolder, to, flags);
  if (result == 0)
  {
    TellRenamed(toFolder, to);
    if (flags != 0)
    {
      TellRenamed(fromFolder, from); /* the two may have been exchanged */
    }
  }
  return result;
}
