/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A network that pins the memory it is given, without its hardware. Preloaded into hosts.
 *
 * A card remembers the pages of memory, not its addresses: pages that are given back (a hole is
 * punched into the file) stay with the card, and those that come in their place are others. Here
 * the network's side, libfabric's tcp or MPI's windows, gets a mapping of its own of the same
 * memory. A hole that is punched takes the pages from the program, and leaves the network's mapping
 * with pages that nobody else has. That this is what the kernel does with pinned pages shows
 * Testing/Unit/TestPinnedPages.cxx.
 *
 * DSM_TEST_NETWORK=asks: libfabric's tcp asks for memory that stays (FI_MR_ALLOCATED), as verbs,
 * efa and cxi do: to programs that offer none it is not there. silent: it pins all the same, as
 * what is below an MPI library does.
 */
#define _GNU_SOURCE
#include <mpi.h>
#ifdef DSM_HAS_LIBFABRIC
#  include <rdma/fabric.h>
#  include <rdma/fi_domain.h>
#  include <rdma/fi_errno.h>
#endif

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

struct Pinned
{
  char* Network; /* the network's mapping */
  uint64_t Size;
  uint64_t Offset; /* in the file */
  uint64_t File;
};

static struct Pinned all[64];
static int count = 0;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

static void Fail(const char* what)
{
  fprintf(stderr, "pinning_network: %s failed\n", what);
  abort();
}

/* The file that is mapped at an address, and the address's place in it; 0: none. */
static uint64_t FileAt(const void* address, uint64_t* offset)
{
  FILE* maps = fopen("/proc/self/maps", "r");
  char line[4096];
  uint64_t found = 0;
  while (maps && !found && fgets(line, sizeof line, maps))
  {
    unsigned long begin = 0;
    unsigned long end = 0;
    unsigned long at = 0;
    unsigned long inode = 0;
    if (sscanf(line, "%lx-%lx %*s %lx %*s %lu", &begin, &end, &at, &inode) == 4 &&
      (uintptr_t)address >= begin && (uintptr_t)address < end)
    {
      found = inode;
      *offset = at + ((uintptr_t)address - begin);
    }
  }
  if (maps)
  {
    fclose(maps);
  }
  return found;
}

/* What the network shall use in memory's place. */
static void* Pin(void* memory, uint64_t size)
{
  uint64_t offset = 0;
  const uint64_t file = size > 0 ? FileAt(memory, &offset) : 0;
  if (!file)
  {
    return memory;
  }
  /* Of shared memory: another mapping of the same pages. */
  char* network = mremap(memory, 0, size, MREMAP_MAYMOVE);
  if (network == MAP_FAILED)
  {
    Fail("mremap");
  }
  pthread_mutex_lock(&guard);
  if (count == (int)(sizeof all / sizeof *all))
  {
    Fail("another registration");
  }
  all[count++] = (struct Pinned){ network, size, offset, file };
  pthread_mutex_unlock(&guard);
  return network;
}

/* The network keeps the pages of a part of a file, with what is in them. */
static void Keep(const struct Pinned* one, int descriptor, uint64_t begin, uint64_t end)
{
  char* place = one->Network + (begin - one->Offset);
  char* kept = mmap(
    NULL, end - begin, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (kept == MAP_FAILED)
  {
    Fail("mmap");
  }
  for (off_t data = (off_t)begin;;)
  {
    data = lseek(descriptor, data, SEEK_DATA);
    if (data < 0 || (uint64_t)data >= end)
    {
      break;
    }
    off_t hole = lseek(descriptor, data, SEEK_HOLE);
    hole = hole < 0 || (uint64_t)hole > end ? (off_t)end : hole;
    memcpy(
      kept + ((uint64_t)data - begin), place + ((uint64_t)data - begin), (size_t)(hole - data));
    data = hole;
  }
  if (mremap(kept, end - begin, end - begin, MREMAP_MAYMOVE | MREMAP_FIXED, place) != place)
  {
    Fail("mremap of what is kept");
  }
}

int fallocate(int descriptor, int mode, off_t offset, off_t size)
{
  struct stat state;
  if ((mode & FALLOC_FL_PUNCH_HOLE) && fstat(descriptor, &state) == 0)
  {
    pthread_mutex_lock(&guard);
    for (int i = 0; i < count; ++i)
    {
      const struct Pinned* one = &all[i];
      const uint64_t last = (uint64_t)offset + (uint64_t)size;
      const uint64_t begin = (uint64_t)offset > one->Offset ? (uint64_t)offset : one->Offset;
      const uint64_t end = last < one->Offset + one->Size ? last : one->Offset + one->Size;
      if (one->File == state.st_ino && begin < end)
      {
        Keep(one, descriptor, begin, end);
      }
    }
    pthread_mutex_unlock(&guard);
  }
  return (int)syscall(SYS_fallocate, descriptor, mode, offset, size);
}

int fallocate64(int descriptor, int mode, off_t offset, off_t size)
{
  return fallocate(descriptor, mode, offset, size);
}

int MPI_Win_create(void* base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win* win)
{
  return PMPI_Win_create(Pin(base, (uint64_t)size), size, unit, info, comm, win);
}

#ifdef DSM_HAS_LIBFABRIC
static int IsOurs(const char* provider)
{
  return provider && strncmp(provider, "tcp", 3) == 0;
}

int fi_getinfo(uint32_t version, const char* node, const char* service, uint64_t flags,
  const struct fi_info* hints, struct fi_info** info)
{
  int (*next)(uint32_t, const char*, const char*, uint64_t, const struct fi_info*,
    struct fi_info**) = dlsym(RTLD_NEXT, "fi_getinfo");
  const char* how = getenv("DSM_TEST_NETWORK");
  int stays = 0;
  struct fi_info* changed = hints ? fi_dupinfo(hints) : NULL;
  if (changed && changed->domain_attr)
  {
    stays = (changed->domain_attr->mr_mode & FI_MR_ALLOCATED) != 0;
    /* Its addresses are not the program's. */
    changed->domain_attr->mr_mode &= ~(FI_MR_ALLOCATED | FI_MR_VIRT_ADDR);
  }
  const int status = next(version, node, service, flags, changed ? changed : hints, info);
  if (changed)
  {
    fi_freeinfo(changed);
  }
  if (status != 0 || stays || !how || strcmp(how, "asks") != 0)
  {
    return status;
  }
  for (struct fi_info** one = info; *one;)
  {
    struct fi_info* gone = *one;
    if (!IsOurs(gone->fabric_attr->prov_name))
    {
      one = &gone->next;
      continue;
    }
    *one = gone->next;
    gone->next = NULL;
    fi_freeinfo(gone);
  }
  return *info ? 0 : -FI_ENODATA;
}

static int (*registerNext)(
  struct fid*, const void*, size_t, uint64_t, uint64_t, uint64_t, uint64_t, struct fid_mr**, void*);
static int (*openDomainNext)(struct fid_fabric*, struct fi_info*, struct fid_domain**, void*);

static int Register(struct fid* domain, const void* memory, size_t size, uint64_t access,
  uint64_t offset, uint64_t key, uint64_t flags, struct fid_mr** region, void* context)
{
  return registerNext(
    domain, Pin((void*)memory, size), size, access, offset, key, flags, region, context);
}

static int OpenDomain(
  struct fid_fabric* fabric, struct fi_info* info, struct fid_domain** domain, void* context)
{
  const int status = openDomainNext(fabric, info, domain, context);
  if (status == 0)
  {
    struct fi_ops_mr* changed = malloc(sizeof *changed);
    *changed = *(*domain)->mr;
    registerNext = changed->reg;
    changed->reg = Register;
    (*domain)->mr = changed;
  }
  return status;
}

int fi_fabric(struct fi_fabric_attr* wanted, struct fid_fabric** fabric, void* context)
{
  int (*next)(struct fi_fabric_attr*, struct fid_fabric**, void*) = dlsym(RTLD_NEXT, "fi_fabric");
  const int status = next(wanted, fabric, context);
  if (status == 0 && IsOurs(wanted->prov_name))
  {
    struct fi_ops_fabric* changed = malloc(sizeof *changed);
    *changed = *(*fabric)->ops;
    openDomainNext = changed->domain;
    changed->domain = OpenDomain;
    (*fabric)->ops = changed;
  }
  return status;
}
#endif
