/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "LoadedObjects.h"

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* NOLINTBEGIN(performance-no-int-to-ptr): the dynamic linker's addresses are numbers */

int IsInProgram(const void* address)
{
  Dl_info where;
  struct link_map* map = NULL;
  return dladdr1(address, &where, (void**)&map, RTLD_DL_LINKMAP) != 0 && map && !*map->l_name;
}

/* Returns the address of a part of a loaded program or library. */
static const char* Begin(const struct dl_phdr_info* object, const ElfW(Phdr) * part)
{
  return (const char*)(object->dlpi_addr + part->p_vaddr);
}

/* Whether a loaded program or library has the address. */
static int Has(const struct dl_phdr_info* object, const void* address)
{
  for (int i = 0; i < object->dlpi_phnum; ++i)
  {
    const ElfW(Phdr)* part = &object->dlpi_phdr[i];
    const char* begin = Begin(object, part);
    if (part->p_type == PT_LOAD && (const char*)address >= begin &&
      (const char*)address < begin + part->p_memsz)
    {
      return 1;
    }
  }
  return 0;
}

typedef struct SearchVersion
{
  const void* Address;
  unsigned* Major;
  unsigned* Minor;
} SearchVersion;

/* Each HDF5 has its version as a text; and also texts that begin like that one. */
static int ReadVersion(const char* from, const char* end, const SearchVersion* search)
{
  static const char before[] = "HDF5 library version: ";
  const size_t length = sizeof before - 1;
  const char* found = from;
  while ((found = (const char*)memmem(found, (size_t)(end - found), before, length)))
  {
    found += length;
    if (memchr(found, '\0', (size_t)(end - found)) &&
      sscanf(found, "%u.%u", search->Major, search->Minor) == 2)
    {
      return 1;
    }
  }
  return 0;
}

static int LookForVersion(struct dl_phdr_info* object, size_t size, void* data)
{
  const SearchVersion* search = (const SearchVersion*)data;
  (void)size;
  for (int i = 0; Has(object, search->Address) && i < object->dlpi_phnum; ++i)
  {
    const ElfW(Phdr)* part = &object->dlpi_phdr[i];
    const char* begin = Begin(object, part);
    if (part->p_type == PT_LOAD && (part->p_flags & PF_R) &&
      ReadVersion(begin, begin + part->p_filesz, search))
    {
      return 1;
    }
  }
  return 0;
}

int FindHdf5Version(const void* address, unsigned* major, unsigned* minor)
{
  SearchVersion search = { address, major, minor };
  return dl_iterate_phdr(&LookForVersion, &search);
}

/* The names that an object exports and needs. */
typedef struct Names
{
  const ElfW(Sym) * Symbols;
  size_t Count;
  const char* Texts;
  size_t Size;
} Names;

/* Counts the symbols of a table: the last in the longest chain is the last of all. (The format of
 * DT_GNU_HASH: https://sourceware.org/legacy-ml/binutils/2006-10/msg00377.html) */
static size_t CountHashed(const uint32_t* table)
{
  const uint32_t buckets = table[0];
  const uint32_t first = table[1];
  const uint32_t* bucket = table + 4 + table[2] * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
  const uint32_t* chain = bucket + buckets;
  uint32_t last = 0;
  for (uint32_t i = 0; i < buckets; ++i)
  {
    last = bucket[i] > last ? bucket[i] : last;
  }
  if (last < first)
  {
    return first;
  }
  while (!(chain[last - first] & 1))
  {
    ++last;
  }
  return last + 1;
}

/* The dynamic linker has relocated these addresses already, or has not, as the machine has it. */
static const void* At(const struct dl_phdr_info* object, ElfW(Addr) address)
{
  return (const void*)(address < object->dlpi_addr ? object->dlpi_addr + address : address);
}

static Names NamesOf(const struct dl_phdr_info* object)
{
  Names names = { NULL, 0, NULL, 0 };
  for (int i = 0; i < object->dlpi_phnum; ++i)
  {
    if (object->dlpi_phdr[i].p_type != PT_DYNAMIC)
    {
      continue;
    }
    const ElfW(Dyn)* entry = (const ElfW(Dyn)*)Begin(object, &object->dlpi_phdr[i]);
    for (; entry->d_tag != DT_NULL; ++entry)
    {
      const void* address = At(object, entry->d_un.d_ptr);
      switch (entry->d_tag)
      {
        case DT_SYMTAB:
          names.Symbols = (const ElfW(Sym)*)address;
          break;
        case DT_STRTAB:
          names.Texts = (const char*)address;
          break;
        case DT_STRSZ:
          names.Size = entry->d_un.d_val;
          break;
        case DT_HASH:
          names.Count = ((const uint32_t*)address)[1];
          break;
        case DT_GNU_HASH:
          names.Count = names.Count ? names.Count : CountHashed((const uint32_t*)address);
          break;
        default:
          break;
      }
    }
  }
  return names;
}

/* Finds an HDF5 among what an object exports. */
static int FindHdf5(const struct dl_phdr_info* object, FoundHdf5* found)
{
  static const char text[] = "H5FDregister";
  const Names names = NamesOf(object);
  /* Most libraries have no such text, which is found out sooner than all their names are read. */
  if (!names.Symbols || !names.Texts || !memmem(names.Texts, names.Size, text, sizeof text))
  {
    return 0;
  }
  for (size_t i = 0; i < names.Count; ++i)
  {
    const ElfW(Sym)* symbol = &names.Symbols[i];
    const char* name = names.Texts + symbol->st_name;
    const size_t length = strlen(name);
    const size_t prefix = length - (sizeof text - 1);
    if (symbol->st_shndx != SHN_UNDEF && length >= sizeof text - 1 && prefix < MOST_PREFIX &&
      strcmp(name + prefix, text) == 0)
    {
      found->Register = (const void*)(object->dlpi_addr + symbol->st_value);
      memcpy(found->Prefix, name, prefix);
      found->Prefix[prefix] = '\0';
      return 1;
    }
  }
  return 0;
}

typedef struct SearchAt
{
  const void* Address;
  FoundHdf5* Found;
} SearchAt;

static int LookAt(struct dl_phdr_info* object, size_t size, void* data)
{
  const SearchAt* search = (const SearchAt*)data;
  (void)size;
  return Has(object, search->Address) ? 1 + FindHdf5(object, search->Found) : 0;
}

int FindHdf5At(const void* address, FoundHdf5* found)
{
  SearchAt search = { address, found };
  return dl_iterate_phdr(&LookAt, &search) == 2;
}

typedef struct Search
{
  LookedInto* Before;
  size_t Objects; /* so far */
  FoundHdf5* Found;
  size_t Count;
  size_t Most;
} Search;

/* New objects follow those that were loaded before. */
static int Look(struct dl_phdr_info* object, size_t size, void* data)
{
  Search* search = (Search*)data;
  (void)size;
  if (search->Before->Unloaded != object->dlpi_subs)
  {
    search->Before->Unloaded = object->dlpi_subs;
    search->Before->Objects = 0;
  }
  if (search->Count == search->Most)
  {
    return 1;
  }
  if (search->Objects++ >= search->Before->Objects)
  {
    search->Count += (size_t)FindHdf5(object, &search->Found[search->Count]);
  }
  return 0;
}

size_t FindNewHdf5(LookedInto* before, FoundHdf5* found, size_t most)
{
  Search search = { before, 0, found, 0, most };
  dl_iterate_phdr(&Look, &search);
  before->Objects = search.Objects;
  return search.Count;
}

/* NOLINTEND(performance-no-int-to-ptr) */
