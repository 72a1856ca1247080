/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that knows HDF5 and MPI and nothing of us: what dsm-run couples in the tests.
 *
 *   identifiers       MPI-IO's identifier and access list agree with each other, and no other
 *                     file has it
 *   parallel NAME     a file of all ranks, by H5Pset_fapl_mpio, read back
 *   split NAME        the same by the program's part of an MPMD job
 *   series NAME       as "split": the files NAME.0.h5 to NAME.3.h5, each when NAME.n.go is there
 *   sizes NAME N…     as "split": the files NAME.0.h5, NAME.1.h5, … of as many values of each rank;
 *                     they are not read back
 *   parameters NAME   the same by H5Pset_mpi_params and the default driver
 *   wait NAME         as "split", but waits until NAME is there and writes nothing
 *   serial NAME       one process's file, by the default driver, without MPI_Init
 *
 * A number after NAME: how many values each rank writes, instead of 1000. With DSM_TEST_MAPS in the
 * environment rank 0 prints the MPI libraries in its memory, a line each.
 */
#include "../simulation.h"

#include <string.h>

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
  fapl = H5Pcreate(H5P_FILE_ACCESS);
  CHECK(H5Pget_driver(fapl) != H5FD_MPIO);
  H5Pclose(fapl);
  unsigned long flags = 0;
  CHECK(H5FDdriver_query(H5FD_MPIO, &flags) >= 0);
  CHECK(flags & H5FD_FEAT_HAS_MPI);
}

static void Write(const char* name, const hsize_t each, hid_t fapl, hsize_t rank, hsize_t ranks)
{
  const hsize_t begin = rank * each;
  int* values = malloc(each * sizeof *values);
  CHECK(values);
  for (hsize_t i = 0; i < each; ++i)
  {
    values[i] = (int)(begin + i);
  }
  hid_t creation = H5Pcreate(H5P_FILE_CREATE);
  /* HDF5 2 has times in the root group: without them equal files have equal bytes. */
  CHECK(H5Pset_obj_track_times(creation, 0) >= 0);
  hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, creation, fapl);
  CHECK(file >= 0);
  H5Pclose(creation);
  Values made = CreateValues(file, H5T_STD_I32LE, each, rank, ranks);
  CHECK(H5Dwrite(made.Set, H5T_NATIVE_INT, made.Memory, made.Space, H5P_DEFAULT, values) >= 0);
  free(values);
  CloseValues(made);
  CHECK(H5Fclose(file) >= 0);
}

static void Read(const char* name, const hsize_t each, hid_t fapl, hsize_t rank, hsize_t ranks)
{
  const hsize_t begin = rank * each;
  int* values = calloc(each, sizeof *values);
  CHECK(values);
  hid_t file = H5Fopen(name, H5F_ACC_RDONLY, fapl);
  CHECK(file >= 0);
  const hsize_t total = each * ranks;
  Values made;
  made.Space = H5Screate_simple(1, &total, NULL);
  made.Memory = H5Screate_simple(1, &each, NULL);
  made.Set = H5Dopen2(file, "values", H5P_DEFAULT);
  CHECK(H5Sselect_hyperslab(made.Space, H5S_SELECT_SET, &begin, NULL, &each, NULL) >= 0);
  CHECK(H5Dread(made.Set, H5T_NATIVE_INT, made.Memory, made.Space, H5P_DEFAULT, values) >= 0);
  for (hsize_t i = 0; i < each; ++i)
  {
    CHECK(values[i] == (int)(begin + i));
  }
  free(values);
  CloseValues(made);
  CHECK(H5Fclose(file) >= 0);
}

static void WriteAndRead(
  const char* name, const hsize_t each, hid_t fapl, hsize_t rank, hsize_t ranks)
{
  Write(name, each, fapl, rank, ranks);
  Read(name, each, fapl, rank, ranks);
}

static void PrintMpiLibraries(void)
{
  char line[8192];
  char before[8192] = "";
  FILE* maps = fopen("/proc/self/maps", "r");
  CHECK(maps);
  while (fgets(line, sizeof line, maps))
  {
    const char* path = strchr(line, '/');
    const char* name = path ? strrchr(path, '/') + 1 : "";
    if (strncmp(name, "libmpi", 6) == 0 && strcmp(path, before) != 0)
    {
      strcpy(before, path);
      fputs(path, stdout);
    }
  }
  fclose(maps);
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
  const int sizes = strcmp(how, "sizes") == 0;
  MPI_Comm comm = series || sizes || strcmp(how, "split") == 0 ? ThisProgram() : MPI_COMM_WORLD;
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
    for (int i = 3; i < argc && sizes; ++i)
    {
      char name[4096];
      snprintf(name, sizeof name, "%s.%d.h5", argv[2], i - 3);
      Write(name, strtoull(argv[i], NULL, 10), fapl, (hsize_t)rank, (hsize_t)ranks);
    }
    if (!series && !sizes)
    {
      WriteAndRead(argv[2], each, fapl, (hsize_t)rank, (hsize_t)ranks);
    }
    H5Pclose(fapl);
  }
  if (rank == 0 && getenv("DSM_TEST_MAPS"))
  {
    PrintMpiLibraries();
  }
  MPI_Finalize();
  return 0;
}
