/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The part of the preloaded loader that leaves the process to the program. It stands in for some
 * functions of the C library:
 *
 *   exec and its kin: a program that is started with an LD_PRELOAD of its own gets the loader
 *   behind that (env LD_PRELOAD=tool.so ./simulation);
 *
 *   _exit and quick_exit with status 0: the server is told that this process has ended in order,
 *   which libraries otherwise do behind exit;
 *
 *   close, close_range and closefrom: the descriptors of our control channel stay open when a
 *   program closes all that it does not know, as daemons do. ZeroMQ ends the process when it finds
 *   one of its own closed. A forked child uses none of them and may close them.
 */
#define _GNU_SOURCE
#include "Guest.h"

#include "CoreCopy.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <linux/close_range.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

/* The C library's own, or those of whatever is preloaded behind this. */
static struct
{
  int (*Execve)(const char*, char* const[], char* const[]);
  int (*Execvpe)(const char*, char* const[], char* const[]);
  int (*Spawn)(pid_t*, const char*, const posix_spawn_file_actions_t*, const posix_spawnattr_t*,
    char* const[], char* const[]);
  int (*SpawnByName)(pid_t*, const char*, const posix_spawn_file_actions_t*,
    const posix_spawnattr_t*, char* const[], char* const[]);
  void (*Exit)(int);
  void (*QuickExit)(int);
  int (*Close)(int);
  int (*CloseRange)(unsigned, unsigned, int);
  int (*Socket)(int, int, int);
  int (*Eventfd)(unsigned, int);
  int (*EpollCreate)(int);
} Real;

/* What LD_PRELOAD has of ours, with ':' between; empty if this is not preloaded. */
static char Preloaded[2 * PATH_MAX];

static const char Preload[] = "LD_PRELOAD=";

static void FindPreloaded(void)
{
  Dl_info self;
  const char* all = getenv("LD_PRELOAD");
  if (!all || dladdr((const void*)&FindPreloaded, &self) == 0 || !self.dli_fname)
  {
    return;
  }
  const char* slash = strrchr(self.dli_fname, '/');
  const size_t folder = slash ? (size_t)(slash - self.dli_fname) + 1 : 0;
  size_t size = 0;
  while (folder > 0 && *all)
  {
    const size_t length = strcspn(all, ": ");
    if (length > folder && strncmp(all, self.dli_fname, folder) == 0 &&
      size + length + 2 < sizeof Preloaded)
    {
      Preloaded[size] = ':';
      memcpy(Preloaded + size + 1, all, length);
      size += length + 1;
    }
    all += length + (all[length] != '\0');
  }
}

__attribute__((constructor)) static void FindReal(void)
{
#define FIND(member, name) *(void**)&Real.member = dlsym(RTLD_NEXT, name)
  FIND(Execve, "execve");
  FIND(Execvpe, "execvpe");
  FIND(Spawn, "posix_spawn");
  FIND(SpawnByName, "posix_spawnp");
  FIND(Exit, "_exit");
  FIND(QuickExit, "quick_exit");
  FIND(Close, "close");
  FIND(CloseRange, "close_range");
  FIND(Socket, "socket");
  FIND(Eventfd, "eventfd");
  FIND(EpollCreate, "epoll_create1");
#undef FIND
  FindPreloaded();
}

/* ---- Programs that this one starts. */

/* Room for an environment with another LD_PRELOAD. On the stack: a child that was made by vfork may
 * not allocate. */
#define MOST_VARIABLES 2000
typedef struct Environment
{
  char* List[MOST_VARIABLES + 1];
  char Preload[PATH_MAX + sizeof Preloaded];
} Environment;

static char* const* WithLoader(char* const* given, Environment* room)
{
  size_t count = 0;
  size_t place = MOST_VARIABLES;
  int isCoupled = 0;
  for (; given && given[count]; ++count)
  {
    if (count == MOST_VARIABLES)
    {
      return given;
    }
    place = strncmp(given[count], Preload, sizeof Preload - 1) == 0 ? count : place;
    isCoupled = isCoupled || strncmp(given[count], "DSM_CONTACT=", 12) == 0;
  }
  if (!*Preloaded || !isCoupled || place == MOST_VARIABLES || strlen(given[place]) >= PATH_MAX ||
    strstr(given[place], "libdsm-loader.so"))
  {
    return given;
  }
  memcpy(room->List, given, (count + 1) * sizeof *given);
  strcpy(room->Preload, given[place]);
  /* One that is set to nothing needs no separator. */
  strcat(room->Preload, Preloaded + (given[place][sizeof Preload - 1] == '\0'));
  room->List[place] = room->Preload;
  return room->List;
}

EXPORT int execve(const char* path, char* const argv[], char* const envp[])
{
  Environment room;
  if (!Real.Execve)
  {
    return (int)syscall(SYS_execve, path, argv, envp);
  }
  return Real.Execve(path, argv, WithLoader(envp, &room));
}

EXPORT int execv(const char* path, char* const argv[])
{
  return execve(path, argv, environ);
}

EXPORT int execvpe(const char* file, char* const argv[], char* const envp[])
{
  Environment room;
  if (!Real.Execvpe)
  {
    errno = ENOSYS;
    return -1;
  }
  return Real.Execvpe(file, argv, WithLoader(envp, &room));
}

EXPORT int execvp(const char* file, char* const argv[])
{
  return execvpe(file, argv, environ);
}

EXPORT int posix_spawn(pid_t* process, const char* path, const posix_spawn_file_actions_t* actions,
  const posix_spawnattr_t* attributes, char* const argv[], char* const envp[])
{
  Environment room;
  return Real.Spawn ? Real.Spawn(process, path, actions, attributes, argv, WithLoader(envp, &room))
                    : ENOSYS;
}

EXPORT int posix_spawnp(pid_t* process, const char* file, const posix_spawn_file_actions_t* actions,
  const posix_spawnattr_t* attributes, char* const argv[], char* const envp[])
{
  Environment room;
  return Real.SpawnByName
    ? Real.SpawnByName(process, file, actions, attributes, argv, WithLoader(envp, &room))
    : ENOSYS;
}

/* ---- The end. */

EXPORT __attribute__((noreturn)) void _exit(int status)
{
  if (status == 0)
  {
    LeaveServers();
  }
  if (Real.Exit)
  {
    Real.Exit(status);
  }
  for (;;)
  {
    syscall(SYS_exit_group, status);
  }
}

EXPORT __attribute__((noreturn)) void _Exit(int status)
{
  _exit(status);
}

EXPORT __attribute__((noreturn)) void quick_exit(int status)
{
  if (status == 0)
  {
    LeaveServers();
  }
  if (Real.QuickExit)
  {
    Real.QuickExit(status);
  }
  _exit(status);
}

/* ---- Descriptors. */

#define MOST_DESCRIPTORS 65536
static unsigned char Kept[MOST_DESCRIPTORS];
static pid_t Keeper = 0; /* the process whose they are */

static int IsKept(int descriptor)
{
  return descriptor >= 0 && descriptor < MOST_DESCRIPTORS &&
    __atomic_load_n(&Kept[descriptor], __ATOMIC_RELAXED) && Keeper == getpid();
}

void KeepDescriptor(int descriptor, int keep)
{
  if (descriptor < 0 || descriptor >= MOST_DESCRIPTORS)
  {
    return;
  }
  if (keep && Keeper != getpid())
  {
    memset(Kept, 0, sizeof Kept);
    Keeper = getpid();
  }
  __atomic_store_n(&Kept[descriptor], (unsigned char)(keep != 0), __ATOMIC_RELAXED);
}

/* Whether a call comes from ZeroMQ or from a core library. */
static int IsFromUs(const void* returnAddress)
{
  Dl_info where;
  if (dladdr(returnAddress, &where) == 0 || !where.dli_fname)
  {
    return 0;
  }
  return strstr(where.dli_fname, "/libzmq.so") || strstr(where.dli_fname, "/libzmq-") ||
    strstr(where.dli_fname, "/libdsm") || IsCoreCopy(where.dli_fname);
}

static int Made(int descriptor, const void* returnAddress)
{
  const int before = errno;
  if (descriptor >= 0)
  {
    KeepDescriptor(descriptor, HasServers() && IsFromUs(returnAddress));
  }
  errno = before;
  return descriptor;
}

EXPORT int socket(int domain, int type, int protocol)
{
  return Made(Real.Socket ? Real.Socket(domain, type, protocol)
                          : (int)syscall(SYS_socket, domain, type, protocol),
    __builtin_return_address(0));
}

EXPORT int eventfd(unsigned count, int flags)
{
  return Made(Real.Eventfd ? Real.Eventfd(count, flags) : (int)syscall(SYS_eventfd2, count, flags),
    __builtin_return_address(0));
}

EXPORT int epoll_create1(int flags)
{
  return Made(Real.EpollCreate ? Real.EpollCreate(flags) : (int)syscall(SYS_epoll_create1, flags),
    __builtin_return_address(0));
}

EXPORT int close(int descriptor)
{
  if (IsKept(descriptor))
  {
    if (!IsFromUs(__builtin_return_address(0)))
    {
      return 0;
    }
    KeepDescriptor(descriptor, 0);
  }
  return Real.Close ? Real.Close(descriptor) : (int)syscall(SYS_close, descriptor);
}

static int CloseRange(unsigned first, unsigned last, int flags)
{
  return Real.CloseRange ? Real.CloseRange(first, last, flags)
                         : (int)syscall(SYS_close_range, first, last, flags);
}

EXPORT int close_range(unsigned first, unsigned last, int flags)
{
  if ((flags & CLOSE_RANGE_CLOEXEC) != 0 || Keeper != getpid())
  {
    return CloseRange(first, last, flags);
  }
  int result = 0;
  for (unsigned kept = first; kept < MOST_DESCRIPTORS && kept <= last; ++kept)
  {
    if (IsKept((int)kept))
    {
      result = kept > first && CloseRange(first, kept - 1, flags) != 0 ? -1 : result;
      first = kept + 1;
    }
  }
  return first <= last && CloseRange(first, last, flags) != 0 ? -1 : result;
}

EXPORT void closefrom(int first)
{
  if (close_range(first > 0 ? (unsigned)first : 0, ~0U, 0) != 0)
  {
    const long most = sysconf(_SC_OPEN_MAX);
    for (int descriptor = first; descriptor < most; ++descriptor)
    {
      close(descriptor);
    }
  }
}
