/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "CoreCopy.h"

#include "Guest.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* The folder of a process's open files. */
#define COPY_FOLDER "/proc/%d/fd/"

CoreFile OpenCore(const char* path)
{
  CoreFile core = { NULL, 0, 0, 0 };
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  struct stat state;
  if (file >= 0 && fstat(file, &state) == 0 && state.st_size > (off_t)sizeof(ElfW(Ehdr)))
  {
    core.Size = (size_t)state.st_size;
    core.Bytes = (char*)mmap(NULL, core.Size, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    core.LacksMemory = core.Bytes == (char*)MAP_FAILED;
    core.Bytes = core.LacksMemory ? NULL : core.Bytes;
  }
  if (file >= 0)
  {
    close(file);
  }
  return core;
}

void CloseCore(CoreFile* core)
{
  if (core->Bytes)
  {
    munmap(core->Bytes, core->Size);
  }
}

/* The dynamic linker's texts have the name whole. */
int IsLinkedWith(const CoreFile* core, const char* library)
{
  char text[300] = "";
  const int length = snprintf(text + 1, sizeof text - 1, "%s", library);
  return core->Bytes && length > 0 && (size_t)length < sizeof text - 2 &&
    memmem(core->Bytes, core->Size, text, (size_t)length + 2);
}

/* The parts of a core's file that the dynamic linker reads. */
typedef struct Links
{
  ElfW(Dyn) * Hdf5;      /* the entry of the HDF5 that it needs */
  ElfW(Dyn) * Mpi;       /* the same of the MPI library; null: it needs none */
  ElfW(Sym) * Symbols;   /* those that it needs come first */
  const uint32_t* Table; /* DT_GNU_HASH: its second number is how many those are */
  char* Texts;
  size_t Size;
} Links;

static const ElfW(Phdr) * PartsOf(const CoreFile* core)
{
  return (const ElfW(Phdr)*)(core->Bytes + ((const ElfW(Ehdr)*)core->Bytes)->e_phoff);
}

static int CountParts(const CoreFile* core)
{
  return ((const ElfW(Ehdr)*)core->Bytes)->e_phnum;
}

/* Finds in the file the byte that is at this address of the loaded library. */
static char* InFile(const CoreFile* core, ElfW(Addr) address)
{
  const ElfW(Phdr)* part = PartsOf(core);
  for (const ElfW(Phdr)* end = part + CountParts(core); part < end; ++part)
  {
    if (part->p_type == PT_LOAD && address >= part->p_vaddr &&
      address < part->p_vaddr + part->p_filesz)
    {
      return core->Bytes + part->p_offset + (address - part->p_vaddr);
    }
  }
  return NULL;
}

/* False when the file is none of our cores. */
static int ReadLinks(const CoreFile* core, Links* links)
{
  static const char hdf5[] = "libdsm-callers-hdf5.so";
  static const char mpi[] = "libmpi"; /* libmpi.so.40, libmpich.so.12, libmpi_abi.so.1 */
  const ElfW(Phdr)* part = PartsOf(core);
  const ElfW(Phdr)* end = part + CountParts(core);
  while (part < end && part->p_type != PT_DYNAMIC)
  {
    ++part;
  }
  if (part == end)
  {
    return 0;
  }
  ElfW(Dyn)* const first = (ElfW(Dyn)*)(core->Bytes + part->p_offset);
  for (const ElfW(Dyn)* entry = first; entry->d_tag != DT_NULL; ++entry)
  {
    switch (entry->d_tag)
    {
      case DT_SYMTAB:
        links->Symbols = (ElfW(Sym)*)InFile(core, entry->d_un.d_ptr);
        break;
      case DT_GNU_HASH:
        links->Table = (const uint32_t*)InFile(core, entry->d_un.d_ptr);
        break;
      case DT_STRTAB:
        links->Texts = InFile(core, entry->d_un.d_ptr);
        break;
      case DT_STRSZ:
        links->Size = entry->d_un.d_val;
        break;
      default:
        break;
    }
  }
  for (ElfW(Dyn)* entry = first; links->Texts && entry->d_tag != DT_NULL; ++entry)
  {
    const char* needed = entry->d_tag == DT_NEEDED ? links->Texts + entry->d_un.d_val : "";
    if (strcmp(needed, hdf5) == 0)
    {
      links->Hdf5 = entry;
    }
    else if (strncmp(needed, mpi, sizeof mpi - 1) == 0)
    {
      links->Mpi = entry;
    }
  }
  return links->Symbols && links->Table && links->Hdf5;
}

/* Room for names among a core's texts: the name of a variable that nobody uses (AnyHdf5). */
typedef struct Room
{
  char* Next;
  char* End;
} Room;

static int FindRoom(const Links* links, Room* room)
{
  static const char name[] = "dsm_room_for_names_";
  room->Next = (char*)memmem(links->Texts, links->Size, name, sizeof name - 1);
  room->End = room->Next ? room->Next + strlen(room->Next) : NULL;
  return room->Next != NULL;
}

/* Adds a name in two parts; returns where, or null when there is no more room. */
static const char* AddName(Room* room, const char* prefix, const char* name)
{
  const size_t length = strlen(prefix) + strlen(name);
  if ((size_t)(room->End - room->Next) < length)
  {
    return NULL;
  }
  char* added = room->Next;
  sprintf(added, "%s%s", prefix, name); /* NOLINT: there is room, up to the text's own end */
  room->Next += room->Next + length < room->End ? length + 1 : length;
  return added;
}

/* Has it need another library. */
static int Replace(const Links* links, Room* room, ElfW(Dyn) * needed, const char* path)
{
  const char* added = AddName(room, "", path);
  if (added)
  {
    needed->d_un.d_val = (size_t)(added - links->Texts);
  }
  return added != NULL;
}

static int Link(CoreFile* core, const CopyLinks* with)
{
  Links links = { NULL, NULL, NULL, NULL, NULL, 0 };
  Room room;
  if (!ReadLinks(core, &links) || !FindRoom(&links, &room) ||
    !Replace(&links, &room, links.Hdf5, with->Hdf5) ||
    (links.Mpi && with->Mpi && !Replace(&links, &room, links.Mpi, with->Mpi)))
  {
    return 0;
  }
  for (uint32_t i = 0; *with->Prefix && i < links.Table[1]; ++i)
  {
    ElfW(Sym)* symbol = &links.Symbols[i];
    const char* name = links.Texts + symbol->st_name;
    if (symbol->st_shndx == SHN_UNDEF && strncmp(name, "H5", 2) == 0)
    {
      const char* theirs = AddName(&room, with->Prefix, name);
      if (!theirs)
      {
        return 0;
      }
      symbol->st_name = (ElfW(Word))(theirs - links.Texts);
    }
  }
  return 1;
}

/* The program's own files get the numbers that they have without us, which HDF5's errors tell. */
static int WithHighNumber(int file)
{
  struct rlimit limit;
  if (file < 0 || getrlimit(RLIMIT_NOFILE, &limit) != 0)
  {
    return file;
  }
  const int high =
    fcntl(file, F_DUPFD_CLOEXEC, limit.rlim_cur < 1024 ? (int)(limit.rlim_cur / 2) : 512);
  if (high < 0)
  {
    return file;
  }
  close(file);
  return high;
}

/* The bytes that a process needs of the file: what follows is for debuggers. */
static size_t LoadedSize(const CoreFile* core)
{
  size_t end = sizeof(ElfW(Ehdr));
  const ElfW(Phdr)* parts = PartsOf(core);
  for (int i = 0; i < CountParts(core); ++i)
  {
    const size_t last = parts[i].p_offset + parts[i].p_filesz;
    end = last > end ? last : end;
  }
  return end < core->Size ? end : core->Size;
}

/*
 * Libraries of Python packages are found by nobody but the one that is linked with them, so the
 * name of the HDF5 alone would not do, and to make all of its functions known to everybody might
 * have others call them. Hence a copy that needs it by its path.
 */
void* LoadCopy(CoreFile* core, const CopyLinks* with, char* whyNot, size_t whyNotSize)
{
  /* The system ends a process that writes beyond that limit. */
  struct rlimit limit;
  if (core->Bytes && getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < core->Size)
  {
    snprintf(whyNot, whyNotSize,
      "the limit on files' sizes (ulimit -f) is below the size of libdsmcore, %zu bytes",
      core->Size);
    return NULL;
  }
  if (access("/proc/self/fd", X_OK) != 0)
  {
    snprintf(whyNot, whyNotSize,
      "/proc is not mounted, and libdsmcore is loaded by a name there (mount -t proc proc /proc)");
    return NULL;
  }
  if (!core->Bytes || (!core->IsLinked && !Link(core, with)))
  {
    return NULL;
  }
  core->IsLinked = 1;
  const int copy = WithHighNumber(memfd_create("libdsmcore.so", MFD_CLOEXEC));
  void* loaded = NULL;
  ElfW(Ehdr)* header = (ElfW(Ehdr)*)core->Bytes;
  const size_t size = LoadedSize(core);
  header->e_shoff = 0;
  header->e_shnum = 0;
  header->e_shstrndx = 0;
  if (copy >= 0 && write(copy, core->Bytes, size) == (ssize_t)size)
  {
    /* By a name that is this file's for debuggers as well, as long as the process lives: so the
     * descriptor stays. */
    char name[128];
    snprintf(name, sizeof name, COPY_FOLDER "%d", getpid(), copy);
    dlerror(); /* of what was looked for before */
    loaded = dlopen(name, RTLD_NOW | RTLD_LOCAL | (with->Alone ? RTLD_DEEPBIND : 0));
  }
  if (loaded)
  {
    KeepDescriptor(copy, 1);
  }
  else if (copy >= 0)
  {
    close(copy);
  }
  return loaded;
}

int IsCoreCopy(const char* path)
{
  char folder[64];
  const int length = snprintf(folder, sizeof folder, COPY_FOLDER, getpid());
  return strncmp(path, folder, (size_t)length) == 0;
}
