/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that knows HDF5 and MPI and nothing of us, and counts what it costs a server: rank 0
 * prints, after each thing that all ranks do, how many sockets the server's process has, and how
 * many connections of these are control channels: a transport over a network has others, one for
 * each rank.
 *
 *   dsmCountedProgram SERVER PORT NAME FOREIGN MIB [reads]
 *
 * SERVER: the server's process, PORT: of its control channel. NAME: of the file that all ranks
 * write, MIB altogether, and read. FOREIGN: a file on disk, which each rank opens by itself; and
 * FOREIGN.RANK, which each makes. With a word more it only reads NAME.
 */
#include "../simulation.h"

#include <dirent.h>
#include <string.h>
#include <unistd.h>

static int Rank, Ranks;
static const char* Server;
static unsigned Port;

static int CountSockets(void)
{
  char folder[64];
  snprintf(folder, sizeof folder, "/proc/%s/fd", Server);
  DIR* all = opendir(folder);
  CHECK(all);
  int sockets = 0;
  for (struct dirent* one = readdir(all); one; one = readdir(all))
  {
    char path[512], target[64] = "";
    snprintf(path, sizeof path, "%s/%s", folder, one->d_name);
    if (readlink(path, target, sizeof target - 1) > 0 && strncmp(target, "socket:", 7) == 0)
    {
      ++sockets;
    }
  }
  closedir(all);
  return sockets;
}

static int CountChannels(void)
{
  FILE* table = fopen("/proc/net/tcp", "r");
  CHECK(table);
  char line[512];
  int channels = 0;
  while (fgets(line, sizeof line, table))
  {
    unsigned port = 0, state = 0;
    const int known = sscanf(line, " %*d: %*8x:%4x %*8x:%*4x %2x", &port, &state);
    channels += known == 2 && port == Port && state == 1; /* established */
  }
  fclose(table);
  return channels;
}

static void Tell(const char* what)
{
  MPI_Barrier(MPI_COMM_WORLD);
  if (Rank == 0)
  {
    printf("%s %d %d\n", what, CountSockets(), CountChannels());
    fflush(stdout);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv)
{
  CHECK(argc == 6 || argc == 7);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  MPI_Comm_size(MPI_COMM_WORLD, &Ranks);
  Server = argv[1];
  Port = (unsigned)atoi(argv[2]);
  const char* name = argv[3];
  const char* foreign = argv[4];
  const hsize_t each = (hsize_t)atoi(argv[5]) * 1024 * 1024 / sizeof(double) / (hsize_t)Ranks;

  hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
  CHECK(H5Pset_fapl_mpio(fapl, MPI_COMM_WORLD, MPI_INFO_NULL) >= 0);
  double* values = malloc(each * sizeof *values);
  CHECK(values);
  for (hsize_t i = 0; i < each; ++i)
  {
    values[i] = (double)Rank + 1e-9 * (double)i;
  }

  Values made = { 0 };
  if (argc == 6)
  {
    hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    CHECK(file >= 0);
    Tell("created");
    made = CreateValues(file, H5T_IEEE_F64LE, each, (hsize_t)Rank, (hsize_t)Ranks);
    /* Independent, and one after the other: each may be the one for which there is no room. */
    for (int rank = 0; rank < Ranks; ++rank)
    {
      if (rank == Rank)
      {
        CHECK(
          H5Dwrite(made.Set, H5T_NATIVE_DOUBLE, made.Memory, made.Space, H5P_DEFAULT, values) >= 0);
      }
      MPI_Barrier(MPI_COMM_WORLD);
    }
    Tell("grown");
    /* Where a flush shows the file, each rank changes bytes that others are to see as they were. */
    CHECK(H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0);
    CHECK(H5Dwrite(made.Set, H5T_NATIVE_DOUBLE, made.Memory, made.Space, H5P_DEFAULT, values) >= 0);
    Tell("changed");
    CloseValues(made);
    CHECK(H5Fclose(file) >= 0);
    Tell("sealed");
  }

  hid_t file = H5Fopen(name, H5F_ACC_RDONLY, fapl);
  CHECK(file >= 0);
  double* read = calloc(each, sizeof *read);
  CHECK(read);
  made.Set = H5Dopen2(file, "values", H5P_DEFAULT);
  made.Space = H5Dget_space(made.Set);
  made.Memory = H5Screate_simple(1, &each, NULL);
  const hsize_t begin = each * (hsize_t)Rank;
  H5Sselect_hyperslab(made.Space, H5S_SELECT_SET, &begin, NULL, &each, NULL);
  CHECK(H5Dread(made.Set, H5T_NATIVE_DOUBLE, made.Memory, made.Space, H5P_DEFAULT, read) >= 0);
  CHECK(memcmp(read, values, each * sizeof *read) == 0);
  Tell("read");
  CloseValues(made);
  CHECK(H5Fclose(file) >= 0);
  Tell("closed");

  if (argc == 6)
  {
    file = H5Fopen(foreign, H5F_ACC_RDONLY, H5P_DEFAULT);
    CHECK(file >= 0);
    Tell("foreign-open");
    CHECK(H5Fclose(file) >= 0);
    char own[4096];
    snprintf(own, sizeof own, "%s.%d", foreign, Rank);
    file = H5Fcreate(own, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    CHECK(file >= 0);
    Tell("foreign-made");
    CHECK(H5Fclose(file) >= 0);
  }

  free(values);
  free(read);
  H5Pclose(fapl);
  MPI_Finalize();
  return 0;
}
