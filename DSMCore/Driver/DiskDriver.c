/* SPDX-License-Identifier: BSD-3-Clause */
/* Behaves as HDF5's own driver "sec2" does, which H5FD_class_t's reference describes:
 * https://support.hdfgroup.org/documentation/hdf5/latest/_v_f_l.html */
#define _GNU_SOURCE
#include "DiskDriver.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* In the headers, flags ask HDF5 whether it is of their version, and start it. */
#undef H5CHECK
#define H5CHECK
#undef H5OPEN
#define H5OPEN

/* The largest offset of a file. */
#define MOST_ADDRESS ((haddr_t)INT64_MAX)

typedef struct DiskFile
{
  H5FD_t Hdf5s; /* first, since HDF5 knows only that */
  int Number;
  haddr_t EndOfUse;  /* HDF5's EOA */
  haddr_t EndOfFile; /* HDF5's EOF */
  dev_t Device;
  ino_t Inode;
} DiskFile;

static H5FD_t* Open(const char* name, unsigned flags, hid_t fapl, haddr_t most)
{
  (void)fapl;
  if (most == 0 || most == HADDR_UNDEF || most > MOST_ADDRESS)
  {
    return NULL;
  }
  const int how = (flags & H5F_ACC_RDWR ? O_RDWR : O_RDONLY) |
    (flags & H5F_ACC_TRUNC ? O_TRUNC : 0) | (flags & H5F_ACC_CREAT ? O_CREAT : 0) |
    (flags & H5F_ACC_EXCL ? O_EXCL : 0) | O_CLOEXEC;
  const int number = open(name, how, 0666);
  struct stat state;
  DiskFile* file = NULL;
  if (number >= 0 && fstat(number, &state) == 0)
  {
    file = (DiskFile*)calloc(1, sizeof *file);
  }
  if (!file)
  {
    if (number >= 0)
    {
      close(number);
    }
    return NULL;
  }
  file->Number = number;
  file->EndOfFile = (haddr_t)state.st_size;
  file->Device = state.st_dev;
  file->Inode = state.st_ino;
  return &file->Hdf5s;
}

static herr_t Close(H5FD_t* given)
{
  DiskFile* file = (DiskFile*)given;
  const int result = close(file->Number);
  free(file);
  return result == 0 ? 0 : -1;
}

static int Compare(const H5FD_t* one, const H5FD_t* other)
{
  const DiskFile* first = (const DiskFile*)one;
  const DiskFile* second = (const DiskFile*)other;
  if (first->Device != second->Device)
  {
    return first->Device < second->Device ? -1 : 1;
  }
  return first->Inode < second->Inode ? -1 : first->Inode > second->Inode;
}

static herr_t Query(const H5FD_t* file, unsigned long* features)
{
  (void)file;
  *features = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
    H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_POSIX_COMPAT_HANDLE | H5FD_FEAT_SUPPORTS_SWMR_IO |
    H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

static haddr_t EndOfUse(const H5FD_t* file, H5FD_mem_t type)
{
  (void)type;
  return ((const DiskFile*)file)->EndOfUse;
}

static herr_t SetEndOfUse(H5FD_t* file, H5FD_mem_t type, haddr_t end)
{
  (void)type;
  ((DiskFile*)file)->EndOfUse = end;
  return 0;
}

static haddr_t EndOfFile(const H5FD_t* file, H5FD_mem_t type)
{
  (void)type;
  return ((const DiskFile*)file)->EndOfFile;
}

static herr_t Handle(H5FD_t* file, hid_t fapl, void** handle)
{
  (void)fapl;
  *handle = &((DiskFile*)file)->Number;
  return 0;
}

static int Fits(haddr_t address, size_t size)
{
  return address <= MOST_ADDRESS && size <= MOST_ADDRESS - address;
}

/* Behind the file's end there are zeros. */
static herr_t Read(
  H5FD_t* given, H5FD_mem_t type, hid_t dxpl, haddr_t address, size_t size, void* to)
{
  const DiskFile* file = (const DiskFile*)given;
  char* next = (char*)to;
  (void)type;
  (void)dxpl;
  if (!Fits(address, size))
  {
    return -1;
  }
  while (size > 0)
  {
    const ssize_t got = pread(file->Number, next, size, (off_t)address);
    if (got < 0 && errno == EINTR)
    {
      continue;
    }
    if (got < 0)
    {
      return -1;
    }
    if (got == 0)
    {
      memset(next, 0, size);
      break;
    }
    next += got;
    address += (haddr_t)got;
    size -= (size_t)got;
  }
  return 0;
}

static herr_t Write(
  H5FD_t* given, H5FD_mem_t type, hid_t dxpl, haddr_t address, size_t size, const void* from)
{
  DiskFile* file = (DiskFile*)given;
  const char* next = (const char*)from;
  (void)type;
  (void)dxpl;
  if (!Fits(address, size))
  {
    return -1;
  }
  while (size > 0)
  {
    const ssize_t put = pwrite(file->Number, next, size, (off_t)address);
    if (put < 0 && errno == EINTR)
    {
      continue;
    }
    if (put < 0)
    {
      return -1;
    }
    next += put;
    address += (haddr_t)put;
    size -= (size_t)put;
  }
  if (address > file->EndOfFile)
  {
    file->EndOfFile = address;
  }
  return 0;
}

static herr_t Truncate(H5FD_t* given, hid_t dxpl, hbool_t closing)
{
  DiskFile* file = (DiskFile*)given;
  (void)dxpl;
  (void)closing;
  if (file->EndOfUse == file->EndOfFile)
  {
    return 0;
  }
  if (ftruncate(file->Number, (off_t)file->EndOfUse) != 0)
  {
    return -1;
  }
  file->EndOfFile = file->EndOfUse;
  return 0;
}

/* A file system without locks is no error: the best that can be had there is none. */
static herr_t SetLock(H5FD_t* file, int kind)
{
  return flock(((DiskFile*)file)->Number, kind) == 0 || errno == ENOSYS ? 0 : -1;
}

static herr_t Lock(H5FD_t* file, hbool_t forWriting)
{
  return SetLock(file, (forWriting ? LOCK_EX : LOCK_SH) | LOCK_NB);
}

static herr_t Unlock(H5FD_t* file)
{
  return SetLock(file, LOCK_UN);
}

static herr_t Delete(const char* name, hid_t fapl)
{
  (void)fapl;
  return unlink(name) == 0 ? 0 : -1;
}

const H5FD_class_t* DiskDriver(void)
{
  static const H5FD_class_t driver = {
    .version = H5FD_CLASS_VERSION,
    .value = (H5FD_class_value_t)417,
    .name = "dsm",
    .maxaddr = MOST_ADDRESS,
    .fc_degree = H5F_CLOSE_WEAK,
    .open = &Open,
    .close = &Close,
    .cmp = &Compare,
    .query = &Query,
    .get_eoa = &EndOfUse,
    .set_eoa = &SetEndOfUse,
    .get_eof = &EndOfFile,
    .get_handle = &Handle,
    .read = &Read,
    .write = &Write,
    .truncate = &Truncate,
    .lock = &Lock,
    .unlock = &Unlock,
    .del = &Delete,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
  };
  return &driver;
}
