/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes a file from the memory of a device, reads it back to the host and to the device, and says
 * what became of it:
 *
 *   dsmDeviceProgram LIBRARY FILE WAY CASE…
 *
 * LIBRARY is a stand-in for the device's (stand_in_device.c), or "none": the same with memory of
 * the host. WAY is "serial", "independent", "collective" or "late": serial, and the library is
 * loaded after the file was created. Each CASE is a dataset of that name.
 */
#include <dlfcn.h>
#include <hdf5.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 1500
#define COLUMNS 100
#define HALO 3
#define WIDTH (COLUMNS + 2 * HALO)
#define SMALL 40

typedef enum Kind
{
  OF_DEVICE,
  OF_POOL,
  MANAGED,
  PINNED
} Kind;

static void* (*Allocate)(size_t size, int kind) = NULL;
static void (*Upload)(void* device, const void* host, size_t size) = NULL;
static void (*Look)(void* host, const void* device, size_t size) = NULL;
static int (*LaunchAdd)(void* device, size_t size, double add) = NULL;
static void* Library = NULL;
static int Rank = 0;
static int Ranks = 1;
static int Wrong = 0;
static int Written[64];
static hid_t Access = H5P_DEFAULT;
static hid_t Transfer = H5P_DEFAULT;

static void* AllocateOnHost(size_t size, int kind)
{
  (void)kind;
  return malloc(size);
}

static void CopyOnHost(void* to, const void* from, size_t size)
{
  memcpy(to, from, size);
}

static int AddOnHost(void* values, size_t size, double add)
{
  for (size_t i = 0; i < size / sizeof(double); ++i)
  {
    ((double*)values)[i] += add;
  }
  return 0;
}

static void Load(const char* path)
{
  if (strcmp(path, "none") == 0)
  {
    Allocate = AllocateOnHost;
    Upload = CopyOnHost;
    Look = CopyOnHost;
    LaunchAdd = AddOnHost;
    return;
  }
  Library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!Library)
  {
    fprintf(stderr, "%s\n", dlerror());
    exit(9);
  }
  *(void**)&Allocate = dlsym(Library, "StandInAllocate");
  *(void**)&Upload = dlsym(Library, "StandInUpload");
  *(void**)&Look = dlsym(Library, "StandInLook");
  *(void**)&LaunchAdd = dlsym(Library, "StandInLaunchAdd");
}

static int Counted(const char* what)
{
  const int* count = Library ? dlsym(Library, what) : NULL;
  return count ? *count : 0;
}

static double ValueOf(hsize_t row, hsize_t column)
{
  return (double)(row * 1000 + column) + 0.25;
}

/* A case: how the dataset is stored, and what the buffer is. */
typedef struct Case
{
  const char* Name;
  hsize_t Rows;   /* of each rank */
  hsize_t Chunk;  /* rows in a chunk; 0: contiguous */
  hid_t FileType; /* 0: that of the buffer */
  int HasHalo;    /* the buffer has columns that are not written */
  int Filtered;
  int IsCompact;
  int IsEmptyBehindFirst; /* only rank 0 has values */
  int IsAlike;            /* all ranks have the same values, in the same place */
  int IsAttribute;
  Kind Buffer;
} Case;

static int IsNamed(const char* name, const char* part)
{
  return strstr(name, part) != NULL;
}

static Case CaseOf(const char* name)
{
  Case made = { name, ROWS, 0, 0, 0, 0, 0, 0, 0, 0, OF_DEVICE };
  made.Rows = IsNamed(name, "small") || IsNamed(name, "compact") ? SMALL : ROWS;
  made.Chunk = IsNamed(name, "chunked") ? made.Rows : 0;
  made.FileType = IsNamed(name, "convert") ? H5T_NATIVE_FLOAT : 0;
  made.HasHalo = IsNamed(name, "halo");
  made.Filtered = IsNamed(name, "filtered");
  made.IsCompact = IsNamed(name, "compact");
  made.IsEmptyBehindFirst = IsNamed(name, "lonely");
  made.IsAlike = IsNamed(name, "alike");
  made.IsAttribute = IsNamed(name, "attribute");
  made.Buffer = IsNamed(name, "pool")                  ? OF_POOL
    : IsNamed(name, "managed")                         ? MANAGED
    : IsNamed(name, "pinned") || IsNamed(name, "host") ? PINNED
                                                       : OF_DEVICE;
  return made;
}

static hid_t Create(hid_t file, const Case* what)
{
  const hsize_t size[2] = { what->Rows * (hsize_t)Ranks, COLUMNS };
  const hid_t space = H5Screate_simple(2, size, NULL);
  const hid_t list = H5Pcreate(H5P_DATASET_CREATE);
  if (what->Chunk > 0)
  {
    const hsize_t chunk[2] = { what->Chunk, COLUMNS };
    H5Pset_chunk(list, 2, chunk);
  }
  if (what->Filtered)
  {
    H5Pset_deflate(list, 1);
  }
  if (what->IsCompact)
  {
    H5Pset_layout(list, H5D_COMPACT);
  }
  const hid_t made = H5Dcreate2(file, what->Name,
    what->FileType ? what->FileType : H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, list, H5P_DEFAULT);
  H5Pclose(list);
  H5Sclose(space);
  return made;
}

/* Whose rows this rank has. */
static int PartOf(const Case* what)
{
  return what->IsAlike ? 0 : Rank;
}

/* This rank's rows in the file, and the buffer that holds them. */
static void Select(const Case* what, hid_t dataset, hid_t* inMemory, hid_t* inFile)
{
  const hsize_t halo = what->HasHalo ? HALO : 0;
  const hsize_t size[2] = { what->Rows, COLUMNS + 2 * halo };
  const hsize_t begin[2] = { 0, halo };
  const hsize_t count[2] = { what->Rows, COLUMNS };
  const hsize_t place[2] = { what->Rows * (hsize_t)PartOf(what), 0 };
  *inMemory = H5Screate_simple(2, size, NULL);
  *inFile = H5Dget_space(dataset);
  H5Sselect_hyperslab(*inMemory, H5S_SELECT_SET, begin, NULL, count, NULL);
  H5Sselect_hyperslab(*inFile, H5S_SELECT_SET, place, NULL, count, NULL);
  if (what->IsEmptyBehindFirst && Rank > 0)
  {
    H5Sselect_none(*inMemory);
    H5Sselect_none(*inFile);
  }
}

static size_t BytesOf(const Case* what)
{
  return what->Rows * (what->HasHalo ? WIDTH : COLUMNS) * sizeof(double);
}

static void Check(const Case* what, const double* values, const char* where)
{
  const hsize_t halo = what->HasHalo ? HALO : 0;
  const hsize_t width = COLUMNS + 2 * halo;
  for (hsize_t row = 0; row < what->Rows; ++row)
  {
    for (hsize_t column = 0; column < width; ++column)
    {
      const int inside =
        column >= halo && column < halo + COLUMNS && !(what->IsEmptyBehindFirst && Rank > 0);
      const double found = values[row * width + column];
      double wanted =
        inside ? ValueOf(what->Rows * (hsize_t)PartOf(what) + row, column - halo) : -7;
      wanted = inside && what->FileType ? (double)(float)wanted : wanted;
      if (found != wanted && Wrong++ < 5)
      {
        printf("wrong: %s, rank %d, %s, row %d, column %d: %g instead of %g\n", what->Name, Rank,
          where, (int)row, (int)column, found, wanted);
      }
    }
  }
}

static herr_t WriteAttribute(hid_t dataset, const double* values)
{
  const hsize_t size = 3;
  const hid_t space = H5Screate_simple(1, &size, NULL);
  const hid_t made =
    H5Acreate2(dataset, "values", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT);
  const herr_t done = H5Awrite(made, H5T_NATIVE_DOUBLE, values);
  H5Aclose(made);
  H5Sclose(space);
  return done;
}

static herr_t WriteCase(hid_t file, const Case* what)
{
  const hid_t dataset = Create(file, what);
  hid_t inMemory, inFile;
  Select(what, dataset, &inMemory, &inFile);
  const hsize_t halo = what->HasHalo ? HALO : 0;
  const hsize_t width = COLUMNS + 2 * halo;
  const size_t bytes = BytesOf(what);
  double* values = malloc(bytes);
  for (hsize_t row = 0; row < what->Rows; ++row)
  {
    for (hsize_t column = 0; column < width; ++column)
    {
      values[row * width + column] =
        ValueOf(what->Rows * (hsize_t)PartOf(what) + row, column - halo) - 1;
    }
  }
  void* buffer = Allocate(bytes, what->Buffer);
  if (what->Buffer == OF_DEVICE || what->Buffer == OF_POOL)
  {
    Upload(buffer, values, bytes);
    LaunchAdd(buffer, bytes, 1); /* is still in the stream when the write begins */
  }
  else
  {
    AddOnHost(values, bytes, 1);
    memcpy(buffer, values, bytes);
  }
  const herr_t done = what->IsAttribute
    ? WriteAttribute(dataset, buffer)
    : H5Dwrite(dataset, H5T_NATIVE_DOUBLE, inMemory, inFile, Transfer, buffer);
  free(values);
  H5Sclose(inMemory);
  H5Sclose(inFile);
  H5Dclose(dataset);
  return done;
}

/* Into a buffer of -7 on the host, or in the device's memory. */
static herr_t ReadCase(hid_t file, const Case* what, int ofDevice, const char* where)
{
  const hid_t dataset = H5Dopen2(file, what->Name, H5P_DEFAULT);
  hid_t inMemory, inFile;
  Select(what, dataset, &inMemory, &inFile);
  const size_t bytes = BytesOf(what);
  double* values = malloc(bytes);
  for (size_t i = 0; i < bytes / sizeof(double); ++i)
  {
    values[i] = -7;
  }
  void* buffer = values;
  if (ofDevice)
  {
    buffer = Allocate(bytes, OF_DEVICE);
    Upload(buffer, values, bytes);
  }
  const herr_t done = H5Dread(dataset, H5T_NATIVE_DOUBLE, inMemory, inFile, Transfer, buffer);
  if (done >= 0)
  {
    if (ofDevice)
    {
      Look(values, buffer, bytes);
    }
    Check(what, values, where);
  }
  free(values);
  H5Sclose(inMemory);
  H5Sclose(inFile);
  H5Dclose(dataset);
  return done;
}

int main(int count, char** words)
{
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  MPI_Comm_size(MPI_COMM_WORLD, &Ranks);
  const char* way = words[3];
  const int isLate = strcmp(way, "late") == 0;
  if (!isLate)
  {
    Load(words[1]);
  }
  if (!isLate && strcmp(way, "serial") != 0)
  {
    Access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_mpio(Access, MPI_COMM_WORLD, MPI_INFO_NULL);
    Transfer = H5Pcreate(H5P_DATASET_XFER);
    H5Pset_dxpl_mpio(
      Transfer, strcmp(way, "collective") == 0 ? H5FD_MPIO_COLLECTIVE : H5FD_MPIO_INDEPENDENT);
  }
  hid_t file = H5Fcreate(words[2], H5F_ACC_TRUNC, H5P_DEFAULT, Access);
  if (isLate)
  {
    Load(words[1]);
  }
  for (int i = 4; i < count; ++i)
  {
    const Case what = CaseOf(words[i]);
    const herr_t written = WriteCase(file, &what);
    printf("%s on rank %d: wrote %d\n", what.Name, Rank, (int)written);
    Written[i] = written >= 0;
    if (written >= 0 && !what.IsAttribute)
    {
      const herr_t host = ReadCase(file, &what, 0, "read while it is written");
      const herr_t device = ReadCase(file, &what, 1, "read to the device while it is written");
      printf("%s on rank %d: read %d %d\n", what.Name, Rank, (int)host, (int)device);
    }
    fflush(stdout);
  }
  printf("closed %d on rank %d\n", (int)H5Fclose(file), Rank);
  file = H5Fopen(words[2], H5F_ACC_RDONLY, Access);
  for (int i = 4; i < count && file >= 0; ++i)
  {
    const Case what = CaseOf(words[i]);
    if (what.IsAttribute || !H5Lexists(file, what.Name, H5P_DEFAULT) || !Written[i])
    {
      continue;
    }
    const herr_t host = ReadCase(file, &what, 0, "read again");
    const herr_t device = ReadCase(file, &what, 1, "read again to the device");
    printf("%s on rank %d: read again %d %d\n", what.Name, Rank, (int)host, (int)device);
    fflush(stdout);
  }
  H5Fclose(file);
  printf("wrong %d, copies %d, fast %d, registered %d on rank %d\n", Wrong,
    Counted("StandInCopies"), Counted("StandInFastCopies"), Counted("StandInRegistered"), Rank);
  int* last = Library ? dlsym(Library, "hipGetLastError") : NULL;
  if (last)
  {
    int (*take)(void);
    *(void**)&take = (void*)last;
    printf("last error %d on rank %d\n", take(), Rank);
  }
  MPI_Finalize();
  return Wrong ? 1 : 0;
}
