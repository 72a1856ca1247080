/* SPDX-License-Identifier: BSD-3-Clause */
/* dsmGrowingProgram NAME: all ranks write a dataset "data" that grows, whose values are their
 * indices, into one file. Rank 0 reads sizes from its input, a line each; it prints each as soon as
 * the file is flushed, and "closed" behind the last. */
#include "../simulation.h"

static void WriteMine(hid_t set, long size, int rank, int ranks)
{
  const hsize_t begin = (hsize_t)(size * rank / ranks);
  const hsize_t count = (hsize_t)(size * (rank + 1) / ranks) - begin;
  long* values = malloc((count + 1) * sizeof *values);
  CHECK(values);
  for (hsize_t i = 0; i < count; ++i)
  {
    values[i] = (long)(begin + i);
  }
  hid_t space = H5Dget_space(set);
  hid_t memory = H5Screate_simple(1, &count, NULL);
  CHECK(H5Sselect_hyperslab(space, H5S_SELECT_SET, &begin, NULL, &count, NULL) >= 0);
  CHECK(H5Dwrite(set, H5T_NATIVE_LONG, memory, space, H5P_DEFAULT, values) >= 0);
  H5Sclose(memory);
  H5Sclose(space);
  free(values);
}

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  CHECK(argc == 2);
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
  H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  hid_t file = H5Fcreate(argv[1], H5F_ACC_TRUNC, H5P_DEFAULT, access);
  CHECK(file >= 0);
  const hsize_t none = 0;
  const hsize_t most = H5S_UNLIMITED;
  const hsize_t chunk = 1000;
  hid_t space = H5Screate_simple(1, &none, &most);
  hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(creation, 1, &chunk);
  hid_t set = H5Dcreate2(file, "data", H5T_NATIVE_LONG, space, H5P_DEFAULT, creation, H5P_DEFAULT);
  CHECK(set >= 0);
  for (;;)
  {
    char line[64] = "";
    if (rank == 0 && !fgets(line, sizeof line, stdin))
    {
      line[0] = '\0';
    }
    long size = atol(line);
    MPI_Bcast(&size, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    if (size == 0)
    {
      break;
    }
    const hsize_t extent = (hsize_t)size;
    CHECK(H5Dset_extent(set, &extent) >= 0);
    WriteMine(set, size, rank, ranks);
    CHECK(H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0);
    if (rank == 0)
    {
      snprintf(line, sizeof line, "%ld", size);
      Say(line);
    }
  }
  H5Dclose(set);
  H5Pclose(creation);
  H5Sclose(space);
  CHECK(H5Fclose(file) >= 0);
  H5Pclose(access);
  if (rank == 0)
  {
    Say("closed");
  }
  MPI_Finalize();
  return 0;
}
