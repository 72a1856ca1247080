/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The executable of a tool that starts whatever libraries its user's LD_LIBRARY_PATH names, as a
 * simulation's environment does. It needs nothing but the C library, and loads the tool itself, a
 * module that needs the libraries of C++, MPI, HDF5 and ZeroMQ:
 *
 *   bin/dsm-run
 *   lib/dsm/tools/dsm-run.so
 *
 * LD_LIBRARY_PATH may be what finds these libraries, so it is tried first. If the module does not
 * load (an older libstdc++ stands in the way, say), this executes itself once more without the
 * variable. The variable keeps its value and its place under another name meanwhile, and the tool
 * and what it starts get the environment as it was.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <unistd.h>

typedef int (*MainFunction)(int, char**);

/* Both names have the same length, so that one can be written over the other. */
static const char Variable[] = "LD_LIBRARY_PATH=";
static const char Aside[] = "DSM_LIBRARYPATH=";
_Static_assert(sizeof Variable == sizeof Aside, "one name is written over the other");

/* Why the module did not load with the user's LD_LIBRARY_PATH, for the second try. */
static const char Reason[] = "DSM_LIBRARYPATH_REASON";

/* Renames a variable in the environment. Returns 0 if it is not there. */
static int Rename(const char* from, const char* to)
{
  int found = 0;
  const size_t length = strlen(from);
  for (char** one = environ; one && *one; ++one)
  {
    if (strncmp(*one, from, length) == 0)
    {
      memcpy(*one, to, length);
      found = 1;
    }
  }
  return found;
}

/* Finds this executable and its module. Returns 0 and says why if that is impossible. */
static int FindFiles(char* self, char* module)
{
  const ssize_t length = readlink("/proc/self/exe", self, PATH_MAX - 1);
  if (length > 0)
  {
    self[length] = '\0';
  }
  /* There is no /proc. Each tool has its own message if it needs that. */
  else if (!realpath((const char*)getauxval(AT_EXECFN), self)) // NOLINT(performance-no-int-to-ptr)
  {
    fprintf(stderr, DSM_TOOL ": cannot find its own file: %s\n", strerror(errno));
    return 0;
  }
  const int folder = (int)(strrchr(self, '/') - self);
  if (snprintf(module, PATH_MAX, "%.*s/%s", folder, self, DSM_MODULE) >= PATH_MAX)
  {
    fprintf(
      stderr, DSM_TOOL ": cannot load its module: the name of %.*s is too long\n", folder, self);
    return 0;
  }
  return 1;
}

/* Executes this once more, for a second try. Returns if that is impossible. */
static void TryWithout(const char* self, char** argv, const char* reason)
{
  if (setenv(Reason, reason, 1) == 0 && Rename(Variable, Aside))
  {
    execv(self, argv);
    Rename(Aside, Variable);
  }
}

/* Returns 0 and says why if the tool would not have enough memory. */
static int HasMemory(void)
{
  const rlim_t least = (rlim_t)64 << 20;
  struct rlimit limit;
  if (getrlimit(RLIMIT_DATA, &limit) != 0 || limit.rlim_cur >= least)
  {
    return 1;
  }
  fprintf(stderr,
    DSM_TOOL ": the limit on data memory (ulimit -d) is %lu MiB, and " DSM_TOOL
             " needs %lu MiB for itself: raise it\n",
    (unsigned long)(limit.rlim_cur >> 20), (unsigned long)(least >> 20));
  return 0;
}

int main(int argc, char** argv)
{
  char self[PATH_MAX];
  char module[PATH_MAX];
  const int again = Rename(Aside, Variable);
  if (!HasMemory() || !FindFiles(self, module))
  {
    return 127;
  }
  /* MPI libraries load components that look for MPI's own symbols, so these are global, as if the
   * executable were linked with them. */
  void* loaded = dlopen(module, RTLD_NOW | RTLD_GLOBAL);
  if (!loaded)
  {
    const char* reason = dlerror();
    if (!again)
    {
      TryWithout(self, argv, reason);
    }
    fprintf(stderr, DSM_TOOL ": cannot load %s: %s\n", module, reason);
    if (again)
    {
      fprintf(
        stderr, DSM_TOOL ": cannot load it with LD_LIBRARY_PATH either: %s\n", getenv(Reason));
    }
    return 127;
  }
  if (again)
  {
    unsetenv(Reason);
  }
  MainFunction run = NULL;
  *(void**)&run = dlsym(loaded, "main");
  if (!run)
  {
    fprintf(stderr, DSM_TOOL ": cannot start %s: %s\n", module, dlerror());
    return 127;
  }
  return run(argc, argv);
}
