/* SPDX-License-Identifier: BSD-3-Clause */
/* What archive_bench.py and disk_bench.py time: the kernels of the study of HDF5's subfiling
   (2017), as ordinary parallel HDF5 programs that know nothing of us, plain writing to compare
   with, and a simulation that computes and writes in turns.

     dsm_particles_program write DRIVER NAME PARTICLES   VPIC-IO: each rank writes so many particles
     dsm_particles_program read DRIVER NAME              BD-CATS-IO: each reads its part of all
     dsm_particles_program plain NAME PARTICLES          each writes as many bytes into its own file
     dsm_particles_program steps NAME PARTICLES FILES COMPUTE [LOOPS]

   A particle has eight variables, of four bytes each, and each variable is a dataset of all ranks'
   particles, one rank's behind the other's; transfers are collective. DRIVER is "mpio", or
   "subfiling", in an HDF5 that has that driver. What is read is checked. Rank 0 prints the seconds
   from before the file is created or opened until the slowest rank has closed it.

   "steps" computes for COMPUTE seconds before each of FILES files (NAME.0000.h5, ...) as VPIC-IO's.
   It prints how many loops that is, the seconds of each file, and those of all of it. Who gives
   LOOPS has the same computed again, however long it takes. */
#include "simulation.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>

enum
{
  Variables = 8,
  FirstWhole = 6, /* the others are real numbers */
  Work = 4096,    /* numbers that are computed with */
  Same = 1 << 20  /* particles, until values repeat */
};

/* Of one plain write; more gains nothing. */
static const size_t Step = (size_t)8 << 20;

static const char* const Names[Variables] = { "x", "y", "z", "px", "py", "pz", "id1", "id2" };

static MPI_Comm World;
static int Rank, Ranks;

static hid_t TypeOf(int variable)
{
  return variable < FirstWhole ? H5T_NATIVE_FLOAT : H5T_NATIVE_INT;
}

static void Value(hsize_t particle, int variable, void* bytes)
{
  const int32_t number = (int32_t)(particle % Same) * Variables + variable;
  const float real = (float)number;
  memcpy(bytes, variable < FirstWhole ? (const void*)&real : (const void*)&number, sizeof number);
}

/* A rank's particles in memory: one variable behind the other. */
static char* Allocate(hsize_t particles)
{
  char* const all = malloc(particles * Variables * sizeof(float) + 1);
  CHECK(all != NULL);
  return all;
}

static char* Place(char* all, hsize_t particles, hsize_t particle, int variable)
{
  return all + ((hsize_t)variable * particles + particle) * sizeof(float);
}

static char* MakeParticles(hsize_t particles)
{
  char* const all = Allocate(particles);
  for (int variable = 0; variable < Variables; ++variable)
  {
    for (hsize_t i = 0; i < particles; ++i)
    {
      Value((hsize_t)Rank * particles + i, variable, Place(all, particles, i, variable));
    }
  }
  return all;
}

static double Begin(void)
{
  MPI_Barrier(World);
  return MPI_Wtime();
}

static void End(double began)
{
  double mine = MPI_Wtime() - began, slowest = 0;
  CHECK(MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, World) == MPI_SUCCESS);
  if (Rank == 0)
  {
    printf("%.6f\n", slowest);
    fflush(stdout);
  }
}

static hid_t Access(const char* driver)
{
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
#ifdef H5_HAVE_SUBFILING_VFD
  if (strcmp(driver, "subfiling") == 0)
  {
    CHECK(H5Pset_mpi_params(access, World, MPI_INFO_NULL) >= 0);
    CHECK(H5Pset_fapl_subfiling(access, NULL) >= 0);
    return access;
  }
#endif
  CHECK(strcmp(driver, "mpio") == 0);
  CHECK(H5Pset_fapl_mpio(access, World, MPI_INFO_NULL) >= 0);
  return access;
}

static hid_t Collective(void)
{
  const hid_t transfer = H5Pcreate(H5P_DATASET_XFER);
  CHECK(H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE) >= 0);
  return transfer;
}

/* So many of a dataset's values, from one on. */
static void Select(hid_t space, hsize_t first, hsize_t count)
{
  CHECK(H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, NULL, &count, NULL) >= 0);
}

static void WriteFile(const char* driver, const char* name, char* all, hsize_t particles)
{
  const hid_t access = Access(driver), transfer = Collective();
  const hsize_t total = particles * (hsize_t)Ranks;
  const hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  CHECK(file >= 0);
  const hid_t space = H5Screate_simple(1, &total, NULL);
  const hid_t memory = H5Screate_simple(1, &particles, NULL);
  Select(space, (hsize_t)Rank * particles, particles);
  for (int variable = 0; variable < Variables; ++variable)
  {
    const hid_t type = TypeOf(variable);
    const hid_t set =
      H5Dcreate2(file, Names[variable], type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    CHECK(set >= 0);
    CHECK(H5Dwrite(set, type, memory, space, transfer, Place(all, particles, 0, variable)) >= 0);
    CHECK(H5Dclose(set) >= 0);
  }
  CHECK(H5Fclose(file) >= 0);
  H5Sclose(space);
  H5Sclose(memory);
  H5Pclose(access);
  H5Pclose(transfer);
}

static void Write(const char* driver, const char* name, hsize_t particles)
{
  char* const all = MakeParticles(particles);
  const double began = Begin();
  WriteFile(driver, name, all, particles);
  End(began);
  free(all);
}

/* What a processor does from its own cache. */
static void Compute(double* work, long loops)
{
  for (long loop = 0; loop < loops; ++loop)
  {
    for (int i = 0; i < Work; ++i)
    {
      work[i] = work[i] * 0.999 + 1.0 / (work[i] + 1.0);
    }
  }
}

/* How many loops take so many seconds, where all ranks compute. */
static long LoopsIn(double seconds, double* work)
{
  const long some = 200;
  const double began = Begin();
  Compute(work, some);
  double loops = (double)some * seconds / (MPI_Wtime() - began);
  MPI_Bcast(&loops, 1, MPI_DOUBLE, 0, World);
  return (long)loops + 1;
}

static void Steps(char** words, int count)
{
  const hsize_t particles = (hsize_t)atoll(words[1]);
  double* const work = calloc(Work, sizeof(double));
  CHECK(work != NULL);
  const long loops = count > 4 ? atol(words[4]) : LoopsIn(atof(words[3]), work);
  if (Rank == 0)
  {
    printf("%ld\n", loops);
  }
  char* const all = MakeParticles(particles);
  const double began = Begin();
  for (int number = 0; number < atoi(words[2]); ++number)
  {
    Compute(work, loops);
    char name[4096];
    CHECK(snprintf(name, sizeof name, "%s.%04d.h5", words[0], number) < (int)sizeof name);
    const double writing = Begin();
    WriteFile("mpio", name, all, particles);
    End(writing);
  }
  End(began);
  CHECK(work[0] >= 0); /* it was computed */
  free(all);
  free(work);
}

static void Check(char* all, hsize_t first, hsize_t particles)
{
  for (int variable = 0; variable < Variables; ++variable)
  {
    for (hsize_t i = 0; i < particles; ++i)
    {
      char expected[sizeof(float)];
      Value(first + i, variable, expected);
      CHECK(memcmp(expected, Place(all, particles, i, variable), sizeof expected) == 0);
    }
  }
}

/* How many particles there are is known to who analyses them. */
static hsize_t Count(const char* driver, const char* name)
{
  const hid_t access = Access(driver);
  const hid_t file = H5Fopen(name, H5F_ACC_RDONLY, access);
  CHECK(file >= 0);
  const hid_t set = H5Dopen2(file, Names[0], H5P_DEFAULT);
  const hid_t space = H5Dget_space(set);
  const hssize_t total = H5Sget_simple_extent_npoints(space);
  CHECK(total > 0);
  H5Sclose(space);
  H5Dclose(set);
  CHECK(H5Fclose(file) >= 0);
  H5Pclose(access);
  return (hsize_t)total;
}

static void Read(const char* driver, const char* name)
{
  const hsize_t total = Count(driver, name);
  const hsize_t first = total * (hsize_t)Rank / (hsize_t)Ranks;
  const hsize_t particles = total * ((hsize_t)Rank + 1) / (hsize_t)Ranks - first;
  char* const all = Allocate(particles);
  memset(all, 0, particles * Variables * sizeof(float));
  const hid_t access = Access(driver), transfer = Collective();
  const double began = Begin();
  const hid_t file = H5Fopen(name, H5F_ACC_RDONLY, access);
  CHECK(file >= 0);
  const hid_t memory = H5Screate_simple(1, &particles, NULL);
  for (int variable = 0; variable < Variables; ++variable)
  {
    const hid_t set = H5Dopen2(file, Names[variable], H5P_DEFAULT);
    CHECK(set >= 0);
    const hid_t space = H5Dget_space(set);
    Select(space, first, particles);
    char* const values = Place(all, particles, 0, variable);
    CHECK(H5Dread(set, TypeOf(variable), memory, space, transfer, values) >= 0);
    H5Sclose(space);
    CHECK(H5Dclose(set) >= 0);
  }
  CHECK(H5Fclose(file) >= 0);
  End(began);
  Check(all, first, particles);
  H5Sclose(memory);
  H5Pclose(access);
  H5Pclose(transfer);
  free(all);
}

static void WritePlain(const char* name, hsize_t particles)
{
  char* const all = MakeParticles(particles);
  const size_t size = particles * Variables * sizeof(float);
  char mine[4096];
  CHECK(snprintf(mine, sizeof mine, "%s.%d", name, Rank) < (int)sizeof mine);
  const double began = Begin();
  const int file = open(mine, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  CHECK(file >= 0);
  for (size_t done = 0; done < size;)
  {
    const size_t now = size - done < Step ? size - done : Step;
    const ssize_t written = write(file, all + done, now);
    CHECK(written > 0);
    done += (size_t)written;
  }
  CHECK(close(file) == 0);
  End(began);
  free(all);
}

int main(int argc, char** argv)
{
  int level = MPI_THREAD_SINGLE;
  CHECK(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level) == MPI_SUCCESS);
  CHECK(argc >= 4);
  World = ThisProgram();
  MPI_Comm_rank(World, &Rank);
  MPI_Comm_size(World, &Ranks);
  if (strcmp(argv[1], "write") == 0)
  {
    CHECK(argc == 5);
    Write(argv[2], argv[3], (hsize_t)atoll(argv[4]));
  }
  else if (strcmp(argv[1], "read") == 0)
  {
    Read(argv[2], argv[3]);
  }
  else if (strcmp(argv[1], "steps") == 0)
  {
    CHECK(argc == 6 || argc == 7);
    Steps(argv + 2, argc - 2);
  }
  else
  {
    CHECK(strcmp(argv[1], "plain") == 0);
    WritePlain(argv[2], (hsize_t)atoll(argv[3]));
  }
  MPI_Comm_free(&World);
  return MPI_Finalize() == MPI_SUCCESS ? 0 : 1;
}
