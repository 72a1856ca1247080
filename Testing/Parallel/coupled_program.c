/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that knows HDF5 and MPI and nothing of us: what dsm-run couples in the tests.
 *
 *   coupled_program identifiers         MPI-IO's identifier and access list agree with each other
 *   coupled_program parallel NAME       a file of all ranks, by H5Pset_fapl_mpio, read back
 *   coupled_program split NAME          the same by the program's part of an MPMD job
 *   coupled_program series NAME         as "split", the files NAME.0.h5 to NAME.3.h5, each when
 * NAME.n.go exists coupled_program parameters NAME     the same by H5Pset_mpi_params and the
 * default driver coupled_program wait NAME           as "split", but waits until NAME exists and
 * writes nothing coupled_program serial NAME         one process's file, by the default driver,
 * without MPI_Init
 *
 * A number after NAME: how many values each rank writes, instead of 1000.
 */
#include <hdf5.h>

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHECK(condition)                                                                           \
  do                                                                                               \
  {                                                                                                \
    if (!(condition))                                                                              \
    {                                                                                              \
      fprintf(stderr, "coupled_program: line %d: %s\n", __LINE__, #condition);                     \
      exit(3);                                                                                     \
    }                                                                                              \
  } while (0)

static void CheckIdentifiers(void)
{
  hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
  CHECK(H5Pset_fapl_mpio(fapl, MPI_COMM_WORLD, MPI_INFO_NULL) >= 0);
  CHECK(H5Pget_driver(fapl) == H5FD_MPIO);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Info info = MPI_INFO_NULL;
  CHECK(H5Pget_fapl_mpio(fapl, &comm, &info) >= 0);
  int result = MPI_UNEQUAL;
  MPI_Comm_compare(comm, MPI_COMM_WORLD, &result);
  CHECK(result == MPI_CONGRUENT);
  MPI_Comm_free(&comm);
  hid_t copy = H5Pcopy(fapl);
  CHECK(H5Pequal(fapl, copy) > 0);
  H5Pclose(copy);
  H5Pclose(fapl);
  unsigned long flags = 0;
  CHECK(H5FDdriver_query(H5FD_MPIO, &flags) >= 0);
  CHECK(flags & H5FD_FEAT_HAS_MPI);
}

static void WriteAndRead(
  const char* name, const hsize_t each, hid_t fapl, hsize_t rank, hsize_t ranks)
{
  const hsize_t total = each * ranks;
  const hsize_t begin = rank * each;
  int* values = malloc(each * sizeof *values);
  CHECK(values);
  for (hsize_t i = 0; i < each; ++i)
  {
    values[i] = (int)(begin + i);
  }
  hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
  CHECK(file >= 0);
  hid_t space = H5Screate_simple(1, &total, NULL);
  hid_t memory = H5Screate_simple(1, &each, NULL);
  hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_obj_track_times(dcpl, 0);
  hid_t set = H5Dcreate2(file, "values", H5T_STD_I32LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
  H5Sselect_hyperslab(space, H5S_SELECT_SET, &begin, NULL, &each, NULL);
  CHECK(H5Dwrite(set, H5T_NATIVE_INT, memory, space, H5P_DEFAULT, values) >= 0);
  H5Dclose(set);
  CHECK(H5Fclose(file) >= 0);

  file = H5Fopen(name, H5F_ACC_RDONLY, fapl);
  CHECK(file >= 0);
  set = H5Dopen2(file, "values", H5P_DEFAULT);
  memset(values, 0, each * sizeof *values);
  CHECK(H5Dread(set, H5T_NATIVE_INT, memory, space, H5P_DEFAULT, values) >= 0);
  for (hsize_t i = 0; i < each; ++i)
  {
    CHECK(values[i] == (int)(begin + i));
  }
  free(values);
  H5Dclose(set);
  CHECK(H5Fclose(file) >= 0);
  H5Pclose(dcpl);
  H5Sclose(memory);
  H5Sclose(space);
}

static void WaitForFile(const char* name)
{
  for (int i = 0; i < 6000 && access(name, F_OK) != 0; ++i)
  {
    usleep(10000);
  }
  CHECK(access(name, F_OK) == 0);
}

/* As a program does that may be started beside others in one MPI job. */
static MPI_Comm ThisProgram(void)
{
  int* number = NULL;
  int found = 0;
  const char* colour = getenv("DSM_MPMD_COLOUR");
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &number, &found);
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, colour ? atoi(colour) : found ? *number : 0, 0, &part);
  return part;
}

int main(int argc, char** argv)
{
  const char* how = argc > 1 ? argv[1] : "";
  const hsize_t each = argc > 3 ? strtoull(argv[3], NULL, 10) : 1000;
  if (strcmp(how, "serial") == 0 && argc >= 3)
  {
    WriteAndRead(argv[2], each, H5P_DEFAULT, 0, 1);
    return 0;
  }
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 1;
  const int series = strcmp(how, "series") == 0;
  MPI_Comm comm = series || strcmp(how, "split") == 0 ? ThisProgram() : MPI_COMM_WORLD;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  if (strcmp(how, "wait") == 0)
  {
    ThisProgram();
    WaitForFile(argv[2]);
  }
  else if (strcmp(how, "identifiers") == 0)
  {
    CheckIdentifiers();
  }
  else
  {
    CHECK(argc >= 3);
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    if (strcmp(how, "parameters") != 0)
    {
      CHECK(H5Pset_fapl_mpio(fapl, comm, MPI_INFO_NULL) >= 0);
    }
    else
    {
      CHECK(H5Pset_mpi_params(fapl, MPI_COMM_WORLD, MPI_INFO_NULL) >= 0);
    }
    for (int i = 0; i < 4 && series; ++i)
    {
      char name[4096];
      snprintf(name, sizeof name, "%s.%d.go", argv[2], i);
      WaitForFile(name);
      snprintf(name, sizeof name, "%s.%d.h5", argv[2], i);
      WriteAndRead(name, each, fapl, (hsize_t)rank, (hsize_t)ranks);
    }
    if (!series)
    {
      WriteAndRead(argv[2], each, fapl, (hsize_t)rank, (hsize_t)ranks);
    }
    H5Pclose(fapl);
  }
  MPI_Finalize();
  return 0;
}
