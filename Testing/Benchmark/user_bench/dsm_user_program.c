/* SPDX-License-Identifier: BSD-3-Clause */
/* What user_bench.py times: an ordinary parallel HDF5 program, which knows nothing of us.

   dsm_user_program hdf5 NAME FILES BYTES PAUSE work|sleep KEEP
     files NAME.0000.h5, …, of one dataset; those before the last KEEP are removed
   dsm_user_program core NAME FILES BYTES PAUSE work|sleep
     the same calls in HDF5's own in-memory driver, by each rank for itself: what HDF5 needs
   dsm_user_program met NAME FILES BYTES PAUSE work|sleep
     the same, and the ranks meet as often as a parallel HDF5 lets them: what a parallel HDF5 needs
   dsm_user_program own NAME FILES BYTES PAUSE work|sleep
     each rank writes such files of its own; prints how many files a second all of them write
   dsm_user_program memcpy NAME FILES BYTES PAUSE work|sleep
     the same bytes into memory that ranks share, and have touched before
   dsm_user_program attribute NAME COUNT
     an attribute is written and flushed so often

   Between files each rank sleeps or computes for PAUSE milliseconds. Rank 0 prints for each file
   the milliseconds for which the slowest rank was held up. */
#include "simulation.h"

#include <string.h>

#include <fcntl.h>
#include <sys/mman.h>

static int Rank, Ranks;

static double Now(void)
{
  return MPI_Wtime();
}

static void Pause(double milliseconds, int work)
{
  if (!work)
  {
    usleep((useconds_t)(milliseconds * 1000));
    return;
  }
  volatile double sum = 0;
  for (const double end = Now() + milliseconds / 1000; Now() < end;)
  {
    for (int i = 0; i < 1000; ++i)
    {
      sum += i;
    }
  }
}

/* By the slowest rank. */
static void Tell(double begin)
{
  double spent = 1000 * (Now() - begin);
  MPI_Allreduce(MPI_IN_PLACE, &spent, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (Rank == 0)
  {
    printf("%.4f\n", spent);
    fflush(stdout);
  }
}

enum Way
{
  TOGETHER, /* a file by all ranks */
  OWN,      /* a file by each rank */
  CORE,     /* in the in-memory driver of HDF5 */
  MET       /* the same, with the collective calls that a parallel HDF5 makes itself */
};

static void WriteFile(const char* name, const double* values, hsize_t count, enum Way way)
{
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  MPI_Comm comm = MPI_COMM_NULL;
  if (way == MET)
  {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm); /* H5Pset_fapl_mpio */
  }
  if (way == CORE || way == MET)
  {
    CHECK(H5Pset_fapl_core(access, 1 << 20, 0) >= 0);
  }
  else if (way == TOGETHER)
  {
    CHECK(H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL) >= 0);
  }
  const hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  CHECK(file >= 0);
  const hsize_t all = way == OWN ? count : count * (hsize_t)Ranks;
  const hsize_t first = way == OWN ? 0 : count * (hsize_t)Rank;
  const hid_t space = H5Screate_simple(1, &all, NULL);
  const hid_t memory = H5Screate_simple(1, &count, NULL);
  CHECK(H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, NULL, &count, NULL) >= 0);
  const hid_t set =
    H5Dcreate2(file, "values", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t transfer = H5Pcreate(H5P_DATASET_XFER);
  if (way == TOGETHER)
  {
    CHECK(H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE) >= 0);
  }
  if (way == MET)
  {
    int reasons[2] = { 0, 0 }; /* whether a collective transfer is possible */
    MPI_Allreduce(MPI_IN_PLACE, reasons, 2, MPI_INT, MPI_BOR, comm);
  }
  CHECK(H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, transfer, values) >= 0);
  H5Pclose(transfer);
  H5Dclose(set);
  H5Sclose(memory);
  H5Sclose(space);
  for (int meetings = 0; way == MET && meetings < 4; ++meetings)
  {
    MPI_Barrier(comm); /* the metadata cache, twice for each of two flushes */
  }
  CHECK(H5Fclose(file) >= 0);
  if (way == MET)
  {
    MPI_Comm_free(&comm);
  }
  H5Pclose(access);
}

/* The files of all but TOGETHER are in memory, and none is removed. */
static void Files(
  const char* base, int files, size_t bytes, double pause, int work, int keep, enum Way way)
{
  const size_t count = bytes / sizeof(double) / (size_t)Ranks;
  double* values = malloc(count * sizeof(double));
  char name[4096];
  for (int file = 0; file < files; ++file)
  {
    for (size_t i = 0; i < count; ++i)
    {
      values[i] = (double)file + (double)i;
    }
    Pause(pause, work);
    snprintf(name, sizeof name, "%s.%04d.h5", base, file);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = Now();
    WriteFile(name, values, count, way);
    Tell(begin);
    if (Rank == 0 && way == TOGETHER && file >= keep)
    {
      snprintf(name, sizeof name, "%s.%04d.h5", base, file - keep);
      unlink(name);
    }
  }
  free(values);
}

static void OwnFiles(const char* base, int files, size_t bytes, double pause, int work)
{
  const size_t count = bytes / sizeof(double);
  double* values = calloc(count, sizeof(double));
  char name[4096];
  double begin = 0;
  for (int file = -1; file < files; ++file)
  {
    if (file == 0)
    {
      /* The first has also connected. */
      MPI_Barrier(MPI_COMM_WORLD);
      begin = Now();
    }
    values[0] = file;
    Pause(pause, work);
    snprintf(name, sizeof name, "%s.%03d.%05d.h5", base, Rank, file + 1);
    WriteFile(name, values, count, OWN);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (Rank == 0)
  {
    printf("%.2f\n", files * Ranks / (Now() - begin));
  }
  free(values);
}

static void Copies(const char* name, int files, size_t bytes, double pause, int work)
{
  const size_t count = bytes / sizeof(double) / (size_t)Ranks;
  const size_t size = count * sizeof(double);
  const int shared = open(name, O_RDWR | O_CREAT, 0600);
  CHECK(shared >= 0 && ftruncate(shared, (off_t)(size * (size_t)Ranks)) == 0);
  char* all = mmap(NULL, size * (size_t)Ranks, PROT_READ | PROT_WRITE, MAP_SHARED, shared, 0);
  CHECK(all != MAP_FAILED);
  char* mine = all + size * (size_t)Rank;
  memset(mine, 1, size);
  double* values = malloc(size);
  for (int file = 0; file < files; ++file)
  {
    for (size_t i = 0; i < count; ++i)
    {
      values[i] = (double)file + (double)i;
    }
    Pause(pause, work);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = Now();
    memcpy(mine, values, size);
    MPI_Barrier(MPI_COMM_WORLD);
    Tell(begin);
  }
  free(values);
  munmap(all, size * (size_t)Ranks);
  close(shared);
  if (Rank == 0)
  {
    unlink(name);
  }
}

static void Attribute(const char* name, int count)
{
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  CHECK(H5Pset_fapl_mpio(access, MPI_COMM_SELF, MPI_INFO_NULL) >= 0);
  const hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  CHECK(file >= 0);
  const hsize_t eight = 8;
  const hid_t space = H5Screate_simple(1, &eight, NULL);
  const hid_t attribute = H5Acreate2(file, "a", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT);
  double values[8] = { 0 };
  for (int round = 0; round < 10; ++round)
  {
    const double begin = Now();
    for (int i = 0; i < count; ++i)
    {
      values[0] += 1;
      CHECK(H5Awrite(attribute, H5T_NATIVE_DOUBLE, values) >= 0);
      CHECK(H5Fflush(file, H5F_SCOPE_LOCAL) >= 0);
    }
    printf("%.4f\n", 1e6 * (Now() - begin) / count);
  }
  H5Aclose(attribute);
  H5Sclose(space);
  CHECK(H5Fclose(file) >= 0);
  H5Pclose(access);
}

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  MPI_Comm_size(MPI_COMM_WORLD, &Ranks);
  CHECK(argc >= 4);
  if (strcmp(argv[1], "attribute") == 0)
  {
    Attribute(argv[2], atoi(argv[3]));
  }
  else
  {
    CHECK(argc == (strcmp(argv[1], "hdf5") == 0 ? 8 : 7));
    const int work = strcmp(argv[6], "work") == 0;
    const int files = atoi(argv[3]);
    const size_t bytes = (size_t)atoll(argv[4]);
    const double pause = atof(argv[5]);
    if (strcmp(argv[1], "hdf5") == 0)
    {
      Files(argv[2], files, bytes, pause, work, atoi(argv[7]), TOGETHER);
    }
    else if (strcmp(argv[1], "own") == 0)
    {
      OwnFiles(argv[2], files, bytes, pause, work);
    }
    else if (strcmp(argv[1], "core") == 0)
    {
      Files(argv[2], files, bytes, pause, work, 0, CORE);
    }
    else if (strcmp(argv[1], "met") == 0)
    {
      Files(argv[2], files, bytes, pause, work, 0, MET);
    }
    else
    {
      Copies(argv[2], files, bytes, pause, work);
    }
  }
  MPI_Finalize();
  return 0;
}
