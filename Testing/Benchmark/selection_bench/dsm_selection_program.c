/* SPDX-License-Identifier: BSD-3-Clause */
/* What selection_bench.py times: an ordinary parallel HDF5 program of which each rank writes and
   reads a part of one dataset, and knows nothing of us.

     dsm_selection_program PATTERN MODE ACTIVE SIDE NAME ROUNDS

   PATTERN is what a rank's part looks like in the file; of the first three it is SIDE rows of SIDE
   bytes:

     contiguous   one piece
     apart        each row is a piece, and no other rank has anything between them
     interleaved  each row is a piece, and those of all ranks make up the dataset's rows
     thin         columns of SIDE rows of six doubles, dealt out to the ranks: pieces of 8 bytes

   MODE is "collective" or "independent". The first ACTIVE ranks have a part; the others take part
   in collective transfers without one. In each of ROUNDS the file NAME is created, written, closed,
   opened, read, checked and closed. Rank 0 prints the milliseconds for which the slowest rank was
   in H5Dwrite and in H5Dread. */
#include "simulation.h"

#include <string.h>

enum
{
  Columns = 6
};

typedef struct
{
  hid_t Type;
  size_t TypeSize;
  hsize_t All[2], First[2], Stride[2], Count[2];
} Part;

static MPI_Comm World;
static int Rank, Ranks;

static Part PartOf(const char* pattern, hsize_t side, hsize_t active)
{
  const hsize_t rank = (hsize_t)Rank;
  if (strcmp(pattern, "thin") == 0)
  {
    CHECK(active <= Columns);
    const hsize_t mine = Columns / active + (rank < Columns % active ? 1 : 0);
    const Part part = { H5T_NATIVE_DOUBLE, sizeof(double), { side, Columns }, { 0, rank },
      { 1, active }, { side, mine } };
    return part;
  }
  Part part = { H5T_NATIVE_UCHAR, 1, { side * active, side }, { side * rank, 0 }, { 1, 1 },
    { side, side } };
  if (strcmp(pattern, "apart") == 0)
  {
    part.All[1] = 2 * side;
  }
  else if (strcmp(pattern, "interleaved") == 0)
  {
    part.All[0] = side;
    part.All[1] = side * active;
    part.First[0] = 0;
    part.First[1] = side * rank;
  }
  else
  {
    CHECK(strcmp(pattern, "contiguous") == 0);
  }
  return part;
}

/* So that no two ranks and rounds have the same. */
static void Fill(unsigned char* bytes, size_t size, int round)
{
  for (size_t i = 0; i + sizeof(size_t) <= size; i += sizeof(size_t))
  {
    const size_t value = i * 2654435761U + (size_t)Rank * 40503U + (size_t)round;
    memcpy(bytes + i, &value, sizeof value);
  }
}

/* What the slowest rank has taken since all began. */
static double Slowest(double began)
{
  double mine = (MPI_Wtime() - began) * 1e3, all = 0;
  CHECK(MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, World) == MPI_SUCCESS);
  return all;
}

static void Select(const Part* part, int takesPart, hid_t space, hid_t memory)
{
  if (takesPart)
  {
    CHECK(H5Sselect_hyperslab(
            space, H5S_SELECT_SET, part->First, part->Stride, part->Count, NULL) >= 0);
  }
  else
  {
    CHECK(H5Sselect_none(space) >= 0 && H5Sselect_none(memory) >= 0);
  }
}

int main(int argc, char** argv)
{
  CHECK(MPI_Init(&argc, &argv) == MPI_SUCCESS);
  CHECK(argc == 7);
  World = ThisProgram();
  MPI_Comm_rank(World, &Rank);
  MPI_Comm_size(World, &Ranks);
  const int collective = strcmp(argv[2], "collective") == 0;
  const int active = atoi(argv[3]);
  const hsize_t side = (hsize_t)atol(argv[4]);
  CHECK(active >= 1 && active <= Ranks && side > 0);
  const int takesPart = Rank < active;
  const Part part = PartOf(argv[1], side, (hsize_t)active);
  const hsize_t elements = part.Count[0] * part.Count[1];
  const size_t size = elements * part.TypeSize;
  unsigned char* const written = calloc(size, 1);
  unsigned char* const found = calloc(size, 1);
  CHECK(written && found);

  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  CHECK(H5Pset_fapl_mpio(access, World, MPI_INFO_NULL) >= 0);
  const hid_t transfer = H5Pcreate(H5P_DATASET_XFER);
  CHECK(H5Pset_dxpl_mpio(transfer, collective ? H5FD_MPIO_COLLECTIVE : H5FD_MPIO_INDEPENDENT) >= 0);
  const hid_t space = H5Screate_simple(2, part.All, NULL);
  const hid_t memory = H5Screate_simple(1, &elements, NULL);
  Select(&part, takesPart, space, memory);
  for (int round = 0; round < atoi(argv[6]); ++round)
  {
    Fill(written, size, round);
    hid_t file = H5Fcreate(argv[5], H5F_ACC_TRUNC, H5P_DEFAULT, access);
    CHECK(file >= 0);
    hid_t set = H5Dcreate2(file, "values", part.Type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    CHECK(set >= 0);
    MPI_Barrier(World);
    double began = MPI_Wtime();
    if (takesPart || collective)
    {
      CHECK(H5Dwrite(set, part.Type, memory, space, transfer, written) >= 0);
    }
    const double writing = Slowest(began);
    CHECK(H5Dclose(set) >= 0 && H5Fclose(file) >= 0);

    file = H5Fopen(argv[5], H5F_ACC_RDONLY, access);
    CHECK(file >= 0);
    set = H5Dopen2(file, "values", H5P_DEFAULT);
    CHECK(set >= 0);
    memset(found, 0, size);
    MPI_Barrier(World);
    began = MPI_Wtime();
    if (takesPart || collective)
    {
      CHECK(H5Dread(set, part.Type, memory, space, transfer, found) >= 0);
    }
    const double reading = Slowest(began);
    CHECK(!takesPart || memcmp(written, found, size) == 0);
    CHECK(H5Dclose(set) >= 0 && H5Fclose(file) >= 0);
    if (Rank == 0)
    {
      printf("milliseconds %.4f %.4f\n", writing, reading);
      fflush(stdout);
    }
  }
  H5Sclose(memory);
  H5Sclose(space);
  H5Pclose(transfer);
  H5Pclose(access);
  free(found);
  free(written);
  MPI_Comm_free(&World);
  H5close();
  CHECK(MPI_Finalize() == MPI_SUCCESS);
  return 0;
}
