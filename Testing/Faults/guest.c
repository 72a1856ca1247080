/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dsmGuest FILE WHAT [WORD]: a program of one process that writes a dataset x of 1000 numbers and
 * says what HDF5 returned. WHAT comes between the file and its end, or is how it ends:
 *
 *   return, _exit, quick_exit, unasked (HDF5 is told not to end itself): with status 0
 *   fail, kill: otherwise
 *   closefrom, loop: closes all descriptors that it does not know, and writes FILE.2
 *   unreadable, half: writes from memory that cannot be read, or of which the end cannot
 *   device: the same, and a driver that WORD is the library of says that it is a device's
 *   wait: for the end of its input
 */
#define _GNU_SOURCE
#include <hdf5.h>

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int Write(const char* name, const double* values, hsize_t count)
{
  const hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t space = H5Screate_simple(1, &count, NULL);
  const hid_t set =
    H5Dcreate2(file, "x", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const herr_t written = H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
  H5Dclose(set);
  H5Sclose(space);
  const herr_t closed = H5Fclose(file);
  printf("wrote %d closed %d\n", (int)written, (int)closed);
  fflush(stdout);
  return written < 0 || closed < 0;
}

/* Pages that cannot be read, or half of which cannot. */
static const double* Pages(int half)
{
  const size_t size = 1 << 20;
  void* pages = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (half)
  {
    mprotect(pages, size / 2, PROT_READ | PROT_WRITE);
  }
  return (const double*)pages;
}

int main(int count, char** words)
{
  static double values[1000];
  const char* name = words[1];
  const char* what = count > 2 ? words[2] : "return";
  for (int i = 0; i < 1000; ++i)
  {
    values[i] = i;
  }
  if (strcmp(what, "unasked") == 0)
  {
    H5dont_atexit();
  }
  if (strcmp(what, "device") == 0 && !dlopen(words[3], RTLD_NOW))
  {
    return 9;
  }
  if (strcmp(what, "unreadable") == 0 || strcmp(what, "half") == 0 || strcmp(what, "device") == 0)
  {
    return Write(name, Pages(strcmp(what, "half") == 0), (1 << 20) / sizeof(double));
  }
  int failed = Write(name, values, 1000);
  if (strcmp(what, "closefrom") == 0 || strcmp(what, "loop") == 0)
  {
    char second[4096];
    snprintf(second, sizeof second, "%s.2", name);
    if (strcmp(what, "loop") == 0)
    {
      for (int descriptor = 3; descriptor < 1024; ++descriptor)
      {
        close(descriptor);
      }
    }
    else
    {
      closefrom(3);
    }
    failed = Write(second, values, 1000) || failed;
  }
  if (strcmp(what, "wait") == 0)
  {
    while (getchar() != EOF)
    {
    }
  }
  if (strcmp(what, "_exit") == 0)
  {
    _exit(failed);
  }
  if (strcmp(what, "quick_exit") == 0)
  {
    quick_exit(failed);
  }
  if (strcmp(what, "fail") == 0)
  {
    _exit(3);
  }
  if (strcmp(what, "kill") == 0)
  {
    raise(SIGKILL);
  }
  return failed;
}
