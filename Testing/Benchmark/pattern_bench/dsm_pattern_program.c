/* SPDX-License-Identifier: BSD-3-Clause */
/* What pattern_bench.py times: an ordinary parallel HDF5 program that writes particles of eight
   variables in the access patterns of h5bench_write, and knows nothing of us.

     dsm_pattern_program WAY PATTERN MODE LAYOUT NAME FILES STEPS PARTICLES PAUSE

   WAY is "hdf5", or "core": each rank writes its own share with HDF5's in-memory driver, which
   shows what HDF5 itself needs for the pattern. PATTERN names what is in memory, what is in the
   file and the dimensions, such as "arrays-structs-1d". MODE is "collective" or "independent",
   LAYOUT "contiguous" or "chunked". A file NAME.0000.h5, … has a group for each step; PARTICLES are
   those of one rank. After each step but the last of a file, and before each file, the ranks sleep
   for PAUSE milliseconds. Rank 0 prints for each file the milliseconds, without the pauses, for
   which the slowest rank was held up from H5Fcreate to H5Fclose, and those of them in H5Dwrite. */
#include "simulation.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum
{
  Variables = 8,
  Whole = 6,  /* the variable that is an integer */
  Row = 1024, /* of a plane */
  Side = 64,  /* of a block, in the last two dimensions */
  Face = Side * Side,
  Run = 2,   /* particles that are together in the file, where it is strided … */
  Apart = 4, /* … and from the first of them to the first of the next */
  Chunk = 128 << 10
};

typedef struct
{
  float X, Y, Z, VX, VY, VZ;
  int32_t Number;
  float Mass;
} Particle;

static const char* const Names[Variables] = { "x", "y", "z", "vx", "vy", "vz", "number", "mass" };
static const size_t Offsets[Variables] = { offsetof(Particle, X), offsetof(Particle, Y),
  offsetof(Particle, Z), offsetof(Particle, VX), offsetof(Particle, VY), offsetof(Particle, VZ),
  offsetof(Particle, Number), offsetof(Particle, Mass) };

typedef struct
{
  int StructsInMemory, StructsInFile, Dimensions, Strided, Core, Collective, Chunked;
  hsize_t Particles;
} Pattern;

static int Rank, Ranks;

static hid_t Type(int variable)
{
  return variable == Whole ? H5T_NATIVE_INT32 : H5T_NATIVE_FLOAT;
}

/* Of one variable, or of all. */
static hid_t StructType(int variable)
{
  const hid_t made = H5Tcreate(H5T_COMPOUND, variable < 0 ? sizeof(Particle) : sizeof(float));
  for (int i = 0; i < Variables; ++i)
  {
    if (variable < 0 || variable == i)
    {
      CHECK(H5Tinsert(made, Names[i], variable < 0 ? Offsets[i] : 0, Type(i)) >= 0);
    }
  }
  return made;
}

/* The particles of one rank in memory; arrays stand one behind the other. */
static char* MakeParticles(const Pattern* pattern)
{
  const hsize_t count = pattern->Particles;
  char* const all = malloc(count * sizeof(Particle));
  CHECK(all != NULL);
  for (int variable = 0; variable < Variables; ++variable)
  {
    for (hsize_t i = 0; i < count; ++i)
    {
      char* const place = pattern->StructsInMemory
        ? all + i * sizeof(Particle) + Offsets[variable]
        : all + ((hsize_t)variable * count + i) * sizeof(float);
      const int32_t number = (int32_t)(i + count * (hsize_t)Rank);
      const float value = (float)number * 0.5F + (float)variable;
      memcpy(place, variable == Whole ? (const void*)&number : (const void*)&value, sizeof value);
    }
  }
  return all;
}

/* How large this rank's part of a dataset is. */
static void ShareOf(const Pattern* pattern, hsize_t mine[3])
{
  mine[0] = pattern->Particles * (pattern->Strided ? Apart / Run : 1);
  mine[1] = Row;
  mine[2] = Side;
  if (pattern->Dimensions == 2)
  {
    mine[0] /= Row;
  }
  else if (pattern->Dimensions == 3)
  {
    mine[0] /= Face;
    mine[1] = Side;
  }
}

/* Where this rank's particles are in a dataset of all; ranks follow each other in the first
   dimension. */
static hid_t FileSpace(const Pattern* pattern)
{
  const hsize_t ranks = pattern->Core ? 1 : (hsize_t)Ranks;
  const hsize_t rank = pattern->Core ? 0 : (hsize_t)Rank;
  hsize_t mine[3];
  ShareOf(pattern, mine);
  const hsize_t all[3] = { mine[0] * ranks, mine[1], mine[2] };
  const hsize_t first[3] = { mine[0] * rank, 0, 0 };
  const hid_t space = H5Screate_simple(pattern->Dimensions, all, NULL);
  if (pattern->Strided)
  {
    const hsize_t apart = Apart, run = Run, count = pattern->Particles / Run;
    CHECK(H5Sselect_hyperslab(space, H5S_SELECT_SET, first, &apart, &count, &run) >= 0);
  }
  else
  {
    CHECK(H5Sselect_hyperslab(space, H5S_SELECT_SET, first, NULL, mine, NULL) >= 0);
  }
  CHECK((hsize_t)H5Sget_select_npoints(space) == pattern->Particles);
  return space;
}

/* All of them; of as many dimensions as in the file. */
static hid_t MemorySpace(const Pattern* pattern)
{
  hsize_t mine[3];
  ShareOf(pattern, mine);
  return pattern->Strided ? H5Screate_simple(1, &pattern->Particles, NULL)
                          : H5Screate_simple(pattern->Dimensions, mine, NULL);
}

static hid_t CreateSet(
  const Pattern* pattern, hid_t group, const char* name, hid_t type, hid_t space)
{
  const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
  CHECK(H5Pset_obj_track_times(how, 0) >= 0);
  if (pattern->Chunked)
  {
    /* Some rows, or planes, of half a MiB each variable. */
    hsize_t size[3] = { Chunk, Row, Side };
    if (pattern->Dimensions == 2)
    {
      size[0] /= Row;
    }
    else if (pattern->Dimensions == 3)
    {
      size[0] /= Face;
      size[1] = Side;
    }
    hsize_t all[3];
    CHECK(H5Sget_simple_extent_dims(space, all, NULL) == pattern->Dimensions);
    size[0] = size[0] < all[0] ? size[0] : all[0];
    CHECK(H5Pset_chunk(how, pattern->Dimensions, size) >= 0);
  }
  const hid_t set = H5Dcreate2(group, name, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
  CHECK(set >= 0);
  H5Pclose(how);
  return set;
}

static hid_t Access(const Pattern* pattern)
{
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  if (pattern->Core)
  {
    CHECK(H5Pset_fapl_core(access, (size_t)64 << 20, 0) >= 0);
    return access;
  }
  CHECK(H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL) >= 0);
  CHECK(H5Pset_all_coll_metadata_ops(access, 1) >= 0);
  CHECK(H5Pset_coll_metadata_write(access, 1) >= 0);
  return access;
}

static void WriteStep(
  const Pattern* pattern, hid_t file, int step, const char* values, hid_t transfer)
{
  char name[32];
  snprintf(name, sizeof name, "step%04d", step);
  const hid_t group = H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  CHECK(group >= 0);
  const hid_t space = FileSpace(pattern);
  const hid_t memory = MemorySpace(pattern);
  const hid_t structs = StructType(-1);
  hid_t sets[Variables] = { 0 };
  const int count = pattern->StructsInFile ? 1 : Variables;
  for (int i = 0; i < count; ++i)
  {
    /* Structs in memory need structs in the file, if only of one variable. */
    const hid_t one = pattern->StructsInMemory ? StructType(i) : H5Tcopy(Type(i));
    sets[i] = pattern->StructsInFile ? CreateSet(pattern, group, "particles", structs, space)
                                     : CreateSet(pattern, group, Names[i], one, space);
    H5Tclose(one);
  }
  if (pattern->StructsInMemory)
  {
    for (int i = 0; i < count; ++i)
    {
      CHECK(H5Dwrite(sets[i], structs, memory, space, transfer, values) >= 0);
    }
  }
  else
  {
    for (int i = 0; i < Variables; ++i)
    {
      const hid_t one = pattern->StructsInFile ? StructType(i) : H5Tcopy(Type(i));
      CHECK(H5Dwrite(sets[pattern->StructsInFile ? 0 : i], one, memory, space, transfer,
              values + (hsize_t)i * pattern->Particles * sizeof(float)) >= 0);
      H5Tclose(one);
    }
  }
  for (int i = 0; i < count; ++i)
  {
    H5Dclose(sets[i]);
  }
  H5Tclose(structs);
  H5Sclose(memory);
  H5Sclose(space);
  H5Gclose(group);
}

static void WriteFile(const Pattern* pattern, const char* name, int steps, double pause)
{
  char* const values = MakeParticles(pattern);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  double slept = 0;
  const hid_t access = Access(pattern);
  const hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  CHECK(file >= 0);
  const hid_t transfer = H5Pcreate(H5P_DATASET_XFER);
  if (!pattern->Core)
  {
    CHECK(H5Pset_dxpl_mpio(
            transfer, pattern->Collective ? H5FD_MPIO_COLLECTIVE : H5FD_MPIO_INDEPENDENT) >= 0);
  }
  for (int step = 0; step < steps; ++step)
  {
    WriteStep(pattern, file, step, values, transfer);
    if (step + 1 < steps)
    {
      const double from = MPI_Wtime();
      usleep((useconds_t)(pause * 1000));
      slept += MPI_Wtime() - from;
    }
  }
  H5Pclose(transfer);
  CHECK(H5Fflush(file, H5F_SCOPE_LOCAL) >= 0);
  CHECK(H5Fclose(file) >= 0);
  H5Pclose(access);
  MPI_Barrier(MPI_COMM_WORLD);
  double spent = 1000 * (MPI_Wtime() - begin - slept);
  MPI_Allreduce(MPI_IN_PLACE, &spent, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (Rank == 0)
  {
    printf("%.4f\n", spent);
    fflush(stdout);
  }
  free(values);
}

static int OneOf(const char* given, const char* yes, const char* no)
{
  CHECK(strcmp(given, yes) == 0 || strcmp(given, no) == 0);
  return strcmp(given, yes) == 0;
}

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  MPI_Comm_size(MPI_COMM_WORLD, &Ranks);
  CHECK(argc == 10);
  char memory[16], infile[16];
  Pattern pattern = { 0 };
  CHECK(sscanf(argv[2], "%15[a-z]-%15[a-z]-%dd", memory, infile, &pattern.Dimensions) == 3);
  CHECK(1 <= pattern.Dimensions && pattern.Dimensions <= 3);
  pattern.StructsInMemory = OneOf(memory, "structs", "arrays");
  pattern.Strided = strcmp(infile, "strided") == 0;
  pattern.StructsInFile = !pattern.Strided && OneOf(infile, "structs", "arrays");
  pattern.Core = OneOf(argv[1], "core", "hdf5");
  pattern.Collective = OneOf(argv[3], "collective", "independent");
  pattern.Chunked = OneOf(argv[4], "chunked", "contiguous");
  pattern.Particles = (hsize_t)atoll(argv[8]);
  CHECK(pattern.Particles > 0 && pattern.Particles % Face == 0);
  CHECK(!pattern.Strided || pattern.Dimensions == 1);
  const int files = atoi(argv[6]);
  const double pause = atof(argv[9]);
  for (int file = 0; file < files; ++file)
  {
    char name[4096];
    snprintf(name, sizeof name, "%s.%04d.h5", argv[5], file);
    usleep((useconds_t)(pause * 1000));
    WriteFile(&pattern, name, atoi(argv[7]), pause);
    /* On tmpfs there is memory for few. */
    if (Rank == 0 && strncmp(name, "/dev/shm/", 9) == 0 && file > 0)
    {
      snprintf(name, sizeof name, "%s.%04d.h5", argv[5], file - 1);
      unlink(name);
    }
  }
  MPI_Finalize();
  return 0;
}
