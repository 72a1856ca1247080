/* SPDX-License-Identifier: BSD-3-Clause */
/* subfiling_reader PLAIN STUB: whether a file in subfiles, opened by HDF5's Subfiling driver on all
 * ranks, has the datasets of a plain file, of the same shape, type and values. Prints how many. */
#include <hdf5.h>
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REQUIRE(what)                                                                              \
  do                                                                                               \
  {                                                                                                \
    if (!(what))                                                                                   \
    {                                                                                              \
      fprintf(stderr, "subfiling_reader: line %d: %s\n", __LINE__, #what);                         \
      MPI_Abort(MPI_COMM_WORLD, 1);                                                                \
    }                                                                                              \
  } while (0)

struct Compared
{
  hid_t Other;
  int Count;
};

static void* ValuesOf(hid_t dataset, hid_t type, size_t* size)
{
  hid_t space = H5Dget_space(dataset);
  *size = (size_t)H5Sget_simple_extent_npoints(space) * H5Tget_size(type);
  void* values = malloc(*size + 1);
  REQUIRE(values != NULL);
  REQUIRE(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
  H5Sclose(space);
  return values;
}

static herr_t Compare(hid_t file, const char* name, const H5O_info2_t* info, void* data)
{
  struct Compared* compared = (struct Compared*)data;
  if (info->type != H5O_TYPE_DATASET)
  {
    return 0;
  }
  hid_t one = H5Dopen2(file, name, H5P_DEFAULT);
  hid_t other = H5Dopen2(compared->Other, name, H5P_DEFAULT);
  REQUIRE(one >= 0 && other >= 0);
  hid_t type = H5Dget_type(one);
  size_t size = 0, otherSize = 0;
  void* values = ValuesOf(one, type, &size);
  void* otherValues = ValuesOf(other, type, &otherSize);
  REQUIRE(size == otherSize && memcmp(values, otherValues, size) == 0);
  free(values);
  free(otherValues);
  H5Tclose(type);
  H5Dclose(one);
  H5Dclose(other);
  ++compared->Count;
  return 0;
}

int main(int argc, char** argv)
{
  int level = 0, rank = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  REQUIRE(argc == 3 && level == MPI_THREAD_MULTIPLE);
  hid_t plain = H5Fopen(argv[1], H5F_ACC_RDONLY, H5P_DEFAULT);
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  REQUIRE(H5Pset_mpi_params(access, MPI_COMM_WORLD, MPI_INFO_NULL) >= 0);
  REQUIRE(H5Pset_fapl_subfiling(access, NULL) >= 0);
  struct Compared compared = { H5Fopen(argv[2], H5F_ACC_RDONLY, access), 0 };
  REQUIRE(plain >= 0 && compared.Other >= 0);
  REQUIRE(H5Ovisit3(plain, H5_INDEX_NAME, H5_ITER_INC, Compare, &compared, H5O_INFO_BASIC) >= 0);
  H5Fclose(plain);
  REQUIRE(H5Fclose(compared.Other) >= 0);
  H5Pclose(access);
  if (rank == 0)
  {
    printf("%d datasets are the same\n", compared.Count);
  }
  MPI_Finalize();
  return 0;
}
