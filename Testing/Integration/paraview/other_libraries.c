/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded, pretends that a process has another HDF5 or MPI than it has: DSM_TEST_PRETEND=hdf5 or
   mpi. Only what these say of themselves is replaced, so that everything else goes on working. With
   DSM_TEST_PRETEND=crash, which a process may set as it runs, HDF5 crashes where it reads numbers.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int Pretends(const char* what)
{
  const char* wanted = getenv("DSM_TEST_PRETEND");
  return wanted && strcmp(wanted, what) == 0;
}

int H5get_libversion(unsigned* major, unsigned* minor, unsigned* release)
{
  if (Pretends("hdf5"))
  {
    *major = 1;
    *minor = 10;
    *release = 8;
    return 0;
  }
  int (*real)(unsigned*, unsigned*, unsigned*) = dlsym(RTLD_NEXT, "H5get_libversion");
  return real ? real(major, minor, release) : -1;
}

int H5Dread(long dataset, long type, long memory, long space, long how, void* to)
{
  if (Pretends("crash"))
  {
    *(volatile int*)NULL = 0;
  }
  /* Not the next one: a process may have a second HDF5, for other files. */
  void* library = dlopen(DSM_TEST_HDF5, RTLD_LAZY | RTLD_NOLOAD);
  int (*real)(long, long, long, long, long, void*) = library ? dlsym(library, "H5Dread") : NULL;
  return real ? real(dataset, type, memory, space, how, to) : -1;
}

int MPI_Get_library_version(char* version, int* length)
{
  if (Pretends("mpi"))
  {
    /* As long as MPICH's, which has a list of all it was configured with. */
    *length = sprintf(version, "Imaginary MPI 9.9\n%0*d", 8000, 0);
    return 0;
  }
  int (*real)(char*, int*) = dlsym(RTLD_NEXT, "MPI_Get_library_version");
  return real ? real(version, length) : -1;
}
