/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests' simulations share that know HDF5 and MPI and nothing of us. */
#pragma once

#include <hdf5.h>
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* How the program ends when a check fails, unless it says otherwise before it includes this. */
#ifndef FAILED
#  define FAILED exit(3)
#endif

#define CHECK(condition)                                                                           \
  do                                                                                               \
  {                                                                                                \
    if (!(condition))                                                                              \
    {                                                                                              \
      fprintf(stderr, "%s: line %d: %s\n", __FILE__, __LINE__, #condition);                        \
      FAILED;                                                                                      \
    }                                                                                              \
  } while (0)

static inline void Say(const char* line)
{
  printf("%s\n", line);
  fflush(stdout);
}

/* This program's ranks: others may be beside them in one MPI job. */
static inline MPI_Comm ThisProgram(void)
{
  int* number = NULL;
  int found = 0;
  const char* colour = getenv("DSM_MPMD_COLOUR");
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &number, &found);
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, colour ? atoi(colour) : found ? *number : 0, 0, &part);
  return part;
}

/* For a minute. */
static inline void WaitForFile(const char* name)
{
  for (int i = 0; i < 6000 && access(name, F_OK) != 0; ++i)
  {
    usleep(10000);
  }
  CHECK(access(name, F_OK) == 0);
}

/* A dataset "values" that has each rank's, one after the other; and the part of one rank. */
typedef struct
{
  hid_t Set, Space, Memory;
} Values;

static inline Values CreateValues(hid_t file, hid_t type, hsize_t each, hsize_t rank, hsize_t ranks)
{
  const hsize_t begin = each * rank;
  const hsize_t total = each * ranks;
  Values made;
  made.Space = H5Screate_simple(1, &total, NULL);
  made.Memory = H5Screate_simple(1, &each, NULL);
  /* Two runs' files are the same, byte by byte. */
  hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_obj_track_times(dcpl, 0);
  made.Set = H5Dcreate2(file, "values", type, made.Space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
  H5Pclose(dcpl);
  H5Sselect_hyperslab(made.Space, H5S_SELECT_SET, &begin, NULL, &each, NULL);
  return made;
}

static inline void CloseValues(Values values)
{
  H5Dclose(values.Set);
  H5Sclose(values.Memory);
  H5Sclose(values.Space);
}
